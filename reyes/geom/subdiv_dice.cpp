// SPDX-License-Identifier: Apache-2.0
// The dicing half of SubdivGeometry: points, derivatives, and primvars of every class.
#include <algorithm>
#include <cmath>

#include "reyes/geom/patch_kernels.h"
#include "reyes/geom/subdiv.h"

namespace reyes::geom {

void SubdivGeometry::surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  const bool derivatives = out.du[0] != nullptr;
  const float* values = data_.positions[static_cast<size_t>(key)].data();
  topology_.sets[0].evaluate(face, at, values, 3, 0, 3, arena, out.p, derivatives ? out.du : nullptr,
                             derivatives ? out.dv : nullptr);
  if (!derivatives) return;
  // The size of the face brings derivatives near 1; it is the face's, whatever part is diced.
  const Bound3 box = bound(face, UvRect(), key);
  const float size = std::max({box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z});
  const float near = size > 0 ? 1 / size : 0.0f;
  if (patchKernels().normals(at.points(), out.du, out.dv, near, near, out.ng) > 0) repairNormals(face, at, key, out);
}

FaceInfo SubdivGeometry::faceInfo(int face) const {
  FaceInfo info;
  info.uniform = topology_.mesh.sourceFace[static_cast<size_t>(topology_.faces[static_cast<size_t>(face)][0])];
  return info;
}

void SubdivGeometry::fillSmooth(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  const SmoothPrimvar& smooth = data_.smooth[primvar];
  const int width = primvarData()[primvar].spec.width();
  const std::span<float*> planes = arena.make<float*>(static_cast<size_t>(width));
  for (int c = 0; c < width; ++c)
    planes[static_cast<size_t>(c)] = var.data + static_cast<size_t>(c) * static_cast<size_t>(var.stride);
  topology_.sets[static_cast<size_t>(smooth.patchSet)].evaluate(face, at, smooth.values.data(), width, 0, width, arena,
                                                                planes.data(), nullptr, nullptr);
}

void SubdivGeometry::fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  if (data_.smooth[primvar].patchSet >= 0 && !var.uniform) return fillSmooth(primvar, face, at, arena, var);
  SubdivGeometry::fillVarying(primvar, face, at, arena, var);
}

/// Four items at the corners of a face: those of a quad, or a corner's, two means of neighbours and the mean of all.
void SubdivGeometry::cornerItems(int face, const std::function<int(int corner)>& item, const PrimvarData& from,
                                 PrimvarData& out) const {
  const auto [control, corner] = topology_.faces[static_cast<size_t>(face)];
  const int count = topology_.mesh.size(control);
  out.spec = from.spec;
  out.items = 4;
  const size_t width = static_cast<size_t>(from.spec.width());
  out.values.assign(4 * width, 0);
  const auto add = [&](size_t place, int k, float weight) {
    const size_t source = static_cast<size_t>(item(k % count)) * width;
    for (size_t c = 0; c < width; ++c) out.values[place * width + c] += from.values[source + c] * weight;
  };
  if (corner < 0) {
    for (int k = 0; k < 4; ++k) add(k < 2 ? static_cast<size_t>(k) : static_cast<size_t>(5 - k), k, 1);
    return;
  }
  add(0, corner, 1);
  add(1, corner, 0.5f), add(1, corner + 1, 0.5f);
  add(2, corner, 0.5f), add(2, corner + count - 1, 0.5f);
  for (int k = 0; k < count; ++k) add(3, k, 1 / static_cast<float>(count));
}

void SubdivGeometry::fillVarying(size_t primvar, int face, const GridParams& at, Arena&, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  const int control = topology_.faces[static_cast<size_t>(face)][0],
            corner = std::max(0, topology_.faces[static_cast<size_t>(face)][1]);
  if (var.uniform) return fillUniform(data, static_cast<size_t>(topology_.mesh.vertex(control, corner)), var);
  PrimvarData four;
  cornerItems(
      face, [&](int k) { return topology_.mesh.vertex(control, k); }, data, four);
  constexpr int kCorners[4] = {0, 1, 2, 3};
  fillFromCorners(four, kCorners, at.u, at.v, var);
}

void SubdivGeometry::fillFaceVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  const int control = topology_.faces[static_cast<size_t>(face)][0],
            corner = std::max(0, topology_.faces[static_cast<size_t>(face)][1]);
  const int first = topology_.mesh.sourceCorner[static_cast<size_t>(control)];
  if (var.uniform) return fillUniform(data, static_cast<size_t>(first + corner), var);
  if (data_.smooth[primvar].patchSet >= 0) return fillSmooth(primvar, face, at, arena, var);
  PrimvarData four;
  cornerItems(
      face, [&](int k) { return first + k; }, data, four);
  constexpr int kCorners[4] = {0, 1, 2, 3};
  fillFromCorners(four, kCorners, at.u, at.v, var);
}

}  // namespace reyes::geom
