// SPDX-License-Identifier: Apache-2.0
// makePoints(): checks positions, widths and variables, puts the points in space order, and makes of them what the
// request's "type" says.
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/point_shapes.h"
#include "reyes/geom/positions.h"
#include "reyes/geom/widths.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "Points";

void report(const Context& context, const char* code, const std::string& text) {
  if (context.diag) context.diag->error(code, context.loc, format("{}: {}", kRequest, text));
}

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

/// A float of each point, or of all, in the order of the request: "patchangle" and the like.
std::vector<float> floatsOf(const Context& context, const ParamList& params, const char* name, size_t n, float fallback,
                            bool positive) {
  const Param* p = params.find(name);
  if (!p || p->floats.empty()) return {fallback};
  const bool one = p->spec.type == Type::kUnknown
                       ? p->floats.size() < n
                       : p->spec.storage == Storage::kConstant || p->spec.storage == Storage::kUniform;
  // Too few of a class that has one a point are reported with the other variables.
  if (!one && p->floats.size() < n) return {fallback};
  std::vector<float> values(p->floats.begin(), p->floats.begin() + static_cast<std::ptrdiff_t>(one ? 1 : n));
  size_t bad = 0;
  for (float& f : values)
    if (!std::isfinite(f) || std::fabs(f) > 1e9f || (positive && !(f > 1e-6f))) f = fallback, ++bad;
  if (bad > 0)
    report(context, "geom-bad-range", format("{} values of \"{}\" cannot be used; they are {}", bad, name, fallback));
  return values;
}

/// The normals of one key in the order of the request; empty where the request has none.
std::vector<Vec3> normalsOf(const Context& context, const ParamList& params, size_t n) {
  const Param* p = params.find("N");
  if (!p || p->floats.size() < 3 * n) return {};
  std::vector<Vec3> normals(n);
  size_t bad = 0;
  for (size_t i = 0; i < n; ++i) {
    const Vec3 v{p->floats[3 * i], p->floats[3 * i + 1], p->floats[3 * i + 2]};
    const float l = length(v);
    const bool good = std::isfinite(l) && l > 0;
    normals[i] = good ? v * (1 / l) : Vec3{0, 0, 1};
    bad += good ? 0 : 1;
  }
  if (bad > 0) report(context, "geom-bad-normal", format("{} normals have no direction; they are along z", bad));
  return normals;
}

PointShape shapeOf(const Context& context, const ParamList& params) {
  const std::string type = params.stringOr("type", "particle");
  if (type == "sphere") return PointShape::kSphere;
  if (type == "patch") return PointShape::kPatch;
  if (type == "disk" && params.find("N")) return PointShape::kNormalDisk;
  if (type != "particle" && type != "disk")
    report(context, "geom-bad-type",
           format("there is no type \"{}\" (particle, disk, sphere, patch, blobby); the points are discs that face the "
                  "camera",
                  type));
  return PointShape::kDisc;
}

/// type "blobby": each point an ellipsoid that alone would be a ball as wide as the point; they flow together.
GeometryPtr makeBlobs(const Context& context, const Positions& positions, std::span<const Widths> widths, Keys keys) {
  const int n = static_cast<int>(positions.items);
  constexpr int kConstant = 1000, kEllipsoid = 1001, kNumbers = 16;
  std::vector<int> code;
  for (int i = 0; i < n; ++i) {
    const bool there = !positions.bad[static_cast<size_t>(i)];
    code.push_back(there ? kEllipsoid : kConstant), code.push_back(kNumbers * i);
  }
  code.push_back(0), code.push_back(n);
  for (int i = 0; i < n; ++i) code.push_back(i);
  std::vector<std::vector<float>> floats;
  for (size_t k = 0; k < positions.keys.size(); ++k) {
    std::vector<float>& f = floats.emplace_back();
    const std::vector<Vec3> places = placesOf(positions, k);
    for (size_t i = 0; i < positions.items; ++i) {
      // Nothing is nowhere wide: such points are lost in a field.
      const float w = std::max(widths[k].values.size() == 1 ? widths[k].values[0] : widths[k].values[i], 1e-6f);
      const Vec3 p = positions.bad[i] ? Vec3() : places[i];
      const float here = positions.bad[i] ? 0.0f : w;
      for (const float v : {here, 0.0f, 0.0f, 0.0f, 0.0f, w, 0.0f, 0.0f, 0.0f, 0.0f, w, 0.0f, p.x, p.y, p.z, 1.0f})
        f.push_back(v);
    }
  }
  return makeBlobby(context, n, code, floats, keys);
}

/// Positions and widths of every key, and what the shape takes besides, in the order of data.original.
void fillInOrder(const Context& context, const Positions& positions, std::span<const Widths> widths, Keys keys,
                 PointData& data) {
  const auto sorted = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> to(data.original.size());
    for (size_t i = 0; i < to.size(); ++i) to[i] = all[data.original[i]];
    return to;
  };
  for (size_t k = 0; k < positions.keys.size(); ++k) {
    data.positions.push_back(sorted(placesOf(positions, k)));
    const Widths& w = widths[k];
    const bool one = w.storage == Storage::kConstant || w.storage == Storage::kUniform;
    data.widths.push_back(one ? std::vector<float>{w.values[0]} : sorted(w.values));
    if (data.shape != PointShape::kNormalDisk) continue;
    const std::vector<Vec3> normals = normalsOf(context, keys[k], positions.items);
    if (!normals.empty())
      data.normals.push_back(sorted(normals));
    else
      data.normals.push_back(k > 0 ? data.normals.back() : std::vector<Vec3>(data.original.size(), Vec3{0, 0, 1}));
  }
  if (data.shape != PointShape::kPatch) return;
  data.aspects = floatsOf(context, keys[0], "patchaspectratio", positions.items, 1, true);
  data.angles = floatsOf(context, keys[0], "patchangle", positions.items, 0, false);
  for (std::vector<float>* values : {&data.aspects, &data.angles})
    if (values->size() > 1) *values = sorted(*values);
}

}  // namespace

GeometryPtr makePoints(const Context& context, int count, Keys keys) {
  if (count <= 0) {
    if (count < 0) report(context, "geom-bad-count", format("{} points asked for", count));
    return nullptr;
  }
  const size_t n = static_cast<size_t>(count);
  std::optional<Positions> positions = readPositions(context, keys, n, true, kRequest);
  if (!positions) return nullptr;
  ClassCounts counts;
  counts.uniform = 1, counts.varying = counts.vertex = counts.faceVarying = n;
  // 1. Points that are nowhere are left out.
  const std::vector<Vec3> first = placesOf(*positions, 0);
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < n; ++i)
    if (!positions->bad[i]) kept.push_back(static_cast<uint32_t>(i));
  if (kept.size() < n)
    report(context, "geom-not-finite",
           format("{} points have positions that are not finite numbers; they are left out", n - kept.size()));
  if (kept.empty()) return nullptr;
  const std::vector<Widths> widths = readWidths(context, keys, counts, kRequest);
  if (keys[0].stringOr("type", "") == "blobby") return makeBlobs(context, *positions, widths, keys);
  // 2. The others in an order in which neighbours are near each other.
  PointData data;
  data.shape = shapeOf(context, keys[0]);
  std::vector<Vec3> centres(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) centres[i] = first[kept[i]];
  data.original = spaceOrder(centres);
  for (uint32_t& i : data.original) i = kept[i];
  fillInOrder(context, *positions, widths, keys, data);
  // 3. Variables; of surfaces theirs.
  std::vector<PrimvarData> primvars = readPrimvars(keys[0], counts, context.diag, context.loc, kRequest);
  if (data.shape == PointShape::kDisc) {
    data.primvars = std::move(primvars);
    return std::make_shared<PointSet>(std::move(data));
  }
  // Normals that turn discs are theirs already.
  if (data.shape == PointShape::kNormalDisk)
    std::erase_if(primvars, [](const PrimvarData& d) { return d.spec.name == "N"; });
  data.variables = std::make_shared<FaceVariables>();
  for (const PrimvarData& d : primvars) data.variables->specs.push_back(d.spec);
  data.variables->data = std::move(primvars);
  std::copy_n(context.st, 8, data.variables->st);
  auto points = std::make_shared<PointSet>(std::move(data));
  if (points->shape() == PointShape::kPatch) return points;
  std::shared_ptr<FaceVariables> variables = points->variables();
  return std::make_shared<PointShapes>(std::move(points), std::move(variables));
}

}  // namespace reyes::geom
