// SPDX-License-Identifier: Apache-2.0
// From hits to sample values: each sample's surfaces, nearest first, composited and truncated at the opacity
// threshold. Called at the end of a bucket by BucketHider::resolve.
//
// Rules. Colour C += T Ci, opacity O += T Oi, T *= 1 - Oi a channel, Oi clamped to 0..1; a matte surface adds nothing
// to C and O but takes its T. Nothing is added behind the point where every channel has O >= opacityThreshold. Depth is
// that of the nearest surface whose own opacity reaches zThreshold in every channel (midpoint: half way to the second
// such surface, infinite where there is none). Output variables are those of the surface that gives the depth, else of
// the nearest surface; zero for matte, unless they are wanted of it too (kAovOfMatte).
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/event_row.h"
#include "reyes/hider/list_compositor.h"
#include "reyes/hider/resolve_batch.h"
#include "reyes/hider/surfaces.h"

namespace reyes::hider {

#define REYES_RESOLVE(isa)                                           \
  namespace isa {                                                    \
  bool resolvePack(const ResolveFrame&, const ResolveGrid&, float*); \
  void resolveRow(ResolveRow&);                                      \
  void resolveBatch(const ResolveBatch&);                            \
  void resolveSpread(const float*, int, int, float*, size_t);        \
  }
REYES_RESOLVE(sse4)
REYES_RESOLVE(avx2)
REYES_RESOLVE(avx512)
#undef REYES_RESOLVE

const ResolveKernels& resolveKernels(Isa isa) {
  static constexpr ResolveKernels kAll[] = {
      {sse4::resolvePack, sse4::resolveRow, sse4::resolveBatch, sse4::resolveSpread},
      {avx2::resolvePack, avx2::resolveRow, avx2::resolveBatch, avx2::resolveSpread},
      {avx512::resolvePack, avx512::resolveRow, avx512::resolveBatch, avx512::resolveSpread}};
  return kAll[static_cast<int>(isa)];
}

namespace {

/// SamplingSpec::aovThrough of an output variable.
uint8_t howOf(const SamplingSpec& spec, size_t c) { return c < spec.aovThrough.size() ? spec.aovThrough[c] : 0; }
bool shows(const MicroGrid& g, uint8_t how) { return !g.matte || (how & kAovOfMatte); }

struct Resolver {
  SurfaceReader reader;
  std::vector<TagShare> shares;  ///< of the last sample, with SamplingSpec::tags

  explicit Resolver(const BucketHider::Impl& bucket) : reader(bucket) {}
  bool composite(size_t sample, float* out);
  void addThrough(const SurfaceReader::Location& at, const float* through, float* out);
};

/// Composites a sample into zeroed channels; false where nothing is.
bool Resolver::composite(size_t sample, float* out) {
  const BucketHider::Impl& b = reader.bucket();
  const std::span<const SurfaceReader::Surface> surfaces = reader.gather(sample);
  if (surfaces.empty()) return false;

  // Front to back.
  float through[3] = {1, 1, 1};
  float depth[2] = {kInf, kInf};
  int depths = 0;
  const bool one = b.spec.depth || b.spec.aovFloats > 0;
  const int depthsWanted = b.spec.depthFilter == DepthFilter::kMidpoint ? 2 : one ? 1 : 0;
  bool open = true;
  SurfaceReader::Location aovAt;
  shares.clear();
  for (const SurfaceReader::Surface& s : surfaces) {
    const SurfaceReader::Location at = reader.locate(s.id, sample);
    const MicroGrid& g = at.record->grid;
    float oi[3] = {1, 1, 1};
    if (!g.oi.empty()) {
      reader.triple(at, g.oi, oi);
      for (float& o : oi) o = std::clamp(o, 0.0f, 1.0f);
    }
    if (open) {
      addThrough(at, through, out);
      if (!g.matte) {
        if (b.spec.tags) shares.push_back({g.tag, (through[0] * oi[0] + through[1] * oi[1] + through[2] * oi[2]) / 3});
        float ci[3];
        reader.triple(at, g.ci, ci);
        for (size_t c = 0; c < 3; ++c) {
          out[SampleTile::kCi + c] += through[c] * ci[c];
          out[SampleTile::kOi + c] += through[c] * oi[c];
        }
      }
      for (size_t c = 0; c < 3; ++c) through[c] *= 1 - oi[c];
      const float most = std::max({through[0], through[1], through[2]});
      open = !(1 - most >= b.spec.opacityThreshold);
    }
    if (!aovAt.record) aovAt = at;
    if (depths < 2 && std::min({oi[0], oi[1], oi[2]}) >= b.spec.zThreshold) {
      if (depths == 0) aovAt = at;
      depth[depths++] = s.z;
    }
    if (!open && depths >= depthsWanted) break;
  }

  // Depth and the output variables of one surface.
  if (b.spec.depthFilter == DepthFilter::kMidpoint) {
    // The second opaque surface was kept as a depth alone.
    if (b.z2[sample] < depth[1]) depth[1] = b.z2[sample];
    if (depth[1] < depth[0]) std::swap(depth[0], depth[1]);
    out[SampleTile::kZ] = depth[1] < kInf ? depth[0] + 0.5f * (depth[1] - depth[0]) : kInf;
  } else {
    out[SampleTile::kZ] = depth[0];
  }
  const MicroGrid& front = aovAt.record->grid;
  for (size_t c = 0; c < static_cast<size_t>(b.spec.aovFloats); ++c)
    if (const uint8_t how = howOf(b.spec, c); !(how & kAovThroughMask) && shows(front, how))
      out[SampleTile::kAov + c] = reader.value(aovAt, front.aov, c);
  return true;
}

/// What a surface adds to output variables that are composited.
void Resolver::addThrough(const SurfaceReader::Location& at, const float* through, float* out) {
  const MicroGrid& g = at.record->grid;
  const SamplingSpec& spec = reader.bucket().spec;
  for (size_t c = 0; c < spec.aovThrough.size(); ++c)
    if (const uint8_t how = spec.aovThrough[c]; (how & kAovThroughMask) && shows(g, how))
      out[SampleTile::kAov + c] += through[(how & kAovThroughMask) - 1] * reader.value(at, g.aov, c);
}

}  // namespace

void BucketHider::Impl::indexGrids() {
  gridOfBlock.resize(nextId >> kBlockBits);
  for (size_t g = 0; g < grids.size(); ++g) {
    const uint32_t end = g + 1 < grids.size() ? grids[g + 1].idBase : nextId;
    std::fill(gridOfBlock.begin() + (grids[g].idBase >> kBlockBits), gridOfBlock.begin() + (end >> kBlockBits),
              static_cast<uint32_t>(g));
  }
}

void BucketHider::Impl::resolveByGrid(SampleTile& tile) {
  if (opaque.empty()) return;
  // Counting sort, stable.
  gridStart.assign(grids.size() + 1, 0);
  for (OpaqueSample& o : opaque) {
    o.grid = gridIndexOf(id[o.at]);
    ++gridStart[o.grid + 1];
  }
  for (size_t g = 1; g < gridStart.size(); ++g) gridStart[g] += gridStart[g - 1];
  ordered.resize(opaque.size());
  for (const OpaqueSample& o : opaque) ordered[gridStart[o.grid]++] = o;

  Batcher batcher(*this, frameOf(*this, tile), tile.planeFloats());
  for (const OpaqueSample& o : ordered) batcher.add(grids[o.grid], o.at, id[o.at], z[o.at], o.to);
  batcher.flush();
}

namespace {

/// Rows of the lattice into rows of strips.
class RowResolver {
 public:
  RowResolver(BucketHider::Impl& bucket, SampleTile& tile, EventRow* events)
      : b_(bucket),
        tile_(tile),
        kernel_(resolveKernels(bucket.spec.isa)),
        resolver_(bucket),
        events_(events),
        lists_(bucket, events) {
    const Lattice& l = b_.ctx.lattice;
    const size_t all = static_cast<size_t>(tile.strips * 8 * l.xs) + 16, bytes = all / 8 + 2;
    lead_ = (tile.rect.x0 - tile.firstStrip() * 8) * l.xs;
    scratch_.assign(all * static_cast<size_t>(tile.planes), 0.0f);
    any_.assign(bytes, 0), opaque_.assign(bytes, 0);
    listed_.resize(static_cast<size_t>(l.columns)), rest_.resize(listed_.size());
    values_.resize(static_cast<size_t>(tile.channels));
    row_.frame = frameOf(b_, tile);
    row_.owner = this;
    made_.resize(b_.grids.size());
    row_.find = [](ResolveRow& r, uint32_t triangle) {
      auto& self = *static_cast<RowResolver*>(r.owner);
      const uint32_t g = self.b_.gridIndexOf(triangle);
      ResolveGrid& made = self.made_[g];
      // Those of discs are asked for again and again. Packed vertices move while more are packed.
      if (made.ids == 0 || made.packed) made = packedGridOf(self.b_, self.b_.grids[g], r.frame);
      r.grid = made;
    };
    row_.columns = l.columns;
    row_.compositeAll = b_.spec.depthFilter == DepthFilter::kMidpoint;
    row_.out = scratch_.data() + lead_, row_.stride = all;
    row_.any = any_.data(), row_.opaque = opaque_.data();
    row_.listed = listed_.data(), row_.rest = rest_.data();
  }

  /// Row cy of samples of pixel row py, from the bucket's corner.
  void run(int py, int cy);

 private:
  void markStrips(int y, bool first);
  void markHits(int y, int cy);
  void compositeAll(size_t rowAt, int y, int cy);
  void tellEvents(size_t rowAt, int cy);
  void put(int column, int y, int cy, std::span<const float> values, std::span<const TagShare> shares);
  /// Where a column's values go: plane 0.
  float* target(int y, int cy, int column) {
    const int x = column / b_.ctx.lattice.xs + tile_.rect.x0, s = cy * b_.ctx.lattice.xs + column % b_.ctx.lattice.xs;
    return tile_.strip(y, (x >> 3) - tile_.firstStrip()) + s * 8 + (x & 7);
  }

  BucketHider::Impl& b_;
  SampleTile& tile_;
  const ResolveKernels& kernel_;
  Resolver resolver_;
  EventRow* events_;
  ListCompositor lists_;
  ResolveRow row_;
  std::vector<ResolveGrid> made_;  ///< of the bucket's grids, where they were asked for
  int lead_ = 0;                   ///< cells of the first strip that are left of the bucket
  std::vector<float> scratch_, values_;
  std::vector<uint8_t> any_, opaque_;
  std::vector<uint32_t> listed_, rest_, eventColumns_;
};

void RowResolver::run(int py, int cy) {
  const Lattice& l = b_.ctx.lattice;
  const int y = tile_.rect.y0 + py;
  // 1. Opaque samples.
  const size_t at = static_cast<size_t>(py * l.ys + cy) * static_cast<size_t>(l.stride);
  row_.x = l.x + at, row_.y = l.y + at, row_.z = l.z + at, row_.id = l.id + at;
  row_.heads = b_.anyList ? b_.heads.data() + at : nullptr;
  const bool times = b_.motionReady;
  row_.time = times ? b_.sampleTime.data() + at : nullptr;
  row_.pointX = times && row_.frame.lens ? b_.sampleLensX.data() + at : nullptr;
  row_.pointY = times && row_.frame.lens ? b_.sampleLensY.data() + at : nullptr;
  row_.listedCount = row_.restCount = 0;
  row_.grid = {};  // others have had grids packed since
  kernel_.row(row_);
  // 2. Into strips.
  markStrips(y, cy == 0);
  float* out = tile_.strip(y, 0) + cy * l.xs * 8;
  for (size_t p = 0; p < static_cast<size_t>(tile_.planes); ++p)
    kernel_.spread(scratch_.data() + p * row_.stride, l.xs, tile_.strips, out + p * tile_.planeFloats(),
                   tile_.stripFloats());
  // 3. What the kernel left.
  for (int n = 0; n < row_.restCount; ++n) {
    const int column = static_cast<int>(rest_[static_cast<size_t>(n)]);
    b_.opaque.push_back({static_cast<uint32_t>(at) + rest_[static_cast<size_t>(n)], 0, target(y, cy, column)});
  }
  if (tile_.depth) markHits(y, cy);
  if (events_) tellEvents(at, cy);
  compositeAll(at, y, cy);
}

/// Events of samples that have none from compositeAll(), though their flat values do not tell all.
void RowResolver::tellEvents(size_t rowAt, int cy) {
  events_->startSamples(cy);
  if (!row_.compositeAll && !events_->anyMatte()) return;
  std::vector<uint32_t>& columns = eventColumns_;
  columns.clear();
  for (uint32_t column = 0; column < static_cast<uint32_t>(row_.columns); ++column) {
    const size_t at = rowAt + column;
    const bool inList = b_.anyList && b_.heads[at] != kNoEntry;
    if (inList ? row_.compositeAll : events_->listed(at) && b_.z[at] < kInf) columns.push_back(column);
  }
  if (!columns.empty()) lists_.run(rowAt, columns);
}

/// States of strips, one row of samples more; rather kSome than wrong.
void RowResolver::markStrips(int y, bool first) {
  const int cells = 8 * b_.ctx.lattice.xs;
  for (int k = 0; k < tile_.strips; ++k) {
    const int from = std::max(0, k * cells - lead_), to = std::min(row_.columns, (k + 1) * cells - lead_);
    uint8_t any = 0, opaque = 0xff;
    for (int byte = from >> 3; byte <= (to - 1) >> 3; ++byte)
      any |= any_[static_cast<size_t>(byte)], opaque &= opaque_[static_cast<size_t>(byte)];
    const uint8_t now = !any ? SampleTile::kNothing : opaque == 0xff ? SampleTile::kOpaque : SampleTile::kSome;
    uint8_t& state = tile_.state(y, k);
    state = first || state == now ? now : static_cast<uint8_t>(SampleTile::kSome);
  }
}

void RowResolver::markHits(int y, int cy) {
  const int xs = b_.ctx.lattice.xs;
  for (int column = 0; column < row_.columns; ++column) {
    if (!(any_[static_cast<size_t>(column >> 3)] >> (column & 7) & 1)) continue;
    const int x = column / xs + tile_.rect.x0;
    tile_.hits(y, (x >> 3) - tile_.firstStrip())[cy * xs + column % xs] |= static_cast<uint8_t>(1 << (x & 7));
  }
}

void RowResolver::put(int column, int y, int cy, std::span<const float> values, std::span<const TagShare> shares) {
  const int xs = b_.ctx.lattice.xs;
  if (b_.spec.tags) tile_.setShares(column / xs + tile_.rect.x0, y, cy * xs + column % xs, shares);
  float* to = target(y, cy, column);
  for (int c = 0; c < tile_.channels; ++c)
    if (const int p = tile_.planeOf(c); p >= 0)
      to[static_cast<size_t>(p) * tile_.planeFloats()] = values[static_cast<size_t>(c)];
}

void RowResolver::compositeAll(size_t rowAt, int y, int cy) {
  if (row_.listedCount == 0) return;
  if (!row_.compositeAll) {
    lists_.run(rowAt, {listed_.data(), static_cast<size_t>(row_.listedCount)});
    for (size_t n = 0; n < lists_.size(); ++n)
      put(static_cast<int>(lists_.column(n)), y, cy, lists_.values(n),
          b_.spec.tags ? lists_.shares(n) : std::span<const TagShare>());
    return;
  }
  for (int n = 0; n < row_.listedCount; ++n) {
    const uint32_t column = listed_[static_cast<size_t>(n)];
    std::fill(values_.begin(), values_.end(), 0.0f);
    values_[SampleTile::kZ] = kInf;
    resolver_.composite(rowAt + column, values_.data());
    put(static_cast<int>(column), y, cy, values_, resolver_.shares);
  }
}

}  // namespace

SampleTile BucketHider::Impl::resolve(DeepTile* deep) {
  // Opacities of grids that are full of it are grey.
  const bool grey = std::all_of(grids.begin(), grids.end(), [](const GridRecord& g) { return g.grid.oi.empty(); });
  SampleTile tile(rect, samples(), spec.aovFloats, grey, spec.depth, spec.bandRows);
  if (spec.tags) tile.keepTags();
  if (deep) {
    if (!events) events = std::make_unique<EventRow>(*this);
    events->start(*deep);
  }
  if (rect.empty()) return tile;
  opaque.clear(), packed.clear();
  indexGrids();
  packedAt.assign(grids.size(), kNotPacked);
  RowResolver rows(*this, tile, deep ? events.get() : nullptr);
  for (int py = 0; py < rect.height(); ++py) {
    for (int cy = 0; cy < ctx.lattice.ys; ++cy) {
      rows.run(py, cy);
      if (opaque.size() >= kMostOpaque) resolveByGrid(tile), opaque.clear();
    }
    if (!deep) continue;
    resolveByGrid(tile), opaque.clear();
    events->finish(rect.y0 + py, tile);
  }
  resolveByGrid(tile);
  if (spec.tags) tagSamples(tile);
  return tile;
}

}  // namespace reyes::hider
