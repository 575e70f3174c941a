// SPDX-License-Identifier: Apache-2.0
// makeCurves(): counts of segments and values by RI 3.2, positions, widths and variables checked, curves in space
// order.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/basis.h"
#include "reyes/geom/curves.h"
#include "reyes/geom/positions.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "Curves";

GeometryPtr refuse(const Context& context, const char* code, const std::string& what) {
  if (context.diag) context.diag->error(code, context.loc, format("{}: {}", kRequest, what));
  return nullptr;
}

/// Segments of a curve of n vertices; 0 where there are too few.
int segmentsOf(const CurveData& d, int n) {
  if (d.linear) return n < 2 ? 0 : d.periodic ? n : n - 1;
  if (n < 4 && !(d.periodic && n >= d.step)) return 0;
  return d.periodic ? n / d.step : (n - 4) / d.step + 1;
}

/// Bezier values of a segment from its control values.
void setWeights(const Context& context, CurveData& d) {
  if (d.linear) {
    for (int k = 0; k < 4; ++k) {
      d.weights[k][0] = (3 - k) / 3.0, d.weights[k][1] = k / 3.0;
      d.weights[k][2] = d.weights[k][3] = 0;
    }
    return;
  }
  const BezierMap map(context.vBasis, d.step, 4 + d.step, false);
  d.joined = map.joined;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) d.weights[k][i] = map.weight(k, i);
}

/// Fills in counts; curves with too few vertices have no segments.
bool addUp(const Context& context, std::span<const int> vertexCounts, CurveData& d, size_t& tooFew) {
  int64_t vertices = 0, segments = 0;
  for (const int n : vertexCounts) {
    if (n < 0 || vertices + n > (1 << 30)) {
      refuse(context, "geom-bad-count", format("{} vertices in one curve; nothing is drawn", n));
      return false;
    }
    const int count = segmentsOf(d, n);
    if (count == 0) ++tooFew;
    d.firstVertex.push_back(static_cast<int>(vertices)), d.firstSegment.push_back(static_cast<int>(segments));
    vertices += n, segments += count;
  }
  d.firstVertex.push_back(static_cast<int>(vertices)), d.firstSegment.push_back(static_cast<int>(segments));
  return true;
}

/// The curves that can be drawn, in space order.
void orderCurves(const Context& context, const Positions& positions, CurveData& d) {
  std::vector<uint32_t> kept;
  std::vector<Vec3> centres;
  size_t bad = 0;
  for (size_t c = 0; c + 1 < d.firstVertex.size(); ++c) {
    if (d.firstSegment[c] == d.firstSegment[c + 1]) continue;
    Bound3 box;
    bool good = true;
    for (int v = d.firstVertex[c]; v < d.firstVertex[c + 1]; ++v) {
      const size_t i = static_cast<size_t>(v);
      good = good && !positions.bad[i];
      const float* p = &positions.keys[0][i * static_cast<size_t>(positions.width)];
      const float w = positions.width == 4 ? p[3] : 1.0f;
      box.add(Vec3{p[0] / w, p[1] / w, p[2] / w});
    }
    bad += good ? 0 : 1;
    if (!good) continue;
    kept.push_back(static_cast<uint32_t>(c));
    centres.push_back((box.min + box.max) * 0.5f);
  }
  if (bad > 0)
    refuse(context, "geom-not-finite",
           format("{} curves have positions that are not finite numbers or weights that are not positive; they are "
                  "left out",
                  bad));
  d.original = spaceOrder(centres);
  for (uint32_t& i : d.original) i = kept[i];
}

/// Normals of later motion keys, where these have some; those that are none are said.
void readNormals(const Context& context, Keys keys, const ClassCounts& counts, CurveData& d) {
  const auto first = std::find_if(d.primvars.begin(), d.primvars.end(), isRibbonNormal);
  if (first == d.primvars.end()) return;
  const auto zeros = [](const PrimvarData& n) {
    size_t count = 0;
    for (size_t i = 0; i + 2 < n.values.size(); i += 3)
      count += n.values[i] == 0 && n.values[i + 1] == 0 && n.values[i + 2] == 0 ? 1 : 0;
    return count;
  };
  size_t none = zeros(*first);
  for (size_t k = 1; k < keys.size(); ++k) {
    const Param* given = keys[k].find("N");
    if (!given) continue;
    ParamList only;
    only.add(*given);
    std::vector<PrimvarData> here = readPrimvars(only, counts, context.diag, context.loc, kRequest);
    if (here.empty() || here[0].spec.storage != first->spec.storage || !isRibbonNormal(here[0])) {
      refuse(context, "geom-motion-mismatch", format("N of motion key {} is not as that of the first one", k + 1));
      continue;
    }
    none += zeros(here[0]);
    d.laterNormals.resize(k - 1, d.laterNormals.empty() ? *first : d.laterNormals.back());
    d.laterNormals.push_back(std::move(here[0]));
  }
  if (none > 0)
    refuse(context, "geom-bad-normal", format("{} N have no direction; ribbons face the camera there", none));
}

}  // namespace

GeometryPtr makeCurves(const Context& context, const std::string& type, std::span<const int> vertexCounts,
                       const std::string& wrap, Keys keys) {
  // 1. What kind of curves.
  CurveData data;
  if (type != "linear" && type != "cubic")
    return refuse(context, "geom-bad-type", format("type \"{}\" is neither linear nor cubic; nothing is drawn", type));
  if (wrap != "periodic" && wrap != "nonperiodic" && wrap != "nowrap")
    return refuse(context, "geom-bad-type",
                  format("wrap \"{}\" is neither periodic nor nonperiodic; nothing is drawn", wrap));
  data.linear = type == "linear", data.periodic = wrap == "periodic";
  data.step = data.linear ? 1 : std::max(1, context.vStep);
  setWeights(context, data);
  std::copy_n(context.st, 8, data.st);
  // 2. How many of everything.
  size_t tooFew = 0;
  if (!addUp(context, vertexCounts, data, tooFew)) return nullptr;
  if (tooFew > 0)
    refuse(context, "geom-bad-count",
           format("{} curves have too few vertices for one {} segment; they are left out", tooFew, type));
  if (data.firstSegment.back() == 0) return nullptr;
  ClassCounts counts;
  counts.uniform = vertexCounts.size();
  counts.vertex = static_cast<size_t>(data.firstVertex.back());
  counts.varying = static_cast<size_t>(data.firstSegment.back()) + (data.periodic ? 0 : vertexCounts.size());
  counts.faceVarying = counts.varying;
  // 3. Positions, widths, variables.
  std::optional<Positions> positions = readPositions(context, keys, counts.vertex, true, kRequest);
  if (!positions) return nullptr;
  orderCurves(context, *positions, data);
  if (data.original.empty()) return nullptr;
  data.width = positions->width;
  data.positions = std::move(positions->keys);
  data.widths = readWidths(context, keys, counts, kRequest);
  data.primvars = readPrimvars(keys[0], counts, context.diag, context.loc, kRequest);
  readNormals(context, keys, counts, data);
  return std::make_shared<CurveSet>(std::move(data));
}

}  // namespace reyes::geom
