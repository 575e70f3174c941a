// SPDX-License-Identifier: Apache-2.0
// A Blobby: quads of BlobbyMesh, each point of which is brought onto the surface along a direction between those of its
// corners, so that the surface is as smooth as the field at any zoom. Made by makeBlobby().
#pragma once

#include <memory>
#include <vector>

#include "reyes/geom/blobby_field.h"
#include "reyes/geom/blobby_mesh.h"
#include "reyes/geom/edge_table.h"
#include "reyes/geom/face_geometry.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// The shape at one motion key; all keys have the quads of the first.
struct BlobbyKey {
  BlobbyField field;
  std::vector<Vec3> points, directions;  ///< a vertex; directions point outwards
};

/// What the leaves of fields point to.
using Planes = std::vector<std::shared_ptr<const DepthPlane>>;

inline Double3 mix(Double3 a, Double3 b, double t) { return a * (1 - t) + b * t; }

/// Bilinear between the four corners of a quad, with its derivatives.
struct QuadPlace {
  Double3 p, u, v;
  QuadPlace(const std::vector<Vec3>& values, const std::array<int, 4>& quad, double s, double t) {
    Double3 c[4];
    for (size_t k = 0; k < 4; ++k) c[k] = toDouble(values[static_cast<size_t>(quad[k])]);
    p = mix(mix(c[0], c[1], s), mix(c[2], c[3], s), t);
    u = mix(c[1] - c[0], c[3] - c[2], t);
    v = mix(c[2] - c[0], c[3] - c[1], s);
  }
};

class BlobbyGeometry final : public FaceGeometry {
 public:
  /// `primvars`: class vertex (or varying) has one item a leaf.
  BlobbyGeometry(std::vector<std::array<int, 4>> quads, double cell, std::vector<BlobbyKey> keys,
                 std::vector<PrimvarData> primvars, const float st[8], Planes planes = {});

  int faceCount() const override { return static_cast<int>(quads_.size()); }
  int keyCount() const override { return static_cast<int>(keys_.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override { return edges_.edge(face, side); }
  FaceVertex vertex(int face, int corner) const override { return edges_.vertex(face, corner); }
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int) const override { return {}; }
  void fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void fillVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void fillFaceVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;

 private:
  /// Where a ray from q along d meets the surface.
  struct Hit {
    double t = 0;
    Double3 p, gradient;
    bool found = true;
  };
  struct Nearly {
    double part = 1e-10;  ///< of the reach: a hit's error
  };
  Hit meet(const BlobbyField& field, Double3 q, Double3 d, Nearly nearly) const;
  /// The same, but p lies only a part of the way: at q where `firm` is 0.
  Hit meet(const BlobbyField& field, Double3 q, Double3 d, double firm) const;
  /// firm_ between the corners, with its derivatives; 1 where all are firm.
  struct Firm {
    double w = 1, u = 0, v = 0;
  };
  Firm firmAt(const std::array<int, 4>& quad, double s, double t) const;
  const BlobbyField& fieldOf(int face, int key) const {
    const size_t k = static_cast<size_t>(key);
    return *fields_[k][static_cast<size_t>(fieldOfFace_[k][static_cast<size_t>(face)])];
  }
  void makeFields(size_t key);
  struct Probe {
    Double3 p;
    bool found = true, steep = true;
  };
  /// Of corners, by vertex, and of the middles of sides, by edge.
  struct Probes {
    std::vector<Probe> corners, middles;
    std::vector<uint8_t> known;  ///< a corner
  };
  Probe probe(int face, size_t key, double u, double v) const;
  void probeNine(int face, size_t key, Probes& shared, Probe nine[9]) const;
  bool jumps(int face, size_t key, std::span<const Probe> probes, int n) const;
  /// Whether the rays of a face meet the surface at places that jump; `points` are the middles' and corners'.
  bool torn(int face, size_t key, Probes& shared, Vec3* points) const;
  void measureAll();
  void measure(int face, size_t key, const Vec3* nine);
  Bound3 around(int face, int key, const Vec3 corners[4], float part) const;

  std::vector<std::array<int, 4>> quads_;
  double reach_;  ///< rays are followed so far
  Planes planes_;
  std::vector<BlobbyKey> keys_;
  std::vector<std::vector<std::unique_ptr<BlobbyField>>> fields_;  ///< a key: fields near blocks of faces
  std::vector<std::vector<int>> fieldOfFace_;                      ///< a key, a face
  std::vector<std::vector<float>> bend_;  ///< a key, a face: how far its points leave the quad of its corners
  /// A vertex: 0 where a face around it is torn; empty: 1 everywhere. Torn faces are their quads, those beside them go
  /// over to the surface, so that all stay continuous.
  std::vector<uint8_t> firm_;
  std::vector<std::vector<Bound3>> bounds_;  ///< a key, a face
  EdgeTable edges_;
  std::vector<RangeBounds> ranges_;  ///< a key
};

}  // namespace reyes::geom
