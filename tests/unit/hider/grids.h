// SPDX-License-Identifier: Apache-2.0
// Hand-made grids for the hider's tests and benchmark.
#pragma once

#include <functional>
#include <vector>

#include "reyes/hider/hider.h"

namespace reyes::hider::test {

/// A grid that owns its planes.
struct OwnedGrid {
  std::vector<float> x, y, z, times, ci, oi, aov;
  MicroGrid grid;

  OwnedGrid(int nu, int nv, int keys = 1) {
    grid.nu = nu, grid.nv = nv, grid.keys = keys;
    const size_t n = static_cast<size_t>(grid.points());
    for (auto* v : {&x, &y, &z}) v->assign(n * static_cast<size_t>(keys), 1.0f);
    for (int k = 0; k < keys; ++k)
      times.push_back(keys > 1 ? static_cast<float>(k) / static_cast<float>(keys - 1) : 0.0f);
    ci.assign(3 * n, 1.0f);
  }
  OwnedGrid& place(int key, const std::function<void(float u, float v, float& x, float& y, float& z)>& f) {
    size_t at = static_cast<size_t>(key) * static_cast<size_t>(grid.points());
    for (int j = 0; j <= grid.nv; ++j)
      for (int i = 0; i <= grid.nu; ++i, ++at)
        f(static_cast<float>(i) / static_cast<float>(grid.nu), static_cast<float>(j) / static_cast<float>(grid.nv),
          x[at], y[at], z[at]);
    return *this;
  }
  OwnedGrid& rectangle(float x0, float y0, float x1, float y1, float depth, int key = 0) {
    return place(key, [=](float u, float v, float& px, float& py, float& pz) {
      px = u == 1 ? x1 : x0 + u * (x1 - x0), py = v == 1 ? y1 : y0 + v * (y1 - y0), pz = depth;
    });
  }
  OwnedGrid& color(float r, float g, float b) {
    const size_t n = static_cast<size_t>(grid.points());
    for (size_t i = 0; i < n; ++i) ci[i] = r, ci[n + i] = g, ci[2 * n + i] = b;
    return *this;
  }
  OwnedGrid& opacity(float o) {
    oi.assign(3 * static_cast<size_t>(grid.points()), o);
    return *this;
  }
  const MicroGrid& get() {
    grid.times = times;
    grid.x = x, grid.y = y, grid.z = z, grid.ci = ci, grid.oi = oi, grid.aov = aov;
    return grid;
  }
};

inline std::vector<float> render(const SamplingSpec& spec, const PixelRect& rect, std::vector<OwnedGrid*> grids,
                                 SampleTile* tileOut = nullptr) {
  BucketHider hider(spec);
  hider.reset(rect);
  for (OwnedGrid* g : grids) hider.rasterize(g->get());
  SampleTile t = hider.resolve();
  std::vector<float> v = t.interleaved();
  if (tileOut) *tileOut = std::move(t);
  return v;
}

/// Mean of a channel over all samples of a tile.
inline double mean(const SampleTile& t, int channel) {
  const std::vector<float> values = t.interleaved();
  double sum = 0;
  size_t n = 0;
  for (size_t i = static_cast<size_t>(channel); i < values.size(); i += static_cast<size_t>(t.channels), ++n)
    sum += values[i];
  return sum / static_cast<double>(n);
}

}  // namespace reyes::hider::test
