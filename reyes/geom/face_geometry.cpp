// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/face_geometry.h"

#include <algorithm>

#include "reyes/geom/patch_kernels.h"
#include "reyes/geom/standard_vars.h"

namespace reyes::geom {
namespace {

/// Parameters on [low, high] as parameters on [0, 1].
const float* toUnit(const float* t, int n, float low, float high, Arena& arena) {
  float* out = arena.make<float>(static_cast<size_t>(n)).data();
  const float scale = 1 / (high - low);
  for (int i = 0; i < n; ++i) out[i] = (t[i] - low) * scale;
  return out;
}

/// Through doubles: squares of tiny derivatives must not vanish.
double lengthOf(Vec3 a) { return std::sqrt(double(a.x) * a.x + double(a.y) * a.y + double(a.z) * a.z); }
Vec3 scaled(Vec3 a, double by) { return {float(a.x / by), float(a.y / by), float(a.z / by)}; }

}  // namespace

const FaceVariables& FaceGeometry::variables() const {
  static const FaceVariables kNone;
  return variables_ ? *variables_ : kNone;
}

FaceVariables& FaceGeometry::ownVariables() {
  if (!variables_) variables_ = std::make_shared<FaceVariables>();
  return *variables_;
}

void FaceGeometry::setPrimvars(std::vector<PrimvarData> data) {
  if (data.empty() && !variables_) return;
  FaceVariables& own = ownVariables();
  own.data = std::move(data);
  own.specs.clear();
  for (const PrimvarData& d : own.data) own.specs.push_back(d.spec);
}

void FaceGeometry::setTextureCoordinates(const float st[8]) {
  if (!std::equal(st, st + 8, variables().st)) std::copy_n(st, 8, ownVariables().st);
}

void FaceGeometry::setParameterRange(const float range[4]) {
  if (!std::equal(range, range + 4, variables().range)) std::copy_n(range, 4, ownVariables().range);
}

void FaceGeometry::dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const {
  if (!request.cells.empty()) return diceCells(request, grid, arena);
  // The face's parameters at the grid lines.
  const std::span<float> us = arena.make<float>(static_cast<size_t>(request.nu) + 1);
  const std::span<float> vs = arena.make<float>(static_cast<size_t>(request.nv) + 1);
  for (int i = 0; i <= request.nu; ++i)
    us[static_cast<size_t>(i)] = gridParam(request.rect.u0, request.rect.u1, i, request.nu);
  for (int j = 0; j <= request.nv; ++j)
    vs[static_cast<size_t>(j)] = gridParam(request.rect.v0, request.rect.v1, j, request.nv);
  const GridParams at{us, vs};

  // Position, tangents, normal.
  SurfacePlanes out;
  addTriple(grid, arena, names().p, Type::kPoint, out.p);
  if (request.positionsOnly) {
    surface(request.face, at, request.key, arena, out);
    return;
  }
  addTriple(grid, arena, names().du, Type::kVector, out.du);
  addTriple(grid, arena, names().dv, Type::kVector, out.dv);
  addTriple(grid, arena, names().ng, Type::kNormal, out.ng);
  surface(request.face, at, request.key, arena, out);

  // Parameters, texture coordinates, and the variables asked for.
  addParameters(request.face, at, grid, arena);
  const std::vector<PrimvarData>& data = primvarData();
  for (const Name name : request.primvars) {
    if (grid.find(name)) continue;
    for (size_t k = 0; k < data.size(); ++k)
      if (data[k].spec.name == name) fillPrimvar(k, request.face, at, arena, grid.add(data[k].spec, arena));
  }
}

void FaceGeometry::fillPrimvar(size_t k, int face, const GridParams& at, Arena& arena, Var& var) const {
  const PrimvarData& data = primvarData()[k];
  switch (data.spec.storage) {
    case Storage::kConstant:
      fillUniform(data, 0, var);
      break;
    case Storage::kUniform:
      fillUniform(data, static_cast<size_t>(faceInfo(face).uniform), var);
      break;
    case Storage::kVarying:
      fillVarying(k, face, at, arena, var);
      break;
    case Storage::kVertex:
      fillVertex(k, face, at, arena, var);
      break;
    default:
      fillFaceVarying(k, face, at, arena, var);
      break;
  }
}

void FaceGeometry::fillVarying(size_t k, int face, const GridParams& at, Arena&, Var& var) const {
  fillFromCorners(primvarData()[k], faceInfo(face).varying, at.u, at.v, var);
}

void FaceGeometry::fillVertex(size_t k, int face, const GridParams& at, Arena& arena, Var& var) const {
  FaceGeometry::fillVarying(k, face, at, arena, var);
}

void FaceGeometry::fillFaceVarying(size_t k, int face, const GridParams& at, Arena&, Var& var) const {
  fillFromCorners(primvarData()[k], faceInfo(face).faceVarying, at.u, at.v, var);
}

void FaceGeometry::addParameters(int face, const GridParams& at, VarBlock& grid, Arena& arena) const {
  const FaceInfo info = faceInfo(face);
  const int columns = static_cast<int>(at.u.size()), rows = static_cast<int>(at.v.size());
  float* u = addFloat(grid, arena, names().u);
  float* v = addFloat(grid, arena, names().v);
  float* s = addFloat(grid, arena, names().s);
  float* t = addFloat(grid, arena, names().t);
  const float u01[2] = {info.u0, info.u1}, v01[2] = {info.v0, info.v1};
  patchKernels().parameters(u01, v01, at.u.data(), columns, at.v.data(), rows, u, v);
  // The primitive's own texture coordinates, or those of the graphics state over its unit square.
  for (int c = 0; c < 2; ++c) {
    float* out = c == 0 ? s : t;
    if (copyTexture(c == 0 ? names().s : names().t, 0, face, at, arena, out) ||
        copyTexture(names().st, c, face, at, arena, out))
      continue;
    if (textureFromP()) {
      std::copy_n(grid.find(names().p)->plane(c), columns * rows, out);
      continue;
    }
    const float *const st = variables().st, *const range = variables().range;
    const float corner[4] = {st[c], st[2 + c], st[4 + c], st[6 + c]};
    const float *unitU = u, *unitV = v;
    if (range[0] != 0 || range[1] != 1 || range[2] != 0 || range[3] != 1) {
      unitU = toUnit(u, columns * rows, range[0], range[1], arena);
      unitV = toUnit(v, columns * rows, range[2], range[3], arena);
    }
    patchKernels().bilinearAt(corner, columns * rows, unitU, unitV, out);
  }
}

bool FaceGeometry::copyTexture(Name name, int component, int face, const GridParams& at, Arena& arena,
                               float* out) const {
  for (size_t k = 0; k < primvarData().size(); ++k) {
    const PrimvarData& data = primvarData()[k];
    if (!(data.spec.name == name) || data.spec.type == Type::kString || data.spec.width() <= component) continue;
    VarBlock own(at.points());
    Var& var = own.add(data.spec, arena);
    fillPrimvar(k, face, at, arena, var);
    const float* from = var.data + component * var.stride;
    if (var.uniform)
      std::fill_n(out, at.points(), *from);
    else
      std::copy_n(from, at.points(), out);
    return true;
  }
  return false;
}

void FaceGeometry::derivativesAt(int, float, float, int, Vec3& du, Vec3& dv) const { du = dv = Vec3(); }

Vec3 FaceGeometry::normalInside(int face, float u, float v, int key) const {
  // First without derivatives that are noise beside the other one, then whatever there is.
  for (const double leastRatio : {1e-5, 0.0})
    for (const float f : {0.0f, 0.001f, 0.01f, 0.05f, 0.25f, 0.5f, 0.9f}) {
      Vec3 du, dv;
      derivativesAt(face, lerp(u, 0.5f, f), lerp(v, 0.5f, f), key, du, dv);
      const double a = lengthOf(du), b = lengthOf(dv);
      if (!(a > 0) || !(b > 0) || a < leastRatio * b || b < leastRatio * a) continue;
      const Vec3 n = cross(scaled(du, a), scaled(dv, b));
      if (length(n) > 1e-4f) return normalize(n);
    }
  return {0, 0, 1};
}

void FaceGeometry::repairNormals(int face, const GridParams& at, int key, const SurfacePlanes& out) const {
  const size_t columns = at.u.size();
  for (size_t k = 0; k < columns * at.v.size(); ++k) {
    if (out.ng[0][k] != 0 || out.ng[1][k] != 0 || out.ng[2][k] != 0) continue;
    const Vec3 n = normalInside(face, at.u[k % columns], at.v[k / columns], key);
    for (int c = 0; c < 3; ++c) out.ng[c][k] = n[c];
  }
}

}  // namespace reyes::geom
