// SPDX-License-Identifier: Apache-2.0
// One bucket: its lattice, the way of a grid to the sampling kernels, what their hits become. Called by render/ through
// BucketHider.
#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/event_row.h"
#include "reyes/hider/trim_test.h"

namespace reyes::hider {

namespace sse4 {
void rasterStill(RasterContext&);
void rasterMoving(RasterContext&);
void rasterDiscs(RasterContext&);
void rasterMovingDiscs(RasterContext&);
bool pathOpen(const PathSegment&, const PathSamples&);
}  // namespace sse4
namespace avx2 {
void rasterStill(RasterContext&);
void rasterMoving(RasterContext&);
void rasterDiscs(RasterContext&);
void rasterMovingDiscs(RasterContext&);
bool pathOpen(const PathSegment&, const PathSamples&);
}  // namespace avx2
namespace avx512 {
void rasterStill(RasterContext&);
void rasterMoving(RasterContext&);
void rasterDiscs(RasterContext&);
void rasterMovingDiscs(RasterContext&);
bool pathOpen(const PathSegment&, const PathSamples&);
}  // namespace avx512

const Kernels& kernels(Isa isa) {
  static const Kernels kAll[] = {
      {sse4::rasterStill, sse4::rasterMoving, sse4::rasterDiscs, sse4::rasterMovingDiscs, sse4::pathOpen},
      {avx2::rasterStill, avx2::rasterMoving, avx2::rasterDiscs, avx2::rasterMovingDiscs, avx2::pathOpen},
      {avx512::rasterStill, avx512::rasterMoving, avx512::rasterDiscs, avx512::rasterMovingDiscs, avx512::pathOpen}};
  return kAll[static_cast<int>(isa)];
}

BucketHider::Impl::Impl(const SamplingSpec& s)
    : spec(s), patterns(patternsOf(s)), pattern(*patterns), kernel(&kernels(s.isa)) {
  hits.resize(4096);
  ctx.hits = hits.data();
  ctx.hitCapacity = static_cast<int>(hits.size());
  ctx.owner = this;
  ctx.flush = [](RasterContext& c) { static_cast<Impl*>(c.owner)->drain(); };
  ctx.near = spec.near, ctx.far = spec.far;
}

void BucketHider::Impl::reset(const PixelRect& r) {
  rect = r;
  Lattice& l = ctx.lattice;
  l.xs = clampSamples(spec.xSamples), l.ys = clampSamples(spec.ySamples);
  l.columns = rect.width() * l.xs, l.rows = rect.height() * l.ys;
  // Eight lanes from the last column stay in the row's padding. Narrow buckets keep what was made for wide ones.
  l.stride = std::max(l.stride, (l.columns + 7 + 7) & ~7);
  l.originX = rect.x0, l.originY = rect.y0;

  // Depth: infinitely far where there is a sample, infinitely near in the padding.
  const size_t n = static_cast<size_t>(l.stride) * static_cast<size_t>(l.rows) + kLanePad;
  const bool midpoint = spec.depthFilter == DepthFilter::kMidpoint;
  z.assign(n, -kInf);
  for (int row = 0; row < l.rows; ++row)
    std::fill_n(z.begin() + static_cast<ptrdiff_t>(row) * l.stride, l.columns, kInf);
  if (midpoint) z2 = z;
  id.resize(n);
  sampleX.resize(n), sampleY.resize(n);
  l.x = sampleX.data(), l.y = sampleY.data(), l.z = z.data(), l.id = id.data();
  l.limit = midpoint ? z2.data() : z.data();
  fillPositions();

  motionReady = false;
  anyList = false;
  entries.clear();
  grids.clear();
  nextId = 0;
  const size_t pixels = static_cast<size_t>(rect.width()) * static_cast<size_t>(rect.height());
  pixelMax.assign(pixels, kInf);
  dirty.assign(pixels, 0);
  anyDirty = false, bucketMax = pixels ? kInf : -kInf;
}

void BucketHider::Impl::copyRows(const std::vector<float>& rows, int stepX, int stepY, float* to) const {
  // Strips of eight pixels; the first and the last may stick out.
  const Lattice& l = ctx.lattice;
  const size_t cells = static_cast<size_t>(kStripPixels * l.xs);
  for (int py = 0; py < rect.height(); ++py)
    for (int sx = rect.x0 >> 3; sx * kStripPixels < rect.x1; ++sx) {
      const int corner = sx * kStripPixels, x0 = std::max(rect.x0, corner),
                x1 = std::min(rect.x1, corner + kStripPixels);
      const size_t skip = static_cast<size_t>((x0 - corner) * l.xs), count = static_cast<size_t>((x1 - x0) * l.xs);
      const float step = static_cast<float>((corner - rect.x0) * stepX + py * stepY);
      const float* from = &rows[static_cast<size_t>(pattern.stripAt(sx, rect.y0 + py) * l.ys) * cells + skip];
      float* out = to + pixelAt(x0 - rect.x0, py, 0);
      for (int cy = 0; cy < l.ys; ++cy, from += cells, out += l.stride)
        for (size_t k = 0; k < count; ++k) out[k] = from[k] + step;
    }
}

void BucketHider::Impl::fillPositions() {
  copyRows(pattern.rowX, kUnits, 0, sampleX.data());
  copyRows(pattern.rowY, 0, kUnits, sampleY.data());
}

const GridRecord& BucketHider::Impl::recordOf(uint32_t triangle) const {
  const auto it = std::upper_bound(grids.begin(), grids.end(), triangle,
                                   [](uint32_t t, const GridRecord& g) { return t < g.idBase; });
  return *(it - 1);
}

bool BucketHider::Impl::before(uint32_t a, uint32_t b) const {
  const GridRecord &ga = recordOf(a), &gb = recordOf(b);
  if (!ga.grid.extras->elements.empty() && !gb.grid.extras->elements.empty() &&
      ga.grid.order >> 32 == gb.grid.order >> 32) {
    const uint32_t ea = elementOf(ga, a), eb = elementOf(gb, b);
    if (ea != eb) return ea < eb;
  }
  if (ga.grid.order != gb.grid.order) return ga.grid.order < gb.grid.order;
  return a - ga.idBase < b - gb.idBase;
}

namespace {
bool finite(float v) { return std::fabs(v) <= std::numeric_limits<float>::max(); }

/// Any NaN or infinity in a plane; integers, so that it vectorises.
bool anyNonFinite(std::span<const float> values) {
  uint32_t top = 0;
  for (const float v : values) top = std::max(top, std::bit_cast<uint32_t>(v) & 0x7fffffffu);
  return top >= 0x7f800000u;
}

/// Least and most of values that are numbers. Eight of each, so that it vectorises.
void range(const float* v, size_t n, float& least, float& most) {
  float lo[8], hi[8];
  std::fill_n(lo, 8, kInf), std::fill_n(hi, 8, -kInf);
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t l = 0; l < 8; ++l) {
      lo[l] = v[i + l] < lo[l] ? v[i + l] : lo[l];
      hi[l] = v[i + l] > hi[l] ? v[i + l] : hi[l];
    }
  for (; i < n; ++i) lo[0] = std::min(lo[0], v[i]), hi[0] = std::max(hi[0], v[i]);
  least = *std::min_element(lo, lo + 8), most = *std::max_element(hi, hi + 8);
}

/// A plane in whole units, and its range.
void planeToUnits(const float* v, size_t n, int origin, int32_t* units, float& least, float& most) {
  for (size_t i = 0; i < n; ++i) units[i] = toUnits(v[i], origin);
  range(v, n, least, most);
}
}  // namespace

bool BucketHider::Impl::prepareStill(const MicroGrid& grid, RasterBound& box) {
  const size_t points = static_cast<size_t>(grid.points());
  vertexX.resize(points + kLanePad), vertexY.resize(points + kLanePad), vertexZ.resize(points + kLanePad);
  const bool clean =
      !anyNonFinite(grid.x.first(points)) && !anyNonFinite(grid.y.first(points)) && !anyNonFinite(grid.z.first(points));
  if (clean) {
    planeToUnits(grid.x.data(), points, rect.x0, vertexX.data(), box.x0, box.x1);
    planeToUnits(grid.y.data(), points, rect.y0, vertexY.data(), box.y0, box.y1);
    std::copy_n(grid.z.data(), points, vertexZ.data());
    range(grid.z.data(), points, box.z0, box.z1);
  }
  for (size_t v = 0; v < points && !clean; ++v) {
    const bool ok = finite(grid.x[v]) && finite(grid.y[v]) && finite(grid.z[v]);
    vertexFlags[v] = ok ? 0 : 1;
    vertexX[v] = toUnits(ok ? grid.x[v] : 0, rect.x0);
    vertexY[v] = toUnits(ok ? grid.y[v] : 0, rect.y0);
    vertexZ[v] = ok ? grid.z[v] : 0;
    if (ok) box.add(grid.x[v], grid.y[v], grid.z[v]);
  }
  RasterGrid& g = ctx.grid;
  g.x = vertexX.data(), g.y = vertexY.data(), g.z = vertexZ.data();
  return clean;
}

void BucketHider::Impl::classify(const MicroGrid& grid) {
  const size_t points = static_cast<size_t>(grid.points());
  // Flags of a vertex: 1 no position, 2 less than opaque, 4 something to see.
  for (size_t v = 0; v < points; ++v) {
    uint8_t f = vertexFlags[v] & 1;
    if (grid.oi.empty()) {
      f |= 4;
    } else {
      for (size_t c = 0; c < 3; ++c) {
        const float o = grid.oi[c * points + v], e = grid.ci.empty() ? 0 : grid.ci[c * points + v];
        if (!(finite(o) && o >= spec.opacityThreshold)) f |= 2;
        if ((finite(o) && o > 0) || (finite(e) && e != 0 && !grid.matte)) f |= 4;
      }
    }
    vertexFlags[v] = f;
  }
  classes.resize(static_cast<size_t>(grid.nu) * static_cast<size_t>(grid.nv));
  const size_t row = static_cast<size_t>(grid.nu) + 1;
  const auto toB = grid.stepU(), toD = grid.stepV();
  size_t mp = 0;
  for (size_t j = 0; j < static_cast<size_t>(grid.nv); ++j)
    for (size_t i = 0; i < static_cast<size_t>(grid.nu); ++i, ++mp) {
      const uint8_t* f = vertexFlags.data() + j * row + i;
      const uint8_t all = f[0] | f[toB] | f[toD] | f[toD + toB];
      const uint8_t value = grid.smooth ? all : f[0];
      if ((all & 1) || !(value & 4)) {
        ++ctx.culled;
        classes[mp] = MpClass::kSkip;
      } else {
        classes[mp] = value & 2 ? MpClass::kList : MpClass::kOpaque;
      }
      if (all & 1) stats.add(Counter::kNanRepaired);
    }
  ctx.grid.classes = classes.data();
}

void BucketHider::Impl::rasterize(const MicroGrid& grid) {
  const bool cells = grid.kind == GridKind::kCells;
  if (!cells && grid.kind != GridKind::kQuads) return rasterizeElements(grid);
  const size_t points =
      cells ? 4 * static_cast<size_t>(std::max(0, grid.nu))
            : static_cast<size_t>(std::max(0, grid.nu) + 1) * static_cast<size_t>(std::max(0, grid.nv) + 1);
  const size_t all = points * static_cast<size_t>(std::max(1, grid.keys));
  if (grid.nu <= 0 || grid.nv <= 0 || (cells && grid.nv != 1) || rect.empty() || grid.x.size() < all ||
      grid.y.size() < all || grid.z.size() < all || (!grid.oi.empty() && grid.oi.size() < 3 * points))
    return;

  // Into raster units; positions that are no numbers take their micropolygons away.
  RasterGrid& g = ctx.grid;
  g = RasterGrid{};
  g.nu = grid.nu, g.nv = grid.nv, g.cullFacing = grid.cullFacing, g.idBase = nextId;
  g.stepU = grid.stepU(), g.stepV = grid.stepV(), g.points = static_cast<int>(points);
  vertexFlags.assign(points, 0);
  RasterBound box;
  const bool moving = grid.keys > 1 || hasLens(spec);
  const bool clean = moving ? prepareMoving(grid, box) : prepareStill(grid, box);
  if (box.empty() || box.x1 < static_cast<float>(rect.x0) || box.x0 > static_cast<float>(rect.x1) ||
      box.y1 < static_cast<float>(rect.y0) || box.y0 > static_cast<float>(rect.y1))
    return;

  // What each micropolygon is: opaque, for the lists, or nothing.
  g.classes = nullptr;
  if (!clean || !grid.oi.empty()) classify(grid);
  if (grid.extras->outline) classifyTrim(grid, classes, ctx);
  checkClip = leavesClip(grid, box);
  ctx.hitsOnly = checkClip || grid.hasShare() || spec.depthFilter == DepthFilter::kMidpoint;
  addGrid(grid, moving, pixelsOf(box));
  takeIds(2 * static_cast<uint32_t>(grid.nu) * static_cast<uint32_t>(grid.nv));

  sampleGrid(moving, box);
}

bool BucketHider::Impl::needsRepair(const MicroGrid& grid) {
  if (grid.finiteValues) return false;
  bool repair = false;
  for (const auto& plane : {grid.ci, grid.oi, grid.aov})
    if (anyNonFinite(plane)) {
      repair = true;
      for (const float v : plane) stats.add(Counter::kNanRepaired, finite(v) ? 0 : 1);
    }
  return repair;
}

bool BucketHider::Impl::isSeen(size_t place) const {
  const GridRecord& record = grids[place];
  const uint32_t first = record.idBase;
  const uint32_t count = (place + 1 < grids.size() ? grids[place + 1].idBase : nextId) - first;
  const Lattice& l = ctx.lattice;
  const PixelRect& r = record.reach;
  for (int row = r.y0 * l.ys; row < r.y1 * l.ys; ++row) {
    const size_t at = static_cast<size_t>(row) * static_cast<size_t>(l.stride) + static_cast<size_t>(r.x0 * l.xs);
    const float* const depth = &z[at];
    const uint32_t* const triangle = &id[at];
    const int columns = r.width() * l.xs;
    // Without a way out, so that it vectorises. Samples that see nothing have the names of buckets before.
    uint32_t any = 0;
    for (int i = 0; i < columns; ++i)
      any |= static_cast<uint32_t>(triangle[i] - first < count) & static_cast<uint32_t>(depth[i] < kInf);
    if (any) return true;
  }
  return false;
}

void BucketHider::Impl::setValues(size_t place, const MicroGrid& grid) {
  GridRecord& record = grids[place];
  record.grid.ci = grid.ci, record.grid.aov = grid.aov;
  record.repair = needsRepair(record.grid);
}

bool BucketHider::Impl::leavesClip(const MicroGrid& grid, const RasterBound& box) {
  const RasterBound& c = grid.extras->clip;
  return grid.extras->hasClip &&
         (box.x0 < c.x0 || box.x1 > c.x1 || box.y0 < c.y0 || box.y1 > c.y1 || box.z0 < c.z0 || box.z1 > c.z1);
}

void BucketHider::Impl::addGrid(const MicroGrid& grid, bool moving, const PixelRect& reach) {
  if (grids.size() == grids.capacity()) grids.reserve(grids.size() + grids.size() / 8 + 32);  // records are large
  grids.push_back({grid, nextId, moving, needsRepair(grid), reach});
}

void BucketHider::Impl::sampleGrid(bool moving, const RasterBound& box) {
  if (moving) {
    kernel->moving(ctx);
  } else {
    kernel->still(ctx);
  }
  drain();
  markDirty(box);
}

void BucketHider::Impl::insertOpaque(uint32_t sample, float depth, uint32_t triangle) {
  const bool midpoint = !z2.empty();
  if (depth < z[sample] || (depth == z[sample] && before(triangle, id[sample]))) {
    if (midpoint) z2[sample] = z[sample];
    z[sample] = depth;
    id[sample] = triangle;
    ++ctx.hitTotal;
  } else if (midpoint && depth < z2[sample]) {
    z2[sample] = depth;
  }
}

float BucketHider::Impl::shareNumber(uint32_t sample) const {
  const auto place = [](int origin, float units) {
    return static_cast<uint32_t>(origin * static_cast<int>(kUnits) + static_cast<int>(units));
  };
  const uint64_t h = hashCombine(place(rect.x0, sampleX[sample]), place(rect.y0, sampleY[sample]));
  return static_cast<float>(h >> 40) * 0x1p-24f;
}

void BucketHider::Impl::drain() {
  const GridRecord& record = grids.back();
  const RasterGrid& g = ctx.grid;
  for (int h = 0; h < ctx.hitCount; ++h) {
    const Hit& hit = hits[static_cast<size_t>(h)];
    if (checkClip) {
      const float x = static_cast<float>(rect.x0) + sampleX[hit.sample] / kUnits;
      const float y = static_cast<float>(rect.y0) + sampleY[hit.sample] / kUnits;
      const RasterBound& c = record.grid.extras->clip;
      if (x < c.x0 || x > c.x1 || y < c.y0 || y > c.y1 || hit.z < c.z0 || hit.z > c.z1) {
        stats.add(Counter::kBoundExceeded);
        continue;
      }
    }
    if (record.grid.hasShare()) {
      const float number = shareNumber(hit.sample);
      if (number < record.grid.shareFrom || number >= record.grid.shareTo) continue;
    }
    const MpClass cls = g.classes ? g.classes[(hit.id - g.idBase) >> 1] : MpClass::kOpaque;
    if (cls >= MpClass::kCutOpaque && trimmedAway(*this, record, hit.id, hit.sample)) continue;
    if (cls == MpClass::kOpaque || cls == MpClass::kCutOpaque) {
      insertOpaque(hit.sample, hit.z, hit.id);
      continue;
    }
    if (!anyList) {
      heads.assign(z.size(), kNoEntry);
      anyList = true;
    }
    heads[hit.sample] = entries.add({hit.z, hit.id, heads[hit.sample]});
    ++ctx.hitTotal;
  }
  ctx.hitCount = 0;
}

PixelRect BucketHider::Impl::pixelsOf(const RasterBound& box) const {
  const auto pixel = [](float v, int origin, int n) {
    return std::clamp(static_cast<int>(std::clamp(std::floor(v), -1e9f, 1e9f)) - origin, 0, n - 1);
  };
  return {pixel(box.x0, rect.x0, rect.width()), pixel(box.y0, rect.y0, rect.height()),
          pixel(box.x1, rect.x0, rect.width()) + 1, pixel(box.y1, rect.y0, rect.height()) + 1};
}

void BucketHider::Impl::markDirty(const RasterBound& box) {
  const PixelRect r = pixelsOf(box);
  for (int y = r.y0; y < r.y1; ++y)
    std::fill_n(dirty.begin() + static_cast<ptrdiff_t>(y) * rect.width() + r.x0, r.width(), uint8_t{1});
  anyDirty = true;
}

BucketHider::BucketHider(const SamplingSpec& spec) : impl_(std::make_unique<Impl>(spec)) {}
BucketHider::~BucketHider() = default;
void BucketHider::reset(const PixelRect& rect) { impl_->reset(rect); }
bool BucketHider::hidden(const RasterBound& bound) const { return impl_->hidden(bound); }
bool BucketHider::hidden(const RasterBound& all, const MovingBound& path) const { return impl_->hidden(all, path); }
int BucketHider::rasterize(const MicroGrid& grid) {
  const size_t before = impl_->grids.size();
  impl_->rasterize(grid);
  return impl_->grids.size() > before ? static_cast<int>(before) : -1;
}
int BucketHider::rasterizeOpaque(const GridShape& shape) {
  MicroGrid grid;
  static_cast<GridShape&>(grid) = shape;
  return rasterize(grid);
}
int64_t BucketHider::hits() const { return impl_->ctx.hitTotal; }
bool BucketHider::isSeen(int place) const { return impl_->isSeen(static_cast<size_t>(place)); }
void BucketHider::setValues(int place, const MicroGrid& grid) { impl_->setValues(static_cast<size_t>(place), grid); }
SampleTile BucketHider::resolve(DeepTile* events) { return impl_->resolve(events); }

const Stats& BucketHider::stats() const {
  Stats& s = impl_->stats;
  RasterContext& c = impl_->ctx;
  s.add(Counter::kSampleTests, c.tests), s.add(Counter::kSampleHits, c.hitTotal);
  s.add(Counter::kBucketMicropolygons, c.micropolygons), s.add(Counter::kBucketCulled, c.culled);
  c.tests = c.hitTotal = c.micropolygons = c.culled = 0;
  return s;
}

HiderBytes BucketHider::bytesBy() const {
  const Impl& m = *impl_;
  const auto of = [](const auto&... v) { return (size_t{0} + ... + (v.capacity() * sizeof(v[0]))); };
  HiderBytes b;
  b.lattice = of(m.sampleX, m.sampleY, m.sampleTime, m.sampleLensX, m.sampleLensY, m.stripBlocks, m.stratumOrder,
                 m.pixelMax, m.dirty);
  b.opaque = of(m.z, m.z2, m.id);
  b.lists = of(m.heads) + m.entries.bytes();
  b.work = of(m.vertexX, m.vertexY, m.vertexZ, m.keyX, m.keyY, m.keyZ, m.keyCoc, m.keyRadius, m.runX, m.runY, m.runZ,
              m.vertexFlags, m.classes, m.hits, m.opaque, m.ordered, m.gridOfBlock, m.gridStart, m.packedAt, m.packed) +
           (m.movingScratch ? sizeof(MovingScratch) : 0) + (m.events ? m.events->bytes() : 0) + of(m.grids);
  return b;
}
size_t BucketHider::bytes() const { return bytesBy().all(); }

}  // namespace reyes::hider
