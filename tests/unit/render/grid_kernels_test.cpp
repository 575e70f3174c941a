// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/render/grid_kernels.h"
#include "reyes/render/plain_view.h"

using namespace reyes;
using namespace reyes::render;

namespace {
float random(uint64_t seed, float lo, float hi) { return lo + (hi - lo) * toUnitFloat(hashCombine(seed, 1)); }

scene::View view() {
  scene::View v;
  v.projection = scene::ProjectionType::kPerspective;
  v.xResolution = 640, v.yResolution = 480;
  v.near = 0.1f;
  return v;
}

std::vector<Vec3> points(int n, float zLow, uint64_t seed) {
  std::vector<Vec3> p;
  for (int i = 0; i < n; ++i) {
    const uint64_t s = seed * 1000 + static_cast<uint64_t>(i) * 3;
    p.push_back({random(s, -3, 3), random(s + 1, -3, 3), random(s + 2, zLow, 9)});
  }
  return p;
}
}  // namespace

TEST_CASE("every instruction set projects as Projector does, and drops what is behind the eye") {
  const Projector projector(view(), 2, 2);
  for (const Isa isa : supportedIsas())
    for (const int n : {1, 15, 16, 17, 289}) {
      const std::vector<Vec3> p = points(n, -2, static_cast<uint64_t>(n));
      std::vector<float> c[3], r[3];
      for (int k = 0; k < 3; ++k) {
        for (const Vec3 q : p) c[k].push_back(q[k]);
        r[k].resize(static_cast<size_t>(n));
      }
      const float* const from[3] = {c[0].data(), c[1].data(), c[2].data()};
      for (const bool drop : {false, true}) {
        gridKernels(isa).project(projector.numbers(drop), n, from, r[0].data(), r[1].data(), r[2].data());
        int wrong = 0;
        for (size_t i = 0; i < p.size(); ++i) {
          const RasterPoint e = projector.toRaster(p[i]);
          const bool gone = drop && p[i].z < projector.eyeDepth();
          wrong += (gone ? std::isnan(r[0][i]) : r[0][i] == e.x) && r[1][i] == e.y && r[2][i] == e.z ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("boxes leave out what is no number, and moves find it") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const Isa isa : supportedIsas())
    for (const int n : {3, 16, 50}) {
      std::vector<float> x, y, z;
      for (int i = 0; i < n; ++i)
        x.push_back(static_cast<float>(i)), y.push_back(static_cast<float>(-i)), z.push_back(5);
      RasterBound whole;
      CHECK(gridKernels(isa).box(n, x.data(), y.data(), z.data(), whole) == n);
      CHECK(whole.x1 == static_cast<float>(n - 1));
      CHECK(whole.y0 == static_cast<float>(1 - n));
      x[static_cast<size_t>(n - 1)] = nan, z[0] = -inf;
      RasterBound part;
      CHECK(gridKernels(isa).box(n, x.data(), y.data(), z.data(), part) == n - 2);
      CHECK(part.x0 == 1);
      CHECK(part.x1 == static_cast<float>(n - 2));
      CHECK(part.z0 == 5);
      std::vector<float> moved = y;
      moved[static_cast<size_t>(n / 2)] += 7;
      bool finite = true;
      CHECK(gridKernels(isa).largestMove(n, y.data(), moved.data(), finite) == 7);
      CHECK(finite);
      moved[1] = nan;
      gridKernels(isa).largestMove(n, y.data(), moved.data(), finite);
      CHECK(!finite);
    }
}

TEST_CASE("in plain view lengths are those of the projector, bit for bit") {
  const Projector projector(view(), 2, 2);
  int plain = 0;
  for (uint64_t round = 0; round < 500; ++round) {
    const std::vector<Vec3> p = points(5, round % 2 == 0 ? 2.0f : -1.0f, round);
    float x[5], y[5];
    if (!projectPlain(projector, p.data(), 5, x, y)) continue;
    ++plain;
    for (size_t i = 0; i < 4; ++i) {
      float whole = 0;
      const float l = projector.rasterLength(p[i], p[i + 1], &whole);
      CHECK(plainLength(x[i], y[i], x[i + 1], y[i + 1]) == l);
      CHECK(whole == l);
    }
  }
  CHECK(plain > 50);
}
