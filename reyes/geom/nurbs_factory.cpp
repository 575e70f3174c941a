// SPDX-License-Identifier: Apache-2.0
// makeNuPatch(): counts, orders, knots and ranges checked, then Bezier patches.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/knots.h"
#include "reyes/geom/nurbs.h"
#include "reyes/geom/positions.h"
#include "reyes/geom/trim_curves.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "NuPatch";

void report(const Context& context, const char* code, std::string text) {
  if (context.diag) context.diag->error(code, context.loc, std::move(text));
}

bool checkDirection(const Context& context, char name, NurbsDirection& d) {
  if (const std::string fault = knotFault(d.n, d.order, d.knots); !fault.empty()) {
    report(context, "geom-bad-knots", format("{}, {}: {}; nothing is drawn", kRequest, name, fault));
    return false;
  }
  const size_t needed = static_cast<size_t>(d.n) + static_cast<size_t>(d.order);
  if (d.knots.size() > needed)
    report(context, "geom-bad-knots",
           format("{}, {}: {} knots are needed, {} given; the first ones are used", kRequest, name, needed,
                  d.knots.size()));
  d.knots = d.knots.first(needed);
  if (const std::string fault = fitRange(d.n, d.order, d.knots, d.min, d.max); !fault.empty())
    report(context, "geom-bad-range", format("{}, {}: {}", kRequest, name, fault));
  return true;
}

/// Bezier points of two opposite borders that are within rounding of each other become one: a closed surface.
/// `from` and `to` are places of the borders' first points, in steps of `step`.
void closeBorder(std::vector<float>& points, int width, int count, int from, int to, int step, float tolerance) {
  for (int k = 0; k < count; ++k) {
    const float* a = &points[static_cast<size_t>((from + k * step) * width)];
    float* b = &points[static_cast<size_t>((to + k * step) * width)];
    bool near = true;
    for (int c = 0; c < width; ++c) near = near && std::abs(a[c] - b[c]) <= tolerance;
    if (near) std::copy_n(a, width, b);
  }
}

void closeBorders(std::vector<float>& points, int width, int columns, int rows) {
  float largest = 0;
  for (const float f : points) largest = std::max(largest, std::abs(f));
  closeBorder(points, width, rows, 0, columns - 1, columns, 1e-6f * largest);
  closeBorder(points, width, columns, 0, columns * (rows - 1), 1, 1e-6f * largest);
}

/// Values of class varying are at the ends of whole knot intervals; a face gets four of its own, since a range may cut
/// intervals and intervals of length zero leave two values at one place.
void varyingPerFace(const KnotMap& u, const KnotMap& v, PrimvarData& data) {
  const size_t width = static_cast<size_t>(data.spec.width()), columns = static_cast<size_t>(u.segments) + 1;
  std::vector<float> out;
  for (const KnotSpan& sv : v.spans)
    for (const KnotSpan& su : u.spans)
      for (int k = 0; k < 4; ++k) {
        const float fu = k & 1 ? su.cut1 : su.cut0, fv = k & 2 ? sv.cut1 : sv.cut0;
        const size_t at = static_cast<size_t>(sv.segment) * columns + static_cast<size_t>(su.segment);
        for (size_t c = 0; c < width; ++c) {
          const auto value = [&](size_t i) { return data.values[(at + i) * width + c]; };
          out.push_back(lerp(lerp(value(0), value(1), fu), lerp(value(columns), value(columns + 1), fu), fv));
        }
      }
  data.values = std::move(out);
  data.items = u.spans.size() * v.spans.size() * 4;
}

std::vector<PrimvarData> nurbsPrimvars(const Context& context, const KnotMap& u, const KnotMap& v, int nu, int nv,
                                       const ParamList& params) {
  ClassCounts counts;
  counts.uniform = static_cast<size_t>(u.segments) * static_cast<size_t>(v.segments);
  counts.varying = counts.faceVarying = static_cast<size_t>(u.segments + 1) * static_cast<size_t>(v.segments + 1);
  counts.vertex = static_cast<size_t>(nu) * static_cast<size_t>(nv);
  std::vector<PrimvarData> all = readPrimvars(params, counts, context.diag, context.loc, kRequest);
  for (PrimvarData& d : all) {
    const bool vertex = d.spec.storage == Storage::kVertex;
    if (d.spec.storage == Storage::kConstant || d.spec.storage == Storage::kUniform) continue;
    if (d.spec.type == Type::kString) {
      d.spec.storage = Storage::kConstant;  // strings do not interpolate: the first one
    } else if (vertex) {
      d.values = toBezier(u, v, nu, nv, d.spec.width(), d.values);
      d.items = static_cast<size_t>(u.outputs) * static_cast<size_t>(v.outputs);
    } else {
      varyingPerFace(u, v, d);
    }
  }
  return all;
}

/// Faces in rows along u; those that a bad control point touches are left out, and counted.
size_t addFaces(const KnotMap& u, const KnotMap& v, const std::vector<bool>& bad, NurbsData& data) {
  size_t dropped = 0;
  const int spansU = static_cast<int>(u.spans.size()), spansV = static_cast<int>(v.spans.size());
  for (int j = 0; j < spansV; ++j)
    for (int i = 0; i < spansU; ++i) {
      const int first = v.place(j, 0) * u.outputs + u.place(i, 0);
      bool good = true;
      for (int l = 0; l <= v.degree && !bad.empty(); ++l)
        for (int k = 0; k <= u.degree; ++k) good = good && !bad[static_cast<size_t>(first + l * u.outputs + k)];
      if (!good) {
        ++dropped;
        continue;
      }
      const KnotSpan &su = u.spans[static_cast<size_t>(i)], &sv = v.spans[static_cast<size_t>(j)];
      FaceInfo info;
      info.u0 = su.from, info.u1 = su.to, info.v0 = sv.from, info.v1 = sv.to;
      info.uniform = sv.segment * u.segments + su.segment;
      for (int k = 0; k < 4; ++k) info.varying[k] = info.faceVarying[k] = (j * spansU + i) * 4 + k;
      data.first.push_back(first);
      data.infos.push_back(info);
    }
  return dropped;
}

}  // namespace

GeometryPtr makeNuPatch(const Context& context, NurbsDirection u, NurbsDirection v, Keys keys) {
  if (!checkDirection(context, 'u', u) || !checkDirection(context, 'v', v)) return nullptr;
  if (static_cast<int64_t>(u.n) * v.n > (int64_t{1} << 26)) {
    report(context, "geom-bad-mesh", format("{}: {} x {} points are too many", kRequest, u.n, v.n));
    return nullptr;
  }
  // Bicubic patches have the faster loops.
  const bool cubic = u.order <= 4 && v.order <= 4;
  const KnotMap mapU(u.n, u.order, u.knots, u.min, u.max, cubic ? 3 : u.order - 1),
      mapV(v.n, v.order, v.knots, v.min, v.max, cubic ? 3 : v.order - 1);
  const size_t points = static_cast<size_t>(u.n) * static_cast<size_t>(v.n);
  std::optional<Positions> p = readPositions(context, keys, points, true, kRequest, u.n, v.n);
  if (!p) return nullptr;
  NurbsData data;
  data.width = p->width;
  data.degreeU = mapU.degree, data.degreeV = mapV.degree;
  data.columns = mapU.outputs;
  for (const std::vector<float>& key : p->keys) {
    data.positions.push_back(toBezier(mapU, mapV, u.n, v.n, p->width, key));
    closeBorders(data.positions.back(), p->width, mapU.outputs, mapV.outputs);
  }
  data.primvars = nurbsPrimvars(context, mapU, mapV, u.n, v.n, keys[0]);
  // A bad point spoils every Bezier value that it touches: spread it through the same map.
  std::vector<bool> bad;
  if (p->anyBad) {
    std::vector<float> marks;
    for (const bool b : p->bad) marks.push_back(b ? 1.0f : 0.0f);
    for (const float f : toBezier(mapU, mapV, u.n, v.n, 1, marks)) bad.push_back(f != 0);
  }
  reportDropped(context, kRequest, addFaces(mapU, mapV, bad, data));
  if (data.first.empty()) return nullptr;
  const float range[4] = {u.min, u.max, v.min, v.max};
  std::copy_n(range, 4, data.range);
  if (context.trim) data.trim = makeTrim(context, range);
  return std::make_shared<NurbsGeometry>(std::move(data), context.st);
}

}  // namespace reyes::geom
