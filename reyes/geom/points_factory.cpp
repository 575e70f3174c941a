// SPDX-License-Identifier: Apache-2.0
// makePoints(): checks positions, widths and variables, and puts the points in space order.
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/points.h"
#include "reyes/geom/positions.h"
#include "reyes/geom/widths.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "Points";

/// Positions of one key in the order of the request.
std::vector<Vec3> placesOf(const Positions& p, size_t key) {
  std::vector<Vec3> out(p.items);
  for (size_t i = 0; i < p.items; ++i) {
    const float* v = &p.keys[key][i * static_cast<size_t>(p.width)];
    const float w = p.width == 4 ? v[3] : 1.0f;
    out[i] = p.width == 4 ? Vec3{v[0] / w, v[1] / w, v[2] / w} : Vec3{v[0], v[1], v[2]};
  }
  return out;
}

/// Says what of the request's "type" is not drawn as it asks.
void checkType(const Context& context, const ParamList& params) {
  const Param* type = params.find("type");
  if (!type || type->strings.empty() || !context.diag) return;
  const std::string& t = type->strings[0];
  if (t == "particle" || t == "disk") return;
  context.diag->error("not-built", context.loc,
                      format("{}: type \"{}\" is not built: the points are discs that face the camera", kRequest, t));
}

}  // namespace

GeometryPtr makePoints(const Context& context, int count, Keys keys) {
  if (count <= 0) {
    if (context.diag && count < 0)
      context.diag->error("geom-bad-count", context.loc, format("{}: {} points asked for", kRequest, count));
    return nullptr;
  }
  const size_t n = static_cast<size_t>(count);
  std::optional<Positions> positions = readPositions(context, keys, n, true, kRequest);
  if (!positions) return nullptr;
  checkType(context, keys[0]);
  ClassCounts counts;
  counts.uniform = 1, counts.varying = counts.vertex = counts.faceVarying = n;
  // 1. Order: points that are nowhere are left out.
  std::vector<Vec3> first = placesOf(*positions, 0);
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < n; ++i)
    if (!positions->bad[i]) kept.push_back(static_cast<uint32_t>(i));
  if (kept.size() < n && context.diag)
    context.diag->error("geom-not-finite", context.loc,
                        format("{}: {} points have positions that are not finite numbers; they are left out", kRequest,
                               n - kept.size()));
  if (kept.empty()) return nullptr;
  std::vector<Vec3> centres(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) centres[i] = first[kept[i]];
  PointData data;
  data.original = spaceOrder(centres);
  for (uint32_t& i : data.original) i = kept[i];
  // 2. Positions and widths in that order.
  const std::vector<Widths> read = readWidths(context, keys, counts, kRequest);
  for (size_t k = 0; k < positions->keys.size(); ++k) {
    const std::vector<Vec3> all = k == 0 ? std::move(first) : placesOf(*positions, k);
    std::vector<Vec3>& to = data.positions.emplace_back(data.original.size());
    for (size_t i = 0; i < to.size(); ++i) to[i] = all[data.original[i]];
    const Widths& w = read[k];
    std::vector<float>& widths = data.widths.emplace_back();
    if (w.storage == Storage::kConstant || w.storage == Storage::kUniform) {
      widths = {w.values[0]};
      continue;
    }
    widths.resize(data.original.size());
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = w.values[data.original[i]];
  }
  data.primvars = readPrimvars(keys[0], counts, context.diag, context.loc, kRequest);
  return std::make_shared<PointSet>(std::move(data));
}

}  // namespace reyes::geom
