// SPDX-License-Identifier: Apache-2.0
// From hits to sample values: each sample's surfaces, nearest first, composited and truncated at the opacity
// threshold. Called at the end of a bucket by BucketHider::resolve.
//
// Rules. Colour C += T Ci, opacity O += T Oi, T *= 1 - Oi a channel, Oi clamped to 0..1; a matte surface adds nothing
// to C and O but takes its T. Nothing is added behind the point where every channel has O >= opacityThreshold. Depth is
// that of the nearest surface whose own opacity reaches zThreshold in every channel (midpoint: half way to the second
// such surface, infinite where there is none). Output variables are those of the surface that gives the depth, else of
// the nearest surface; zero for matte.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/resolve_kernels.h"

namespace reyes::hider {

#define REYES_RESOLVE(isa)                       \
  namespace isa {                                \
  void resolveLocate(const ResolveBatch&);       \
  void resolveLocateMoving(const ResolveBatch&); \
  void resolveValues(const ResolveBatch&);       \
  }
REYES_RESOLVE(sse4)
REYES_RESOLVE(avx2)
REYES_RESOLVE(avx512)
#undef REYES_RESOLVE

const ResolveKernels& resolveKernels(Isa isa) {
  static constexpr ResolveKernels kAll[] = {
      {sse4::resolveLocate, sse4::resolveLocateMoving, sse4::resolveValues},
      {avx2::resolveLocate, avx2::resolveLocateMoving, avx2::resolveValues},
      {avx512::resolveLocate, avx512::resolveLocateMoving, avx512::resolveValues}};
  return kAll[static_cast<int>(isa)];
}

namespace {

/// Where in a micropolygon a sample lies: corner a, and bilinear weights (s towards u, t towards v).
struct Location {
  const GridRecord* record = nullptr;
  size_t a = 0;
  float s = 0, t = 0;
};

struct Resolver {
  const BucketHider::Impl& b;
  const GridRecord* last = nullptr;
  struct Surface {
    float z;
    uint32_t id;
  };
  std::vector<Surface> surfaces;

  const GridRecord& record(uint32_t id) {
    if (!last || id < last->idBase || (last != &b.grids.back() && id >= last[1].idBase)) last = &b.recordOf(id);
    return *last;
  }

  Location locate(uint32_t id, size_t sample);
  float value(const Location& at, std::span<const float> planes, size_t plane) const;
  void composite(size_t sample, float* out, uint8_t& hit);
};

Location Resolver::locate(uint32_t id, size_t sample) {
  Location at;
  at.record = &record(id);
  const MicroGrid& g = at.record->grid;
  const uint32_t local = id - at.record->idBase, mp = local >> 1;
  const bool second = local & 1;
  const size_t row = static_cast<size_t>(g.nu) + 1;
  at.a = mp / static_cast<uint32_t>(g.nu) * row + mp % static_cast<uint32_t>(g.nu);
  if (!g.smooth) return at;

  const size_t v[3] = {at.a, second ? at.a + row + 1 : at.a + 1, second ? at.a + row : at.a + row + 1};
  float s, t;
  if (at.record->moving) {
    double x[3], y[3];
    for (int n = 0; n < 3; ++n) b.movedVertex(g, v[n], sample, x[n], y[n]);
    const double p[2] = {static_cast<double>(b.sampleX[sample]), static_cast<double>(b.sampleY[sample])};
    triangleWeights(second, static_cast<float>(x[1] - x[0]), static_cast<float>(y[1] - y[0]),
                    static_cast<float>(x[2] - x[0]), static_cast<float>(y[2] - y[0]), static_cast<float>(p[0] - x[0]),
                    static_cast<float>(p[1] - y[0]), s, t);
  } else {
    int32_t x[3], y[3];
    for (int n = 0; n < 3; ++n) x[n] = toUnits(g.x[v[n]], b.rect.x0), y[n] = toUnits(g.y[v[n]], b.rect.y0);
    const int32_t p[2] = {static_cast<int32_t>(b.sampleX[sample]), static_cast<int32_t>(b.sampleY[sample])};
    triangleWeights(second, static_cast<float>(x[1] - x[0]), static_cast<float>(y[1] - y[0]),
                    static_cast<float>(x[2] - x[0]), static_cast<float>(y[2] - y[0]), static_cast<float>(p[0] - x[0]),
                    static_cast<float>(p[1] - y[0]), s, t);
  }
  at.s = s, at.t = t;
  return at;
}

float Resolver::value(const Location& at, std::span<const float> planes, size_t plane) const {
  const MicroGrid& g = at.record->grid;
  const size_t points = static_cast<size_t>(g.points()), row = static_cast<size_t>(g.nu) + 1;
  if (planes.size() < (plane + 1) * points) return 0;
  const float* p = planes.data() + plane * points + at.a;
  if (!g.smooth) return repaired(p[0]);
  const float v00 = repaired(p[0]), v10 = repaired(p[1]), v01 = repaired(p[row]), v11 = repaired(p[row + 1]);
  const float top = v00 + at.s * (v10 - v00), bottom = v01 + at.s * (v11 - v01);
  return top + at.t * (bottom - top);
}

void Resolver::composite(size_t sample, float* out, uint8_t& hit) {
  // Gather and order the sample's surfaces.
  surfaces.clear();
  const float nearest = b.z[sample], limit = b.ctx.lattice.limit[sample];
  if (b.anyList)
    for (uint32_t e = b.heads[sample]; e != kNoEntry; e = b.entries[e].next)
      if (b.entries[e].z <= limit) surfaces.push_back({b.entries[e].z, b.entries[e].id});
  if (nearest < kInf) surfaces.push_back({nearest, b.id[sample]});
  if (surfaces.empty()) return;
  hit = 1;
  if (surfaces.size() > 1)
    std::sort(surfaces.begin(), surfaces.end(),
              [&](const Surface& p, const Surface& q) { return p.z != q.z ? p.z < q.z : b.before(p.id, q.id); });

  // Front to back.
  float through[3] = {1, 1, 1};
  float depth[2] = {kInf, kInf};
  int depths = 0;
  bool open = true;
  Location aovAt;
  for (const Surface& s : surfaces) {
    const Location at = locate(s.id, sample);
    const MicroGrid& g = at.record->grid;
    float oi[3] = {1, 1, 1};
    for (size_t c = 0; c < 3 && !g.oi.empty(); ++c) oi[c] = std::clamp(value(at, g.oi, c), 0.0f, 1.0f);
    if (open) {
      for (size_t c = 0; c < 3; ++c) {
        if (!g.matte) {
          out[SampleTile::kCi + c] += through[c] * value(at, g.ci, c);
          out[SampleTile::kOi + c] += through[c] * oi[c];
        }
        through[c] *= 1 - oi[c];
      }
      const float most = std::max({through[0], through[1], through[2]});
      open = !(1 - most >= b.spec.opacityThreshold);
    }
    if (!aovAt.record) aovAt = at;
    if (depths < 2 && std::min({oi[0], oi[1], oi[2]}) >= b.spec.zThreshold) {
      if (depths == 0) aovAt = at;
      depth[depths++] = s.z;
    }
    if (!open && depths == 2) break;
  }

  // Depth and output variables.
  if (b.spec.depthFilter == DepthFilter::kMidpoint) {
    // The second opaque surface was kept as a depth alone.
    if (b.z2[sample] < depth[1]) depth[1] = b.z2[sample];
    if (depth[1] < depth[0]) std::swap(depth[0], depth[1]);
    out[SampleTile::kZ] = depth[1] < kInf ? depth[0] + 0.5f * (depth[1] - depth[0]) : kInf;
  } else {
    out[SampleTile::kZ] = depth[0];
  }
  if (!aovAt.record->grid.matte)
    for (size_t c = 0; c < static_cast<size_t>(b.spec.aovFloats); ++c)
      out[SampleTile::kAov + c] = value(aovAt, aovAt.record->grid.aov, c);
}

/// Gathers opaque samples that see one grid and hands them to the kernels.
struct Batcher {
  Resolver& resolver;
  SampleTile& tile;
  const ResolveKernels& kernel;
  const GridRecord* record = nullptr;
  uint32_t end = 0;
  ResolveBatch batch;
  alignas(32) int32_t x[kBatch], y[kBatch], corner[kBatch];
  alignas(32) uint32_t id[kBatch], target[kBatch];
  alignas(32) float z[kBatch], s[kBatch], t[kBatch], time[kBatch], pointX[kBatch], pointY[kBatch];

  Batcher(Resolver& r, SampleTile& to) : resolver(r), tile(to), kernel(resolveKernels(r.b.spec.isa)) {
    batch.originX = r.b.rect.x0, batch.originY = r.b.rect.y0;
    batch.sampleX = x, batch.sampleY = y, batch.id = id, batch.z = z, batch.corner = corner, batch.s = s, batch.t = t;
    batch.target = target, batch.out = tile.values.data(), batch.channels = tile.channels;
    batch.zThreshold = r.b.spec.zThreshold, batch.aovFloats = r.b.spec.aovFloats;
    batch.time = time, batch.pointX = pointX, batch.pointY = pointY;
    const SamplingSpec& spec = r.b.spec;
    batch.lens = hasLens(spec), batch.perspective = spec.perspective, batch.focalDistance = spec.focalDistance;
    batch.lensX = spec.lensPixelsX * kUnits, batch.lensY = spec.lensPixelsY * kUnits;
  }

  void add(size_t at, uint32_t to) {
    const BucketHider::Impl& b = resolver.b;
    const uint32_t triangle = b.id[at];
    if (!record || triangle < record->idBase || triangle >= end || batch.count == kBatch) {
      flush();
      start(triangle);
    }
    const int n = batch.count++;
    x[n] = static_cast<int32_t>(b.sampleX[at]), y[n] = static_cast<int32_t>(b.sampleY[at]);
    id[n] = triangle, target[n] = to, z[n] = b.z[at];
    if (!record->moving) return;
    time[n] = b.sampleTime[at];
    if (batch.lens) pointX[n] = b.sampleLensX[at], pointY[n] = b.sampleLensY[at];
  }

  void start(uint32_t triangle) {
    record = &resolver.record(triangle);
    const MicroGrid& g = record->grid;
    const size_t points = static_cast<size_t>(g.points());
    end = record->idBase + 2 * static_cast<uint32_t>(g.nu) * static_cast<uint32_t>(g.nv);
    batch.x = g.x.data(), batch.y = g.y.data(), batch.depth = g.z.data(), batch.times = g.times.data();
    batch.keys = g.times.size() < static_cast<size_t>(g.keys) ? 1 : g.keys;
    batch.nu = g.nu, batch.points = static_cast<uint32_t>(points);
    batch.idBase = record->idBase, batch.smooth = g.smooth, batch.matte = g.matte, batch.repair = record->repair;
    batch.ci = g.ci.size() >= 3 * points ? g.ci.data() : nullptr;
    batch.oi = g.oi.empty() ? nullptr : g.oi.data();
    batch.aov = g.aov.size() >= static_cast<size_t>(batch.aovFloats) * points ? g.aov.data() : nullptr;
  }

  void flush() {
    if (batch.count == 0) return;
    for (int n = batch.count; n & 7; ++n) {
      x[n] = x[0], y[n] = y[0], id[n] = id[0], z[n] = z[0];
      time[n] = time[0], pointX[n] = pointX[0], pointY[n] = pointY[0];
    }
    record->moving ? kernel.locateMoving(batch) : kernel.locate(batch);
    kernel.values(batch);
    batch.count = 0;
  }
};

}  // namespace

void BucketHider::Impl::resolveByGrid(SampleTile& tile) {
  // Which grid a triangle is of: the first that a block of 64 names may be of, and onwards from there.
  gridOfBlock.resize((nextId >> 6) + 1);
  for (size_t block = 0, g = 0; block < gridOfBlock.size(); ++block) {
    while (g + 1 < grids.size() && grids[g + 1].idBase <= block << 6) ++g;
    gridOfBlock[block] = static_cast<uint32_t>(g);
  }
  // Counting sort, stable.
  gridStart.assign(grids.size() + 1, 0);
  for (OpaqueSample& o : opaque) {
    const uint32_t triangle = id[o.at];
    uint32_t g = gridOfBlock[triangle >> 6];
    while (g + 1 < grids.size() && grids[g + 1].idBase <= triangle) ++g;
    o.grid = g;
    ++gridStart[g + 1];
  }
  for (size_t g = 1; g < gridStart.size(); ++g) gridStart[g] += gridStart[g - 1];
  ordered.resize(opaque.size());
  for (const OpaqueSample& o : opaque) ordered[gridStart[o.grid]++] = o;

  Resolver resolver{*this, nullptr, {}};
  Batcher batcher(resolver, tile);
  for (const OpaqueSample& o : ordered) batcher.add(o.at, o.to);
  batcher.flush();
}

SampleTile BucketHider::Impl::resolve() {
  SampleTile tile;
  tile.rect = rect;
  tile.samples = samples();
  tile.channels = SampleTile::kAov + spec.aovFloats;
  const size_t count =
      static_cast<size_t>(rect.width()) * static_cast<size_t>(rect.height()) * static_cast<size_t>(tile.samples);
  tile.values.assign(count * static_cast<size_t>(tile.channels), 0.0f);
  tile.hit.assign(count, 0);
  tile.unitX.resize(count), tile.unitY.resize(count);
  Resolver resolver{*this, nullptr, {}};
  Batcher batcher(resolver, tile);
  const bool midpoint = spec.depthFilter == DepthFilter::kMidpoint;
  // Moving grids interleave from sample to sample: sorted by grid, they still make whole batches.
  const bool sorted = std::any_of(grids.begin(), grids.end(), [](const GridRecord& g) { return g.moving; });
  opaque.clear();
  float* out = tile.values.data();
  size_t k = 0;
  for (int py = 0; py < rect.height(); ++py)
    for (int px = 0; px < rect.width(); ++px)
      for (int cy = 0; cy < ctx.lattice.ys; ++cy) {
        size_t at = pixelAt(px, py, cy * ctx.lattice.xs);
        for (int cx = 0; cx < ctx.lattice.xs; ++cx, ++at, ++k, out += tile.channels) {
          tile.unitX[k] = static_cast<uint16_t>(static_cast<int>(sampleX[at]) - px * kUnits);
          tile.unitY[k] = static_cast<uint16_t>(static_cast<int>(sampleY[at]) - py * kUnits);
          out[SampleTile::kZ] = kInf;
          if (midpoint || (anyList && heads[at] != kNoEntry)) {
            resolver.composite(at, out, tile.hit[k]);
          } else if (z[at] < kInf) {
            tile.hit[k] = 1;
            if (sorted)
              opaque.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(k), 0});
            else
              batcher.add(at, static_cast<uint32_t>(k));
          }
        }
      }
  batcher.flush();
  if (sorted) resolveByGrid(tile);
  return tile;
}

}  // namespace reyes::hider
