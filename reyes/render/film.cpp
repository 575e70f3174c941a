// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/film.h"

#include <algorithm>
#include <bit>

#include "reyes/hider/whole_number.h"
#include "reyes/render/part_record.h"
#include "reyes/render/root_tree.h"

namespace reyes::render {
namespace {

constexpr int kRestored = 1 << 30;  ///< tiles that a part waits for which a record gave

}  // namespace

Film::Film(const scene::View& view, const hider::SamplingSpec& sampling, OutputPlan& plan, const Buckets& buckets)
    : view_(view),
      plan_(plan),
      buckets_(buckets),
      slots_(std::make_unique<Slot[]>(static_cast<size_t>(buckets.count()))),
      deep_(sampling, plan, buckets.count()) {
  for (const PlannedFilter& f : plan.filters) {
    filters_.emplace_back(sampling, f.filter, f.jobs);
    statistics_.emplace_back(sampling, f.filter, f.statistics);
  }
  cutSlices();
  missing_ = std::make_unique<std::atomic<int>[]>(slices_.size() * static_cast<size_t>(buckets.columns()));
  for (size_t s = 0; s < slices_.size(); ++s)
    for (int column = 0; column < buckets.columns(); ++column) {
      int i0, i1, j0, j1;
      if (!neighbours(s, column, i0, i1, j0, j1)) continue;
      missing_[partAt(s, column)] = (i1 - i0 + 1) * (j1 - j0 + 1);
      for (int j = j0; j <= j1; ++j)
        for (int i = i0; i <= i1; ++i) {
          Slot& slot = slots_[static_cast<size_t>(buckets_.orderAt(i, j))];
          ++slot.users;
          for (int band = 0; band < 3; ++band) slot.bandUsers[band] += needs(slices_[s], j, band);
        }
    }
}

void Film::cutSlices() {
  const int reach = plan_.reachY;
  for (int j = 0; j < buckets_.rows(); ++j) {
    const PixelRect r = buckets_.rect(buckets_.orderAt(0, j));
    // As SampleTile has it: the middle is what a row of buckets has beyond twice the reach at either border.
    if (reach == 0 || r.height() <= 4 * reach) {
      slices_.push_back({r.y0, r.y1, reach == 0 ? j : -1});
      innerSlice_.push_back(reach == 0 ? slices_.size() - 1 : kNone);
      continue;
    }
    innerSlice_.push_back(slices_.size() + 1);
    slices_.push_back({r.y0, r.y0 + reach});
    slices_.push_back({r.y0 + reach, r.y1 - reach, j});
    slices_.push_back({r.y1 - reach, r.y1});
  }
}

bool Film::needs(const Slice& slice, int j, int band) const {
  const PixelRect r = buckets_.rect(buckets_.orderAt(0, j));
  const int rows = 4 * plan_.reachY < r.height() ? 2 * plan_.reachY : 0;
  const int ends[] = {r.y0, r.y0 + rows, r.y1 - rows, r.y1};
  return std::max(slice.y0 - plan_.reachY, ends[band]) < std::min(slice.y1 + plan_.reachY, ends[band + 1]);
}

PixelRect Film::target(size_t slice, int column) const {
  PixelRect r = buckets_.rect(buckets_.orderAt(column, 0));
  r.y0 = slices_[slice].y0, r.y1 = slices_[slice].y1;
  return intersect(r, view_.crop);
}

bool Film::neighbours(size_t slice, int column, int& i0, int& i1, int& j0, int& j1) const {
  const PixelRect r = target(slice, column);
  return !r.empty() && buckets_.touched(grown(r), i0, i1, j0, j1);
}

void Film::add(int order, hider::SampleTile tile, GridShader& shader, Stats& stats) {
  // 1. Keep the tile, if any pixel needs it.
  Slot& own = slots_[static_cast<size_t>(order)];
  if (own.users.load() == 0) return;
  bytes_ += static_cast<int64_t>(tile.bytes());
  const PixelRect reach = grown(tile.rect);
  own.tile = std::make_unique<hider::SampleTile>(std::move(tile));
  // 2. Parts whose pixels reach it: they may now be complete.
  int i0, i1, j0, j1;
  if (!buckets_.touched(reach, i0, i1, j0, j1)) return;
  const auto firstSlice =
      std::partition_point(slices_.begin(), slices_.end(), [&](const Slice& s) { return s.y1 <= reach.y0; });
  for (auto s = static_cast<size_t>(firstSlice - slices_.begin()); s < slices_.size() && slices_[s].y0 < reach.y1; ++s)
    for (int i = i0; i <= i1; ++i)
      if (touches(target(s, i), reach) && missing_[partAt(s, i)].fetch_sub(1) == 1) {
        const StageTimer timer(stats, Stage::kFilter);
        develop(s, i, shader);
      }
}

PixelRect Film::insideOf(const PixelRect& tile) const {
  int i, j, lastI, lastJ;
  if (!buckets_.touched(tile, i, lastI, j, lastJ)) return {};
  const size_t slice = innerSlice_[static_cast<size_t>(j)];
  if (slice == kNone || missing_[partAt(slice, i)] >= kRestored) return {};
  PixelRect r = tile;
  r.x0 += plan_.reachX, r.x1 -= plan_.reachX;
  r = intersect(r, target(slice, i));
  return r.width() > 2 * plan_.reachX ? r : PixelRect();
}

/// Pixels in the middle of a tile become deep ones at once: most of the events are not needed any more then.
void Film::addDeep(int order, hider::DeepTile tile) {
  if (slots_[static_cast<size_t>(order)].users.load() == 0) return;
  const PixelRect inside = insideOf(tile.rect);
  deep_.keep(order, std::move(tile), inside);
}

void Film::develop(size_t slice, int column, GridShader& shader) {
  const PixelRect rect = target(slice, column);
  // 1. Filter.
  const auto orderOf = [&](int x, int y) {
    int i0, i1, j0, j1;
    return buckets_.touched({x, y, x + 1, y + 1}, i0, i1, j0, j1) ? buckets_.orderAt(i0, j0) : -1;
  };
  const auto tileAt = [&](int x, int y) -> const hider::SampleTile* {
    const int order = orderOf(x, y);
    return order < 0 ? nullptr : slots_[static_cast<size_t>(order)].tile.get();
  };
  std::vector<Developed> done(plan_.filters.size());
  for (size_t f = 0; f < done.size(); ++f) {
    Developed& d = done[f];
    d.planes.resize(plan_.filters[f].jobs.size());
    filters_[f](rect, tileAt, d.planes);
    d.statistics.resize(plan_.filters[f].statistics.size());
    statistics_[f](rect, tileAt, d.statistics);
    const std::vector<float>& oi = d.planes[1];
    d.alpha.resize(static_cast<size_t>(rect.width()) * rect.height());
    for (size_t i = 0; i < d.alpha.size(); ++i) d.alpha[i] = (oi[3 * i] + oi[3 * i + 1] + oi[3 * i + 2]) / 3;
    // 2. Imager.
    if (plan_.wantsShares(f)) d.shares = filters_[f].shares(rect, tileAt);
    if (view_.imager) runImager(rect, d.planes[0], d.planes[1], d.alpha, shader);
  }
  // 3. Displays.
  std::vector<std::byte> record;
  std::vector<std::byte>* const kept = log_ ? &record : nullptr;
  for (PlannedDisplay& d : plan_.displays)
    if (d.display && !d.deep) send(rect, d, done, kept);
  if (deep_.wanted())
    deep_.develop(
        rect, slices_[slice].inner < 0 ? -1 : buckets_.orderAt(column, slices_[slice].inner),
        [&](int x, int y) {
          const int order = orderOf(x, y);
          return order < 0 ? nullptr : deep_.tile(order);
        },
        kept);
  if (log_) keepRecord(partAt(slice, column), record);
  release(slice, column);
}

/// Samples that nobody needs any more go.
void Film::release(size_t slice, int column) {
  int i0, i1, j0, j1;
  if (!neighbours(slice, column, i0, i1, j0, j1)) return;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      const int order = buckets_.orderAt(i, j);
      Slot& s = slots_[static_cast<size_t>(order)];
      for (int band = 0; band < 3; ++band)
        if (needs(slices_[slice], j, band) && s.bandUsers[band].fetch_sub(1) == 1) {
          bytes_ -= static_cast<int64_t>(s.tile->drop(band));
          deep_.dropBand(order, band);
        }
      if (s.users.fetch_sub(1) == 1) {
        bytes_ -= static_cast<int64_t>(s.tile->bytes());
        s.tile.reset();
        deep_.drop(order);
      }
    }
}

/// A part's pixels, after the names of what they have ids of.
void Film::keepRecord(size_t part, const std::vector<std::byte>& record) {
  if (plan_.mattes)
    plan_.mattes->tellWritten([&](MatteKind kind, const std::string& name) {
      log_->add(RecordKind::kName, static_cast<uint32_t>(kind), std::as_bytes(std::span(name)));
    });
  log_->add(RecordKind::kPart, static_cast<uint32_t>(part), record);
}

size_t Film::partsWanted() const {
  size_t n = 0;
  for (size_t i = 0; i < parts(); ++i) n += missing_[i] > 0;
  return n;
}

bool Film::restore(size_t part, std::span<const std::byte> record) {
  int i0, i1, j0, j1;
  if (part >= parts() || missing_[part] >= kRestored) return false;
  const size_t columns = static_cast<size_t>(buckets_.columns()), slice = part / columns;
  const int column = static_cast<int>(part % columns);
  if (!neighbours(slice, column, i0, i1, j0, j1) || !restorePart(plan_, target(slice, column), record)) return false;
  // Nobody develops it, and its tiles have one user less.
  missing_[part] = kRestored;
  for (int j = j0; j <= j1; ++j)
    for (int i = i0; i <= i1; ++i) {
      Slot& slot = slots_[static_cast<size_t>(buckets_.orderAt(i, j))];
      --slot.users;
      for (int band = 0; band < 3; ++band) slot.bandUsers[band] -= needs(slices_[slice], j, band);
    }
  return true;
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

const std::vector<float>& Film::valuesOf(const OutputGroup& g, const Developed& d) {
  if (g.from == OutputGroup::From::kAlpha) return d.alpha;
  if (g.from == OutputGroup::From::kStatistics) return d.statistics[g.job];
  return d.planes[g.from == OutputGroup::From::kColor ? 0 : g.job];
}

void Film::send(const PixelRect& rect, PlannedDisplay& display, const std::vector<Developed>& done,
                std::vector<std::byte>* record) const {
  const size_t pixels = static_cast<size_t>(rect.width()) * rect.height();
  const size_t n = display.request.channels.size();
  std::vector<float> out(pixels * n);
  size_t at = 0;
  for (const OutputGroup& g : display.groups) {
    const auto w = static_cast<size_t>(g.channels);
    const Developed& d = done[g.filter];
    if (g.from == OutputGroup::From::kIds) {
      plan_.mattes->write(g.matte, d.shares, n, out.data() + at);
      at += w;
      continue;
    }
    if (g.from == OutputGroup::From::kMean) {
      const std::vector<float>& from = d.planes[g.job];
      for (size_t p = 0; p < pixels; ++p) out[p * n + at] = (from[3 * p] + from[3 * p + 1] + from[3 * p + 2]) / 3;
      at += w;
      continue;
    }
    const std::vector<float>& from = valuesOf(g, d);
    if (g.from == OutputGroup::From::kWhole) {
      for (size_t p = 0; p < pixels; ++p)
        out[p * n + at] = std::bit_cast<float>(hider::joinWhole(from[2 * p], from[2 * p + 1]));
      at += w;
      continue;
    }
    for (size_t p = 0; p < pixels; ++p)
      for (size_t c = 0; c < w; ++c) out[p * n + at + c] = from[p * w + c];
    at += w;
  }
  if (record) addFlat(*record, out);
  display.display->tile(rect, out);
}

}  // namespace reyes::render
