// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/subdiv_patches.h"

#include <cmath>
#include <map>

namespace reyes::geom {
namespace {

/// Bezier values of a Loop patch in terms of its 12 points: solved from the patch at the 15 places of a quartic's net.
std::array<float, 15 * 12> quarticMatrix(const Far::PatchTable& table, const Far::PatchTable::PatchHandle& handle,
                                         const Far::PatchParam& param, int channel) {
  // Bernstein weights at the net's places, and beside them the patch's.
  double m[15][15 + 12] = {};
  int row = 0;
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4 - j; ++i, ++row) {
      double s = i / 4.0, t = j / 4.0;
      const double r = 1 - s - t;
      int column = 0;
      for (int b = 0; b <= 4; ++b)
        for (int a = 0; a <= 4 - b; ++a, ++column) {
          constexpr double kFactorial[5] = {1, 1, 2, 6, 24};
          const int c = 4 - a - b;
          m[row][column] =
              24 / (kFactorial[a] * kFactorial[b] * kFactorial[c]) * std::pow(s, a) * std::pow(t, b) * std::pow(r, c);
        }
      param.UnnormalizeTriangle(s, t);
      if (channel < 0)
        table.EvaluateBasis(handle, s, t, &m[row][15]);
      else
        table.EvaluateBasisFaceVarying(handle, s, t, &m[row][15], nullptr, nullptr, nullptr, nullptr, nullptr, channel);
    }
  // Gauss and Jordan, with pivots.
  for (int k = 0; k < 15; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 15; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    std::swap(m[k], m[pivot]);
    for (int i = 0; i < 15; ++i) {
      const double f = m[i][k] / m[k][k];
      for (int c = k; i != k && c < 27; ++c) m[i][c] -= f * m[k][c];
    }
  }
  std::array<float, 15 * 12> out;
  for (size_t i = 0; i < 15; ++i)
    for (size_t c = 0; c < 12; ++c) out[i * 12 + c] = static_cast<float>(m[i][15 + c] / m[i][i]);
  return out;
}

/// A patch of the table (`before`: how many are in earlier arrays) as a SubPatch of `set`, its indices and matrix put
/// there.
SubPatch makePatch(const Far::PatchTable& table, int channel, int array, int patch, int before, PatchSet& set,
                   std::map<int, uint8_t>& matrices) {
  const Far::PatchParam where = table.GetPatchParam(array, patch);
  const Far::PatchParam param = channel < 0 ? where : table.GetPatchFVarPatchParam(array, patch, channel);
  const Far::ConstIndexArray cvs =
      channel < 0 ? table.GetPatchVertices(array, patch) : table.GetPatchFVarValues(array, patch, channel);
  const Far::PatchDescriptor::Type type = table.GetPatchArrayDescriptor(array).GetType();
  const bool triangle = type == Far::PatchDescriptor::LOOP || type == Far::PatchDescriptor::GREGORY_TRIANGLE;
  const bool gregory =
      channel < 0 ? type == Far::PatchDescriptor::GREGORY_BASIS || type == Far::PatchDescriptor::GREGORY_TRIANGLE
                  : !param.IsRegular();
  SubPatch s;
  s.first = static_cast<uint32_t>(set.indices.size());
  s.size = where.GetParamFraction();
  s.u0 = static_cast<float>(where.GetU()) * s.size, s.v0 = static_cast<float>(where.GetV()) * s.size;
  s.kind = triangle ? (gregory ? PatchKind::kGregoryTriangle : PatchKind::kTriangle)
                    : (gregory ? PatchKind::kGregory : PatchKind::kSpline);
  s.boundary = static_cast<uint8_t>(param.GetBoundary());
  if (triangle && where.IsTriangleRotated()) {
    const float across = static_cast<float>(1 << where.GetDepth());
    s.u0 = (across - static_cast<float>(where.GetU())) * s.size;
    s.v0 = (across - static_cast<float>(where.GetV())) * s.size;
    s.size = -s.size;
  }
  if (s.kind == PatchKind::kTriangle) {
    const auto [at, fresh] = matrices.emplace(param.GetBoundary(), static_cast<uint8_t>(set.toQuartic.size()));
    Far::PatchTable::PatchHandle handle;
    handle.arrayIndex = array, handle.patchIndex = before + patch;
    handle.vertIndex = patch * table.GetPatchArrayDescriptor(array).GetNumControlVertices();
    if (fresh) set.toQuartic.push_back(quarticMatrix(table, handle, where, channel));
    s.matrix = at->second;
  }
  const int points = s.kind == PatchKind::kSpline     ? 16
                     : s.kind == PatchKind::kGregory  ? 20
                     : s.kind == PatchKind::kTriangle ? 12
                                                      : 18;
  for (int k = 0; k < points; ++k) set.indices.push_back(cvs[k]);
  return s;
}

}  // namespace

PatchSet collectPatches(const Far::PatchTable& table, int channel, const std::vector<int>& faceOfPtex, int perPtex,
                        int faces) {
  PatchSet set;
  set.faceFirst.assign(static_cast<size_t>(faces) + 1, 0);
  const auto forEach = [&](auto&& visit) {
    for (int array = 0, before = 0; array < table.GetNumPatchArrays(); before += table.GetNumPatches(array), ++array)
      for (int patch = 0; patch < table.GetNumPatches(array); ++patch) {
        const int face = faceOfPtex[static_cast<size_t>(table.GetPatchParam(array, patch).GetFaceId())];
        if (face >= 0) visit(array, patch, before, static_cast<size_t>(face));
      }
  };
  const size_t copies = static_cast<size_t>(perPtex);
  forEach([&](int, int, int, size_t face) {
    for (size_t k = 0; k < copies; ++k) ++set.faceFirst[face + k + 1];
  });
  for (size_t f = 1; f < set.faceFirst.size(); ++f) set.faceFirst[f] += set.faceFirst[f - 1];
  std::vector<uint32_t> fill(set.faceFirst.begin(), set.faceFirst.end() - 1);
  set.patches.resize(set.faceFirst.back());
  std::map<int, uint8_t> matrices;
  forEach([&](int array, int patch, int before, size_t face) {
    const SubPatch s = makePatch(table, channel, array, patch, before, set, matrices);
    for (size_t k = 0; k < copies; ++k) set.patches[fill[face + k]++] = s;
  });
  for (int f = 0; perPtex == 3 && f < faces; ++f) set.corner.push_back(static_cast<uint8_t>(f % 3));
  return set;
}

PatchSet bilinearPatches(const SubdivTopology& topology) {
  const ControlMesh& mesh = topology.mesh;
  PatchSet set;
  set.faceFirst.push_back(0);
  for (const auto& [f, corner] : topology.faces) {
    SubPatch s;
    s.first = static_cast<uint32_t>(set.indices.size());
    s.kind = PatchKind::kBilinear;
    set.patches.push_back(s);
    set.faceFirst.push_back(static_cast<uint32_t>(set.patches.size()));
    if (corner < 0)
      set.indices.insert(set.indices.end(),
                         {mesh.vertex(f, 0), mesh.vertex(f, 1), mesh.vertex(f, 3), mesh.vertex(f, 2)});
    else
      set.indices.insert(set.indices.end(), {mesh.vertex(f, corner), mesh.vertexCount + mesh.edge(f, corner),
                                             mesh.vertexCount + mesh.edge(f, corner + mesh.size(f) - 1),
                                             mesh.vertexCount + mesh.edgeCount + f});
  }
  return set;
}

}  // namespace reyes::geom
