// SPDX-License-Identifier: Apache-2.0
// The types of an Ri method say how its RIB arguments are read, so that most requests need no code of their own.
#include "reyes/rib/request_table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "reyes/rib/arguments.h"
#include "reyes/rib/special_requests.h"

namespace reyes::rib {
namespace {

/// Where an argument of a method lives while the request is read.
template <class T>
struct Slot {
  using Type = std::remove_cvref_t<T>;
};
template <class T>
struct Slot<std::span<const T>> {
  using Type = std::vector<T>;
};

template <class... A>
bool readAndCall(Arguments& arguments, Ri& ri, void (Ri::*method)(A...)) {
  std::tuple<typename Slot<A>::Type...> slots{};
  const bool good = std::apply([&](auto&... slot) { return (arguments.read(slot) && ...); }, slots);
  if (!good || !arguments.finish()) return false;
  std::apply([&](const auto&... slot) { (ri.*method)(slot...); }, slots);
  return true;
}

constexpr RequestEntry kRequests[] = {
#define RI_REQUEST(method, Name, parameters, names) \
  {#Name, [](Arguments& arguments, Ri& ri) { return readAndCall(arguments, ri, &Ri::method); }},
#define RI_SPECIAL(method, Name, parameters, names) {#Name, special::method},
#include "reyes/rib/requests.def"
#undef RI_REQUEST
#undef RI_SPECIAL
    // The error handlers of RenderMan 3.1
    {"ErrorAbort", special::errorAbort},
    {"ErrorIgnore", special::errorIgnore},
    {"ErrorPrint", special::errorPrint},
};

/// Requests of later renderers that are recognised by name and passed on as unsupported.
constexpr const char* kUnsupported[] = {"EditBegin",        "EditEnd",        "EditAttributeBegin",
                                        "EditAttributeEnd", "EditWorldBegin", "EditWorldEnd",
                                        "TransformPoints",  "System",         "VPAtmosphere",
                                        "VPInterior",       "VPSurface",      "VPVolumes",
                                        "Shader",           "Pattern",        "Bxdf",
                                        "Integrator",       "Light",          "LightFilter",
                                        "Displace",         "DisplayFilter",  "SampleFilter",
                                        "PixelSampleImager"};

/// Of the length, the first bytes and the last: scenes ask some hundred thousand times.
struct NameHash {
  static size_t of(std::string_view name) {
    uint64_t word = name.size();
    for (size_t i = 0; i < std::min<size_t>(name.size(), 6); ++i)
      word = word << 8 | static_cast<unsigned char>(name[i]);
    if (!name.empty()) word += static_cast<uint64_t>(static_cast<unsigned char>(name.back())) << 56;
    return static_cast<size_t>((word * 0x9e3779b97f4a7c15ull) >> 20);
  }
};

/// All requests, each in the first free slot from its hash on; those without a name are free.
class Table {
 public:
  struct Slot {
    std::string_view name;
    RequestEntry request = {};
  };
  static constexpr size_t kSlots = 1024;

  Table() : slots_(kSlots) {
    for (const RequestEntry& r : kRequests)
      if (std::string_view(r.name) != "Unsupported") add(r);
    for (const char* name : kUnsupported) add({name, special::unsupported});
  }
  const RequestEntry* find(std::string_view name) const {
    const Slot& s = slots_[placeOf(name)];
    return s.name.empty() ? nullptr : &s.request;
  }
  const std::vector<Slot>& slots() const { return slots_; }

 private:
  /// Where a request is, or would be.
  size_t placeOf(std::string_view name) const {
    size_t i = NameHash::of(name) % kSlots;
    while (!slots_[i].name.empty() && slots_[i].name != name) i = (i + 1) % kSlots;
    return i;
  }
  void add(const RequestEntry& r) { slots_[placeOf(r.name)] = {r.name, r}; }

  std::vector<Slot> slots_;
};

const Table& table() {
  static const Table all;
  return all;
}

/// Levenshtein distance without regard to case.
int editDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

const RequestEntry* findRequest(std::string_view name) { return table().find(name); }

std::string nearestRequest(std::string_view name) {
  if (name.size() < 3 || name.size() > 40) return {};
  std::string best;
  int least = (static_cast<int>(name.size()) + 2) / 4;
  for (const Table::Slot& slot : table().slots()) {
    const std::string_view candidate = slot.name;
    if (candidate.empty()) continue;
    if (std::abs(static_cast<int>(candidate.size()) - static_cast<int>(name.size())) > least) continue;
    const int distance = editDistance(name, candidate);
    if (distance > least || (distance == least && !best.empty() && candidate >= best)) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace reyes::rib
