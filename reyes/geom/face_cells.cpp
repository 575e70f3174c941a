// SPDX-License-Identifier: Apache-2.0
// FaceGeometry::dice() of cells: the corners of many small faces as one grid. Everything is what a grid of one
// micropolygon a face has at its four points, corner by corner.
#include <algorithm>

#include "reyes/geom/face_geometry.h"
#include "reyes/geom/patch_kernels.h"
#include "reyes/geom/standard_vars.h"

namespace reyes::geom {
void FaceGeometry::diceCells(const DiceRequest& request, VarBlock& grid, Arena& arena) const {
  SurfacePlanes out;
  addTriple(grid, arena, names().p, Type::kPoint, out.p);
  if (request.positionsOnly) return cellSurface(request.cells, request.key, out);
  addTriple(grid, arena, names().du, Type::kVector, out.du);
  addTriple(grid, arena, names().dv, Type::kVector, out.dv);
  addTriple(grid, arena, names().ng, Type::kNormal, out.ng);
  cellSurface(request.cells, request.key, out);
  addCellParameters(request.cells, grid, arena);
  for (const Name name : request.primvars) {
    if (grid.find(name)) continue;
    for (size_t k = 0; k < primvarData().size(); ++k) {
      if (!(primvarData()[k].spec.name == name)) continue;
      // Faces have values of their own: varying, whatever it is in the scene file.
      VarSpec spec = primvarData()[k].spec;
      if (spec.storage != Storage::kConstant) spec.storage = Storage::kVarying;
      fillCells(k, request.cells, grid.add(spec, arena));
    }
  }
}

void FaceGeometry::fillCells(size_t primvar, std::span<const uint32_t> cells, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  if (var.uniform) return fillUniform(data, 0, var);
  const size_t n = cells.size(), width = static_cast<size_t>(data.spec.width());
  const Storage storage = data.spec.storage;
  for (size_t i = 0; i < n; ++i) {
    const FaceInfo info = faceInfo(static_cast<int>(cells[i]));
    const bool corners = storage == Storage::kVarying || storage == Storage::kVertex;
    for (size_t k = 0; k < 4; ++k) {
      const int item = storage == Storage::kUniform ? info.uniform : corners ? info.varying[k] : info.faceVarying[k];
      const float* from = &data.values[static_cast<size_t>(item) * width];
      for (size_t c = 0; c < width; ++c) var.data[c * static_cast<size_t>(var.stride) + k * n + i] = from[c];
    }
  }
}

void FaceGeometry::addCellParameters(std::span<const uint32_t> cells, VarBlock& grid, Arena& arena) const {
  const size_t n = cells.size();
  float* u = addFloat(grid, arena, names().u);
  float* v = addFloat(grid, arena, names().v);
  float* s = addFloat(grid, arena, names().s);
  float* t = addFloat(grid, arena, names().t);
  for (size_t i = 0; i < n; ++i) {
    const FaceInfo info = faceInfo(static_cast<int>(cells[i]));
    u[i] = u[2 * n + i] = info.u0, u[n + i] = u[3 * n + i] = info.u1;
    v[i] = v[n + i] = info.v0, v[2 * n + i] = v[3 * n + i] = info.v1;
  }
  // As addParameters().
  for (int c = 0; c < 2; ++c) {
    float* out = c == 0 ? s : t;
    if (copyCellTexture(c == 0 ? names().s : names().t, 0, cells, grid, arena, out) ||
        copyCellTexture(names().st, c, cells, grid, arena, out))
      continue;
    if (textureFromP()) {
      std::copy_n(grid.find(names().p)->plane(c), 4 * n, out);
      continue;
    }
    const float* st = variables().st;
    const float corner[4] = {st[c], st[2 + c], st[4 + c], st[6 + c]};
    patchKernels().bilinearAt(corner, static_cast<int>(4 * n), u, v, out);
  }
}

bool FaceGeometry::copyCellTexture(Name name, int component, std::span<const uint32_t> cells, const VarBlock& grid,
                                   Arena& arena, float* out) const {
  for (size_t k = 0; k < primvarData().size(); ++k) {
    VarSpec spec = primvarData()[k].spec;
    if (!(spec.name == name) || spec.type == Type::kString || spec.width() <= component) continue;
    if (spec.storage != Storage::kConstant) spec.storage = Storage::kVarying;
    VarBlock own(grid.points());
    Var& var = own.add(spec, arena);
    fillCells(k, cells, var);
    const float* from = var.data + component * var.stride;
    if (var.uniform)
      std::fill_n(out, grid.points(), *from);
    else
      std::copy_n(from, grid.points(), out);
    return true;
  }
  return false;
}

}  // namespace reyes::geom
