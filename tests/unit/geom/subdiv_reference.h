// SPDX-License-Identifier: Apache-2.0
// The limit of a subdivision surface by OpenSubdiv's own evaluation, for tests.
#pragma once

#include <opensubdiv/bfr/refinerSurfaceFactory.h>
#include <opensubdiv/bfr/surface.h>
#include <opensubdiv/far/topologyDescriptor.h>

#include <algorithm>
#include <memory>

#include "geom_check.h"
#include "reyes/geom/patch_set.h"
#include "subdiv_shapes.h"

namespace reyes::geom::test {

/// Greatest distance between a surface and OpenSubdiv's own limit evaluation, over 9 x 9 places a face.
inline float distanceToReference(const Geometry& g, const SubdivShape& m) {
  namespace Far = OpenSubdiv::Far;
  namespace Bfr = OpenSubdiv::Bfr;
  const bool loop = m.scheme == "loop";
  Far::TopologyDescriptor d;
  d.numVertices = m.vertices(), d.numFaces = static_cast<int>(m.counts.size());
  d.numVertsPerFace = m.counts.data(), d.vertIndicesPerFace = m.ids.data();
  d.numCreases = static_cast<int>(m.creaseSharpness.size());
  d.creaseVertexIndexPairs = m.creases.data(), d.creaseWeights = m.creaseSharpness.data();
  d.numCorners = static_cast<int>(m.corners.size());
  d.cornerVertexIndices = m.corners.data(), d.cornerWeights = m.cornerSharpness.data();
  d.numHoles = static_cast<int>(m.holes.size()), d.holeIndices = m.holes.data();
  OpenSubdiv::Sdc::Options o;
  o.SetVtxBoundaryInterpolation(OpenSubdiv::Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
  using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
  const std::unique_ptr<Far::TopologyRefiner> refiner(
      Factory::Create(d, Factory::Options(loop ? OpenSubdiv::Sdc::SCHEME_LOOP : OpenSubdiv::Sdc::SCHEME_CATMARK, o)));
  Bfr::SurfaceFactory::Options options;
  options.SetApproxLevelSmooth(10);
  options.SetApproxLevelSharp(10);
  const Bfr::RefinerSurfaceFactory<> factory(*refiner, options);
  float worst = 0;
  int face = 0;
  for (size_t f = 0; f < m.counts.size(); ++f) {
    if (std::find(m.holes.begin(), m.holes.end(), static_cast<int>(f)) != m.holes.end()) continue;
    const int n = m.counts[f];
    const std::unique_ptr<Bfr::Surface<float>> s(factory.CreateVertexSurface<float>(static_cast<int>(f)));
    std::vector<float> points(3 * static_cast<size_t>(s->GetNumPatchPoints()));
    s->PreparePatchPoints(m.p.data(), 3, points.data(), 3);
    for (int sub = 0; sub < (n == 4 ? 1 : n); ++sub, ++face)
      for (int k = 0; k < 81; ++k) {
        const Vec2 uv{static_cast<float>(k % 9) / 8.0f, static_cast<float>(k / 9) / 8.0f};
        float at[2] = {uv.x, uv.y}, p[3];
        if (loop) {
          const TrianglePlace place = trianglePlace(sub, uv.x, uv.y);
          at[0] = place.s, at[1] = place.t;
        } else if (n != 4) {
          s->GetParameterization().ConvertNormalizedSubFaceToCoord(sub, at, at);
        }
        s->Evaluate(at, points.data(), 3, p);
        Vec3 mine;
        g.pointsAt(face, {&uv, 1}, 0, &mine);
        worst = std::max(worst, distance(mine, {p[0], p[1], p[2]}));
      }
  }
  return worst;
}

}  // namespace reyes::geom::test
