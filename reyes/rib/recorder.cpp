// SPDX-License-Identifier: Apache-2.0
// Recorder: copies the arguments of each request into a call that replay() makes again, at the same place.
#include "reyes/rib/recorder.h"

#include <tuple>

#include "reyes/rib/forward_ri.h"

namespace reyes::rib {
namespace {

/// What must be kept of an argument type: values for views and references.
template <class T>
struct Kept {
  using Type = std::remove_cvref_t<T>;
};
template <class T>
struct Kept<std::span<const T>> {
  using Type = std::vector<T>;
};

template <class T>
typename Kept<T>::Type keep(const std::remove_cvref_t<T>& value) {
  if constexpr (std::is_same_v<typename Kept<T>::Type, std::remove_cvref_t<T>>)
    return value;
  else
    return {value.begin(), value.end()};
}

class Recorder final : public ForwardRi<Recorder> {
 public:
  explicit Recorder(Recording& into) : into_(into) {}

  template <class... A, class... B>
  void call(void (Ri::*method)(A...), const char*, const B&... arguments) {
    into_.add([method, place = at(), kept = std::tuple<typename Kept<A>::Type...>(keep<A>(arguments)...)](Ri& ri) {
      ri.setAt(place);
      std::apply([&](const auto&... values) { (ri.*method)(values...); }, kept);
    });
  }

 private:
  Recording& into_;
};

}  // namespace

void Recording::replay(Ri& ri) const {
  for (const auto& call : calls_) call(ri);
}

std::unique_ptr<Ri> makeRecorder(Recording& into) { return std::make_unique<Recorder>(into); }

std::string handleText(const Handle& h) {
  if (const int* number = std::get_if<int>(&h)) return std::to_string(*number);
  return std::get<std::string>(h);
}

}  // namespace reyes::rib
