// SPDX-License-Identifier: Apache-2.0
// The loops of grid_kernels.h, compiled once an instruction set into its own namespace. Plain loops that the compiler
// turns into vectors; sums of extremes go through a row of lanes, since their order does not matter.
#include <cmath>

#include "reyes/render/grid_kernels.h"

namespace reyes::render::REYES_ISA {
namespace {

constexpr int kLanes = 16;
constexpr float kHuge = __builtin_inff();

void project(const RasterNumbers& view, int n, const float* const camera[3], float* __restrict x, float* __restrict y,
             float* __restrict z) {
  const float* __restrict cx = camera[0];
  const float* __restrict cy = camera[1];
  const float* __restrict cz = camera[2];
  const RasterNumbers v = view;
  if (!v.perspective) {
    for (int i = 0; i < n; ++i) {
      x[i] = cx[i] * v.scaleX + v.centreX;
      y[i] = cy[i] * v.scaleY + v.centreY;
      z[i] = cz[i];
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    const float depth = cz[i] > v.eyeDepth ? cz[i] : v.eyeDepth;
    x[i] = cx[i] / depth * v.scaleX + v.centreX;
    y[i] = cy[i] / depth * v.scaleY + v.centreY;
    z[i] = cz[i];
  }
  if (!v.dropBehind) return;
  for (int i = 0; i < n; ++i) x[i] = cz[i] >= v.eyeDepth ? x[i] : __builtin_nanf("");
}

/// Lowest and highest of a row of lanes.
void gather(const float* low, const float* high, float& least, float& most) {
  for (int l = 0; l < kLanes; ++l) {
    least = low[l] < least ? low[l] : least;
    most = high[l] > most ? high[l] : most;
  }
}

int box(int n, const float* x, const float* y, const float* z, RasterBound& b) {
  alignas(64) float low[3][kLanes], high[3][kLanes];
  alignas(64) int count[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    for (int c = 0; c < 3; ++c) low[c][l] = kHuge, high[c][l] = -kHuge;
    count[l] = 0;
  }
  const auto row = [&](const float* px, const float* py, const float* pz, int lanes) {
    for (int l = 0; l < lanes; ++l) {
      const float a = px[l], d = py[l], e = pz[l];
      const bool good = (std::fabs(a) < kHuge) & (std::fabs(d) < kHuge) & (std::fabs(e) < kHuge);
      count[l] += good ? 1 : 0;
      low[0][l] = good & (a < low[0][l]) ? a : low[0][l];
      high[0][l] = good & (a > high[0][l]) ? a : high[0][l];
      low[1][l] = good & (d < low[1][l]) ? d : low[1][l];
      high[1][l] = good & (d > high[1][l]) ? d : high[1][l];
      low[2][l] = good & (e < low[2][l]) ? e : low[2][l];
      high[2][l] = good & (e > high[2][l]) ? e : high[2][l];
    }
  };
  const int whole = n / kLanes * kLanes;
  for (int i = 0; i < whole; i += kLanes) row(x + i, y + i, z + i, kLanes);
  row(x + whole, y + whole, z + whole, n - whole);
  gather(low[0], high[0], b.x0, b.x1);
  gather(low[1], high[1], b.y0, b.y1);
  gather(low[2], high[2], b.z0, b.z1);
  int all = 0;
  for (int l = 0; l < kLanes; ++l) all += count[l];
  return all;
}

float largestMove(int n, const float* before, const float* after, bool& finite) {
  alignas(64) float most[kLanes] = {};
  alignas(64) int bad[kLanes] = {};
  const auto row = [&](const float* b, const float* a, int lanes) {
    for (int l = 0; l < lanes; ++l) {
      const float d = std::fabs(a[l] - b[l]);
      most[l] = d > most[l] ? d : most[l];
      bad[l] |= std::fabs(a[l]) < kHuge ? 0 : 1;
    }
  };
  const int whole = n / kLanes * kLanes;
  for (int i = 0; i < whole; i += kLanes) row(before + i, after + i, kLanes);
  row(before + whole, after + whole, n - whole);
  float all = 0;
  for (int l = 0; l < kLanes; ++l) {
    all = most[l] > all ? most[l] : all;
    finite = finite && bad[l] == 0;
  }
  return all;
}

void transform(const float (*rows)[4], int n, float* const p[3]) {
  float* __restrict x = p[0];
  float* __restrict y = p[1];
  float* __restrict z = p[2];
  float m[4][3];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 3; ++c) m[r][c] = rows[r][c];
  for (int i = 0; i < n; ++i) {
    const float a = x[i], b = y[i], c = z[i];
    x[i] = a * m[0][0] + b * m[1][0] + c * m[2][0] + m[3][0];
    y[i] = a * m[0][1] + b * m[1][1] + c * m[2][1] + m[3][1];
    z[i] = a * m[0][2] + b * m[1][2] + c * m[2][2] + m[3][2];
  }
}

inline float least(float a, float b) { return b < a ? b : a; }
inline float most(float a, float b) { return b > a ? b : a; }

bool cells(const CellRule& rule, int n, const float* __restrict x, const float* __restrict y, const float* __restrict z,
           int32_t* __restrict box) {
  constexpr float kUnits = 512, kFar = 1e6f;
  const CellRule r = rule;
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    const int b = n + i, c = 3 * n + i, d = 2 * n + i;
    const auto side = [&](int p, int q) {
      const float dx = x[q] - x[p], dy = y[q] - y[p];
      return dx * dx + dy * dy;
    };
    const float longest = most(most(side(i, b), side(b, c)), most(side(c, d), side(d, i)));
    const float zLow = least(least(z[i], z[b]), least(z[c], z[d])), zHigh = most(most(z[i], z[b]), most(z[c], z[d]));
    // Lines on the face, and parts of them, are longer than its sides by no more than the square of the depths' ratio
    // each.
    const float ratio = r.perspective ? zHigh / zLow : 1.0f, square = ratio * ratio, fourth = square * square;
    const float x0 = least(least(x[i], x[b]), least(x[c], x[d])), x1 = most(most(x[i], x[b]), most(x[c], x[d]));
    const float y0 = least(least(y[i], y[b]), least(y[c], y[d])), y1 = most(most(y[i], y[b]), most(y[c], y[d]));
    const bool good = (longest * (fourth * fourth) <= r.edgeSquared) & ((zLow >= r.near) | !r.perspective) &
                      (x0 > -kFar) & (x1 < kFar) & (y0 > -kFar) & (y1 < kFar) & (std::fabs(z[i]) < 1e30f);
    bad |= good ? 0 : 1;
    const auto units = [](float v) { return static_cast<int32_t>(__builtin_rintf(v * kUnits)); };
    box[i] = good ? units(x0) : 0, box[n + i] = good ? units(y0) : 0;
    box[2 * n + i] = good ? units(x1) : 0, box[3 * n + i] = good ? units(y1) : 0;
  }
  return bad == 0;
}

}  // namespace

extern const GridKernels kGridKernels;
const GridKernels kGridKernels = {transform, cells, project, box, largestMove};

}  // namespace reyes::render::REYES_ISA
