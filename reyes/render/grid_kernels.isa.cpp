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

}  // namespace

extern const GridKernels kGridKernels;
const GridKernels kGridKernels = {project, box, largestMove};

}  // namespace reyes::render::REYES_ISA
