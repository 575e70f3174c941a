// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/film.h"

#include <algorithm>

#include "reyes/render/root_tree.h"

namespace reyes::render {
namespace {

int64_t bytesOf(const hider::SampleTile& t) {
  return static_cast<int64_t>(t.values.capacity() * sizeof(float) + t.hit.capacity());
}

}  // namespace

Film::Film(const scene::View& view, const hider::SamplingSpec& sampling, OutputPlan& plan, const Buckets& buckets)
    : view_(view),
      sampling_(sampling),
      plan_(plan),
      buckets_(buckets),
      slots_(std::make_unique<Slot[]>(static_cast<size_t>(buckets.count()))) {
  for (int order = 0; order < buckets.count(); ++order) {
    int i0, i1, j0, j1;
    if (!neighbours(order, i0, i1, j0, j1)) continue;
    slots_[static_cast<size_t>(order)].missing = (i1 - i0 + 1) * (j1 - j0 + 1);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) ++slots_[static_cast<size_t>(buckets_.orderAt(i, j))].users;
  }
}

bool Film::neighbours(int order, int& i0, int& i1, int& j0, int& j1) const {
  PixelRect r = target(order);
  if (r.empty()) return false;
  r = {r.x0 - plan_.reachX, r.y0 - plan_.reachY, r.x1 + plan_.reachX, r.y1 + plan_.reachY};
  return buckets_.touched(r, i0, i1, j0, j1);
}

void Film::add(int order, hider::SampleTile tile, GridShader& shader, Stats& stats) {
  // 1. Keep the tile, if any pixel needs it.
  Slot& own = slots_[static_cast<size_t>(order)];
  if (own.users.load() == 0) return;
  bytes_ += bytesOf(tile);
  const PixelRect rect = tile.rect;
  own.tile = std::make_unique<hider::SampleTile>(std::move(tile));
  // 2. Buckets whose pixels reach it, the other way round: they may now be complete.
  int i0, i1, j0, j1;
  const PixelRect reach{rect.x0 - plan_.reachX, rect.y0 - plan_.reachY, rect.x1 + plan_.reachX, rect.y1 + plan_.reachY};
  if (!buckets_.touched(reach, i0, i1, j0, j1)) return;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const int other = buckets_.orderAt(i, j);
      if (touches(target(other), reach) && slots_[static_cast<size_t>(other)].missing.fetch_sub(1) == 1) {
        const StageTimer timer(stats, Stage::kFilter);
        develop(other, shader);
      }
    }
}

void Film::develop(int order, GridShader& shader) {
  const PixelRect rect = target(order);
  // 1. Filter.
  const auto tileAt = [&](int x, int y) -> const hider::SampleTile* {
    int i0, i1, j0, j1;
    if (!buckets_.touched({x, y, x + 1, y + 1}, i0, i1, j0, j1)) return nullptr;
    return slots_[static_cast<size_t>(buckets_.orderAt(i0, j0))].tile.get();
  };
  std::vector<Developed> done(plan_.filters.size());
  for (size_t f = 0; f < done.size(); ++f) {
    const PlannedFilter& filter = plan_.filters[f];
    Developed& d = done[f];
    d.planes.resize(filter.jobs.size());
    hider::filterPixels(sampling_, filter.filter, filter.jobs, rect, tileAt, d.planes);
    const std::vector<float>& oi = d.planes[1];
    d.alpha.resize(static_cast<size_t>(rect.width()) * rect.height());
    for (size_t i = 0; i < d.alpha.size(); ++i) d.alpha[i] = (oi[3 * i] + oi[3 * i + 1] + oi[3 * i + 2]) / 3;
    // 2. Imager.
    if (view_.imager) runImager(rect, d.planes[0], d.planes[1], d.alpha, shader);
  }
  // 3. Displays.
  for (PlannedDisplay& d : plan_.displays)
    if (d.display) send(rect, d, done);
  // 4. Tiles that nobody needs any more.
  int i0, i1, j0, j1;
  if (!neighbours(order, i0, i1, j0, j1)) return;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      Slot& s = slots_[static_cast<size_t>(buckets_.orderAt(i, j))];
      if (s.users.fetch_sub(1) == 1) {
        bytes_ -= bytesOf(*s.tile);
        s.tile.reset();
      }
    }
}

void Film::runImager(const PixelRect& rect, std::vector<float>& ci, std::vector<float>& oi, std::vector<float>& alpha,
                     GridShader& shader) const {
  const int w = rect.width();
  const auto n = static_cast<size_t>(padLanes(w));
  std::vector<float> memory(n * 9);
  const auto plane = [&](size_t i) { return &memory[i * n]; };
  for (int y = rect.y0; y < rect.y1; ++y) {
    const size_t row = static_cast<size_t>(y - rect.y0) * w;
    for (int x = 0; x < w; ++x) {
      const auto i = static_cast<size_t>(x);
      plane(0)[i] = static_cast<float>(rect.x0 + x) + 0.5f, plane(1)[i] = static_cast<float>(y) + 0.5f;
      for (size_t c = 0; c < 3; ++c) {
        plane(2 + c)[i] = ci[3 * (row + i) + c];
        plane(5 + c)[i] = oi[3 * (row + i) + c];
      }
      plane(8)[i] = alpha[row + i];
    }
    float* const c3[3] = {plane(2), plane(3), plane(4)};
    float* const o3[3] = {plane(5), plane(6), plane(7)};
    shader.image(*view_.imager, w, plane(0), plane(1), c3, o3, plane(8));
    for (size_t i = 0; i < static_cast<size_t>(w); ++i) {
      for (size_t c = 0; c < 3; ++c) ci[3 * (row + i) + c] = c3[c][i], oi[3 * (row + i) + c] = o3[c][i];
      alpha[row + i] = plane(8)[i];
    }
  }
}

void Film::send(const PixelRect& rect, PlannedDisplay& display, const std::vector<Developed>& done) const {
  const size_t pixels = static_cast<size_t>(rect.width()) * rect.height();
  const size_t n = display.request.channels.size();
  std::vector<float> out(pixels * n);
  size_t at = 0;
  for (const OutputGroup& g : display.groups) {
    const auto w = static_cast<size_t>(g.channels);
    const Developed& d = done[g.filter];
    const bool isAlpha = g.from == OutputGroup::From::kAlpha;
    const std::vector<float>& from = isAlpha ? d.alpha : d.planes[g.from == OutputGroup::From::kColor ? 0 : g.job];
    for (size_t p = 0; p < pixels; ++p)
      for (size_t c = 0; c < w; ++c) out[p * n + at + c] = from[p * w + c];
    at += w;
  }
  display.display->tile(rect, out);
}

}  // namespace reyes::render
