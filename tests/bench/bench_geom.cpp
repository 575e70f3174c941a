// SPDX-License-Identifier: Apache-2.0
// Speed of dicing, in ratios to a hand-written AVX2 loop of the same run. Lines: name value unit reference ratio.
// dice.bicubic: P, dPdu, dPdv of a bicubic patch on grids of 16 x 16. dice.bicubic.grid: all of dice(), with Ng u v s
// t. dice.subdivision: the same of regular faces of a subdivision surface; its reference is dice.bicubic.grid over 1.3,
// the slowest that they may be. geom.*: making and bounding meshes.
#include <immintrin.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "reyes/geom/factory.h"
#include "reyes/geom/patch_kernels.h"

using namespace reyes;
using namespace reyes::geom;

namespace {

constexpr int kSide = 17, kPoints = kSide * kSide;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Best of several timed runs, seconds.
template <class F>
double best(F&& f, double budget = 0.4) {
  double least = 1e30;
  for (const double end = now() + budget; now() < end;) {
    const double t = now();
    f();
    least = std::min(least, now() - t);
  }
  return least;
}

void line(const char* name, double value, const char* unit, double reference) {
  std::printf("%s %.4g %s %.4g %.3f\n", name, value, unit, reference, reference > 0 ? value / reference : 0);
}

void bernsteinAt(float u, float b[4], float d[3]) {
  const float w = 1 - u;
  b[0] = w * w * w, b[1] = 3 * u * w * w, b[2] = 3 * u * u * w, b[3] = u * u * u;
  d[0] = 3 * w * w, d[1] = 6 * u * w, d[2] = 3 * u * u;
}

/// What one would write by hand: weights of 24 columns, v collapsed a row, eight columns at a time.
__attribute__((target("avx2,fma"))) void handDice(const float cv[3][16], float* const p[3], float* const du[3],
                                                  float* const dv[3]) {
  alignas(32) float b[4][24], d[3][24];
  for (int i = 0; i < 24; ++i) {
    float bi[4], di[3];
    bernsteinAt(static_cast<float>(i) / 16.0f, bi, di);
    for (int k = 0; k < 4; ++k) b[k][i] = bi[k];
    for (int k = 0; k < 3; ++k) d[k][i] = di[k];
  }
  for (int j = 0; j < kSide; ++j) {
    float bv[4], dw[3];
    bernsteinAt(static_cast<float>(j) / 16.0f, bv, dw);
    for (int c = 0; c < 3; ++c) {
      __m256 q[4], r[4], e[3];
      for (int k = 0; k < 4; ++k) {
        const float* s = cv[c] + k;
        q[k] = _mm256_set1_ps(s[0] * bv[0] + s[4] * bv[1] + s[8] * bv[2] + s[12] * bv[3]);
        r[k] = _mm256_set1_ps((s[4] - s[0]) * dw[0] + (s[8] - s[4]) * dw[1] + (s[12] - s[8]) * dw[2]);
      }
      for (int k = 0; k < 3; ++k) e[k] = _mm256_sub_ps(q[k + 1], q[k]);
      for (int i = 0; i < 24; i += 8) {
        const __m256 b0 = _mm256_load_ps(b[0] + i), b1 = _mm256_load_ps(b[1] + i), b2 = _mm256_load_ps(b[2] + i),
                     b3 = _mm256_load_ps(b[3] + i);
        const auto sum = [&](const __m256 x[4]) __attribute__((target("avx2,fma"))) {
          return _mm256_fmadd_ps(x[3], b3,
                                 _mm256_fmadd_ps(x[2], b2, _mm256_fmadd_ps(x[1], b1, _mm256_mul_ps(x[0], b0))));
        };
        const __m256 slope = _mm256_fmadd_ps(
            e[2], _mm256_load_ps(d[2] + i),
            _mm256_fmadd_ps(e[1], _mm256_load_ps(d[1] + i), _mm256_mul_ps(e[0], _mm256_load_ps(d[0] + i))));
        _mm256_storeu_ps(p[c] + j * kSide + i, sum(q));
        _mm256_storeu_ps(du[c] + j * kSide + i, slope);
        _mm256_storeu_ps(dv[c] + j * kSide + i, sum(r));
      }
    }
  }
}

/// Ours: the kernels as BicubicGeometry calls them.
void ourDice(const float cv[3][16], float* const p[3], float* const du[3], float* const dv[3]) {
  const PatchKernels& k = patchKernels();
  float t[kSide], w[14][kSide];
  for (int i = 0; i < kSide; ++i) t[i] = gridParam(0, 1, i, kSide - 1);
  BernsteinTable tables[2];
  for (int a = 0; a < 2; ++a) {
    float* const b[4] = {w[7 * a], w[7 * a + 1], w[7 * a + 2], w[7 * a + 3]};
    float* const d[3] = {w[7 * a + 4], w[7 * a + 5], w[7 * a + 6]};
    k.bernstein(t, kSide, 1, b, d);
    tables[a] = {kSide, {b[0], b[1], b[2], b[3]}, {d[0], d[1], d[2]}};
  }
  for (int c = 0; c < 3; ++c) k.bicubic(cv[c], tables[0], tables[1], p[c], du[c], dv[c]);
}

std::vector<float> controlPoints() {
  std::vector<float> p;
  for (int k = 0; k < 16; ++k)
    for (const float f : {static_cast<float>(k % 4), static_cast<float>(k / 4), static_cast<float>(k * 7 % 5) * 0.3f})
      p.push_back(f);
  return p;
}

Param pointParam(std::vector<float> values) {
  Param p;
  p.spec = {"P", Type::kPoint, Storage::kVertex, 0};
  p.floats = std::move(values);
  return p;
}

/// Returns the rate of whole grids, Mpt/s.
double bicubic(const Context& context) {
  float cv[3][16];
  const std::vector<float> points = controlPoints();
  for (int k = 0; k < 48; ++k) cv[k % 3][k / 3] = points[static_cast<size_t>(k)];
  std::vector<float> out(9 * 320);
  float *p[3], *du[3], *dv[3];
  for (int c = 0; c < 3; ++c)
    p[c] = &out[static_cast<size_t>(c) * 320], du[c] = &out[static_cast<size_t>(3 + c) * 320],
    dv[c] = &out[static_cast<size_t>(6 + c) * 320];
  constexpr int kRuns = 200;
  const auto rate = [&](auto&& f) {
    return kRuns * kPoints / best([&] {
             for (int i = 0; i < kRuns; ++i) f();
           }) *
           1e-6;
  };
  const double reference = __builtin_cpu_supports("avx2") ? rate([&] { handDice(cv, p, du, dv); }) : 0;
  line("dice.bicubic", rate([&] { ourDice(cv, p, du, dv); }), "Mpt/s", reference);

  ParamList list;
  list.add(pointParam(points));
  const GeometryPtr patch = makePatch(context, "bicubic", {&list, 1});
  Arena arena;
  const double grids = rate([&] {
    arena.reset();
    VarBlock grid(kPoints);
    DiceRequest request;
    request.nu = request.nv = kSide - 1;
    patch->dice(request, grid, arena);
  });
  line("dice.bicubic.grid", grids, "Mpt/s", reference);
  return grids;
}

/// A sheet of side x side quads, as polygons or as a subdivision surface.
void meshes(const Context& context, double bicubicGrids) {
  constexpr int kQuads = 300;
  ParamList list;
  std::vector<float> points;
  std::vector<int> ids, counts(kQuads * kQuads, 4), loops(kQuads * kQuads, 1);
  for (int j = 0; j <= kQuads; ++j)
    for (int i = 0; i <= kQuads; ++i)
      for (const float f : {static_cast<float>(i), static_cast<float>(j), static_cast<float>((i * 7 + j * 3) % 11)})
        points.push_back(f);
  for (int j = 0; j < kQuads; ++j)
    for (int i = 0; i < kQuads; ++i) {
      const int a = j * (kQuads + 1) + i;
      for (const int v : {a, a + 1, a + kQuads + 2, a + kQuads + 1}) ids.push_back(v);
    }
  list.add(pointParam(points));
  GeometryPtr g;
  const double faces = kQuads * kQuads * 1e-6;
  line("geom.polygons", faces / best([&] { g = makePolygons(context, loops, counts, ids, {&list, 1}); }), "Mface/s", 0);
  line("geom.rangebound", 1e-6 * kQuads / best([&] {
                            for (int i = 1; i <= kQuads; ++i) g->bound(i, kQuads * kQuads - i, 0);
                          }),
       "Mquery/s", 0);
  line("geom.subdivision", faces / best([&] {
                             g = makeSubdivision(context, "catmull-clark", counts, ids, {}, {&list, 1});
                           }),
       "Mface/s", 0);
  Arena arena;
  line("dice.subdivision", 1e-6 * 1000 * kPoints / best([&] {
                             for (int f = 0; f < 1000; ++f) {
                               arena.reset();
                               VarBlock grid(kPoints);
                               DiceRequest request;
                               request.face = (kQuads + 2) * 7 + f;  // away from the border
                               request.nu = request.nv = kSide - 1;
                               g->dice(request, grid, arena);
                             }
                           }),
       "Mpt/s", bicubicGrids / 1.3);
}

}  // namespace

int main() {
  Diagnostics diag;
  Context context;
  context.diag = &diag;
  namedBasis("bezier", context.uBasis, context.uStep);
  namedBasis("bezier", context.vBasis, context.vStep);
  meshes(context, bicubic(context));
}
