// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/widths.h"

#include <cmath>

#include "reyes/base/format.h"

namespace reyes::geom {

Widths readWidths(const Context& context, const ParamList& params, const ClassCounts& counts, const char* request,
                  bool report) {
  Widths w;
  const Param* given = params.find("width");
  if (given && given->spec.type != Type::kUnknown && given->spec.width() != 1) given = nullptr;
  if (given) {
    w.storage = given->spec.type == Type::kUnknown ? Storage::kVarying : given->spec.storage;
    if (w.storage == Storage::kFaceVarying || w.storage == Storage::kFaceVertex) w.storage = Storage::kVarying;
    const size_t needed = counts.of(w.storage);
    if (given->floats.size() >= needed && needed > 0)
      w.values.assign(given->floats.begin(), given->floats.begin() + static_cast<std::ptrdiff_t>(needed));
    else
      given = nullptr, w.storage = Storage::kConstant;
  }
  if (!given) w.values = {params.floatOr("constantwidth", 1.0f)};
  size_t bad = 0;
  for (float& f : w.values) {
    const bool good = std::isfinite(f) && f >= 0 && f < 1e18f;
    bad += good ? 0 : 1;
    if (!good) f = 0;
  }
  if (bad > 0 && report && context.diag)
    context.diag->error("geom-bad-width", context.loc,
                        format("{}: {} widths are negative or not finite; they are drawn as 0", request, bad));
  return w;
}

}  // namespace reyes::geom
