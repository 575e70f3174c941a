// SPDX-License-Identifier: Apache-2.0
// Checks that every kind of geometry must pass, and helpers to make input; used by the tests of geom/.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "reyes/geom/factory.h"

namespace reyes::geom::test {

inline Param param(const char* declaration, std::vector<float> values) {
  Param p;
  p.spec = *parseDeclaration(declaration);
  p.floats = std::move(values);
  return p;
}
inline ParamList list(std::vector<Param> params) {
  ParamList l;
  for (Param& p : params) l.add(std::move(p));
  return l;
}
inline ParamList points(std::vector<float> values) { return list({param("vertex point P", std::move(values))}); }

struct Made {
  Diagnostics diag;
  Context context;
  Made() {
    diag.setPrinter({});
    context.diag = &diag;
    namedBasis("bezier", context.uBasis, context.uStep);
    namedBasis("bezier", context.vBasis, context.vStep);
  }
};

/// A diced grid that owns its memory.
struct Grid {
  Arena arena;
  VarBlock vars;
  int nu, nv;
  Grid(const Geometry& g, int face, UvRect rect, int nu_, int nv_, std::vector<Name> names = {}, int key = 0)
      : vars((nu_ + 1) * (nv_ + 1)), nu(nu_), nv(nv_) {
    DiceRequest request;
    request.face = face, request.rect = rect, request.nu = nu, request.nv = nv, request.key = key;
    request.primvars = names;
    g.dice(request, vars, arena);
  }
  Vec3 triple(const char* name, int i, int j) const {
    const Var* v = vars.find(name);
    const int k = v->uniform ? 0 : j * (nu + 1) + i;
    return {v->plane(0)[k], v->plane(1)[k], v->plane(2)[k]};
  }
  float value(const char* name, int i, int j, int component = 0) const {
    const Var* v = vars.find(name);
    const float* plane = v->data + static_cast<size_t>(component) * static_cast<size_t>(v->stride);
    return plane[v->uniform ? 0 : j * (nu + 1) + i];
  }
};

inline bool sameBits(Vec3 a, Vec3 b) { return std::memcmp(&a, &b, sizeof a) == 0; }
inline float distance(Vec3 a, Vec3 b) { return length(a - b); }
inline bool inside(const Bound3& b, Vec3 p) {
  return p.x >= b.min.x && p.y >= b.min.y && p.z >= b.min.z && p.x <= b.max.x && p.y <= b.max.y && p.z <= b.max.z;
}

/// Every diced and every edge point lies in the bound of its rectangle; whole faces in the bound of their range.
inline void checkBounds(const Geometry& g, int facesToTry = 40) {
  std::mt19937 random(7);
  const auto pick = [&] { return static_cast<float>(random() % 65) / 64.0f; };
  for (int n = 0; n < facesToTry; ++n)
    for (int key = 0; key < g.keyCount(); ++key) {
      const int face = static_cast<int>(random() % static_cast<unsigned>(g.faceCount()));
      float a = pick(), b = pick(), c = pick(), d = pick();
      if (a > b) std::swap(a, b);
      if (c > d) std::swap(c, d);
      if (n % 4 == 0) a = c = 0, b = d = 1;
      const UvRect rect{a, b, c, d};
      const Bound3 bound = g.bound(face, rect, key), range = g.bound(face, face + 1, key);
      const Bound3 all = g.bound(0, g.faceCount(), key);
      const Grid grid(g, face, rect, 5, 4, {}, key);
      int outside = 0;
      for (int j = 0; j <= 4; ++j)
        for (int i = 0; i <= 5; ++i) {
          const Vec3 p = grid.triple("P", i, j);
          if (!inside(bound, p) || !inside(range, p) || !inside(all, p)) ++outside;
        }
      CHECK(outside == 0);
      for (const Side side : {Side::kV0, Side::kU1, Side::kV1, Side::kU0}) {
        const FaceEdge e = g.edge(face, side);
        float t[3] = {lerp(e.t0, e.t1, 0.0f), lerp(e.t0, e.t1, 0.3125f), lerp(e.t0, e.t1, 1.0f)};
        Vec3 p[3];
        g.edgePoints(face, side, t, key, p);
        for (const Vec3& q : p) CHECK(inside(range, q));
      }
    }
}

/// Each side agrees with its edge's owner, bit for bit along and at the ends, and closely with the grid; vertices of
/// equal id are one point; pointsAt() gives the bits of dice(); normals are finite unit vectors along dPdu x dPdv.
inline void checkFaces(const Geometry& g, float tolerance, int mostFaces = 400) {
  std::map<uint64_t, Vec3> vertexPlace;
  const int faces = std::min(g.faceCount(), mostFaces), n = 8;
  for (int key = 0; key < g.keyCount(); ++key) {
    vertexPlace.clear();
    for (int face = 0; face < faces; ++face) {
      const Grid grid(g, face, {}, n, n, {}, key);
      Vec3 corner[4];
      for (const Side side : {Side::kV0, Side::kV1, Side::kU0, Side::kU1}) {
        const FaceEdge e = g.edge(face, side);
        float t[9];
        for (int i = 0; i <= n; ++i) t[i] = e.t0 + (e.t1 - e.t0) * static_cast<float>(i) / static_cast<float>(n);
        Vec3 mine[9], owners[9];
        g.edgePoints(face, side, t, key, mine);
        g.edgePoints(e.ownerFace, e.ownerSide, t, key, owners);
        const FaceEdge owner = g.edge(e.ownerFace, e.ownerSide);
        CHECK(owner.id == e.id);
        CHECK(owner.t0 == e.ownerT0);
        CHECK(owner.t1 == e.ownerT1);
        for (int i = 0; i <= n; ++i) {
          CHECK(sameBits(mine[i], owners[i]));
          if (e.point) CHECK(sameBits(mine[i], mine[0]));
          const bool alongU = side == Side::kV0 || side == Side::kV1;
          const int fixed = side == Side::kV1 || side == Side::kU1 ? n : 0;
          CHECK(distance(mine[i], alongU ? grid.triple("P", i, fixed) : grid.triple("P", fixed, i)) <= tolerance);
        }
        if (side == Side::kV0 || side == Side::kV1) {
          corner[side == Side::kV0 ? 0 : 2] = mine[0];
          corner[side == Side::kV0 ? 1 : 3] = mine[n];
        } else {
          const int right = side == Side::kU1;
          CHECK(sameBits(corner[right], mine[0]));
          CHECK(sameBits(corner[2 + right], mine[n]));
        }
      }
      for (int k = 0; k < 4; ++k) {
        const FaceVertex v = g.vertex(face, k);
        CHECK(v.ownerFace <= face);
        CHECK(g.vertex(v.ownerFace, v.ownerCorner).id == v.id);
        const auto [it, fresh] = vertexPlace.emplace(v.id, corner[k]);
        if (!fresh) CHECK(sameBits(it->second, corner[k]));
      }
      int wrong = 0, badNormals = 0;
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
          const Vec2 uv{static_cast<float>(i) / static_cast<float>(n), static_cast<float>(j) / static_cast<float>(n)};
          Vec3 p;
          g.pointsAt(face, {&uv, 1}, key, &p);
          if (!sameBits(p, grid.triple("P", i, j))) ++wrong;
          const Vec3 ng = grid.triple("Ng", i, j), c = cross(grid.triple("dPdu", i, j), grid.triple("dPdv", i, j));
          if (!isFinite(ng) || std::abs(length(ng) - 1) > 1e-4f) ++badNormals;
          if (length(c) > 1e-3f && dot(normalize(c), ng) < 0.999f) ++badNormals;
        }
      CHECK(wrong == 0);
      CHECK(badNormals == 0);
    }
  }
}

/// A part of a face, diced, has the bits of the whole face at the same parameters.
inline void checkParts(const Geometry& g, int face, std::vector<Name> names = {}) {
  const Grid whole(g, face, {}, 16, 16, names), part(g, face, {0.25f, 0.75f, 0.5f, 1}, 8, 8, names);
  int wrong = 0;
  for (const Var& v : part.vars.all()) {
    if (v.uniform) continue;
    for (int j = 0; j <= 8; ++j)
      for (int i = 0; i <= 8; ++i)
        for (int c = 0; c < v.spec.width(); ++c) {
          const float a = part.value(v.spec.name.c_str(), i, j, c),
                      b = whole.value(v.spec.name.c_str(), i + 4, j + 8, c);
          if (std::memcmp(&a, &b, 4) != 0) ++wrong;
        }
  }
  CHECK(wrong == 0);
}

/// Faces at each edge that is not a point: 2 everywhere on a closed surface.
inline std::map<uint64_t, int> edgeUses(const Geometry& g) {
  std::map<uint64_t, int> uses;
  for (int f = 0; f < g.faceCount(); ++f)
    for (const Side side : {Side::kV0, Side::kU1, Side::kV1, Side::kU0}) {
      const FaceEdge e = g.edge(f, side);
      if (!e.point) ++uses[e.id];
    }
  return uses;
}

}  // namespace reyes::geom::test
