// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/widths.h"

#include <cmath>

#include "reyes/base/format.h"

namespace reyes::geom {

Widths readWidths(const Context& context, const ParamList& params, const ClassCounts& counts, const char* request,
                  size_t key, const Widths* before) {
  const auto say = [&](const char* code, const std::string& text) {
    const std::string where = key == 0 ? std::string() : format("motion key {}: ", key + 1);
    if (context.diag) context.diag->error(code, context.loc, format("{}: {}{}", request, where, text));
  };
  Widths w;
  const Param* given = params.find("width");
  if (given && given->spec.type != Type::kUnknown && given->spec.width() != 1) given = nullptr;
  if (given) {
    w.storage = given->spec.type == Type::kUnknown ? Storage::kVarying : given->spec.storage;
    if (w.storage == Storage::kFaceVarying || w.storage == Storage::kFaceVertex) w.storage = Storage::kVarying;
    const size_t needed = counts.of(w.storage), there = given->floats.size();
    if (key > 0 && there != needed) say("geom-bad-count", format("\"width\" needs {} values, {} given", needed, there));
    if (there >= needed && needed > 0)
      w.values.assign(given->floats.begin(), given->floats.begin() + static_cast<std::ptrdiff_t>(needed));
    else
      given = nullptr, w.storage = Storage::kConstant;
  }
  if (!given && before && !params.find("constantwidth")) return *before;
  if (!given) w.values = {params.floatOr("constantwidth", 1.0f)};
  size_t bad = 0;
  for (float& f : w.values) {
    const bool good = std::isfinite(f) && f >= 0 && f < 1e18f;
    bad += good ? 0 : 1;
    if (!good) f = 0;
  }
  if (bad > 0) say("geom-bad-width", format("{} widths are negative or not finite; they are drawn as 0", bad));
  return w;
}

std::vector<Widths> readWidths(const Context& context, Keys keys, const ClassCounts& counts, const char* request) {
  std::vector<Widths> all;
  for (size_t k = 0; k < keys.size(); ++k)
    all.push_back(readWidths(context, keys[k], counts, request, k, k > 0 ? &all.back() : nullptr));
  return all;
}

}  // namespace reyes::geom
