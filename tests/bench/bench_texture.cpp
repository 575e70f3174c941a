// SPDX-License-Identifier: Apache-2.0
// Speed of texture look-ups, in ratios to others of the same run. Lines: name value unit reference ratio (time of ours
// / time of the reference; below 1 is faster than it). Grids of 16 x 16 points on a map of bytes, three channels.
// An argument: only lines whose names contain it.
//   texture.trilinear         against scalar calls of OpenImageIO's texture system with the same filter
//   texture.trilinear_gather  grids inside one tile of each level, against a hand-written AVX2 bilinear gather on one
//                             pinned tile (of one level)
//   texture.bilinear_gather   like for like: look-ups on one level only, against that gather
//   texture.anisotropic       footprints four times as long as wide, against OpenImageIO's default filter
//   texture.magnified         bicubic, against OpenImageIO's default filter
//   texture.scattered         every point somewhere else on the map, trilinear, against OpenImageIO
//   texture.half, .float      maps of these types, trilinear, against OpenImageIO
//   texture.misses            64 maps, memory for a quarter of their texels; redundant tiles / tiles read, against 1
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/texture.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"
#include "reyes/texture/texture_system.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace reyes;
using namespace reyes::texture;

namespace {

constexpr int kSide = 16, kPoints = kSide * kSide, kGrids = 32, kMap = 2048;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Best time of a run of f over all grids, nanoseconds a point.
template <class F>
double best(F&& f) {
  double least = 1e30;
  for (const double end = now() + 0.4; now() < end;) {
    const double t = now();
    for (int g = 0; g < kGrids; ++g) f(g);
    least = std::min(least, now() - t);
  }
  return least * 1e9 / (kPoints * kGrids);
}

void line(const char* name, double value, double reference) {
  std::printf("%s %.4g ns/point %.4g %.3f\n", name, value, reference, value / reference);
}

struct Grid {
  float s[kPoints], t[kPoints], dsdu[kPoints], dtdu[kPoints], dsdv[kPoints], dtdv[kPoints];
};

enum class Place { kMiddle, kOneTile, kAnywhere };

/// Turned by some angle, a point every `across` and `along` texels.
std::vector<Grid> makeGrids(float across, float along, Place place) {
  std::vector<Grid> grids(kGrids);
  uint64_t k = 0;
  for (Grid& g : grids) {
    const float angle = toUnitFloat(mix64(++k)) * 6.28f, c = std::cos(angle), n = std::sin(angle);
    float s0 = 0.4f + 0.1f * toUnitFloat(mix64(++k)), t0 = 0.4f + 0.1f * toUnitFloat(mix64(++k));
    if (place == Place::kOneTile) {
      // Around the middle of a tile of 64.
      s0 = (std::floor(s0 * kMap / 64) * 64 + 32 - 8 * (c * along - n * across)) / kMap;
      t0 = (std::floor(t0 * kMap / 64) * 64 + 32 - 8 * (n * along + c * across)) / kMap;
    }
    const bool anywhere = place == Place::kAnywhere;
    for (int i = 0; i < kPoints; ++i) {
      const float x = static_cast<float>(i % kSide) * along / kMap, y = static_cast<float>(i / kSide) * across / kMap;
      g.s[i] = anywhere ? toUnitFloat(mix64(++k)) : s0 + c * x - n * y;
      g.t[i] = anywhere ? toUnitFloat(mix64(++k)) : t0 + n * x + c * y;
      g.dsdu[i] = c * along / kMap, g.dtdu[i] = n * along / kMap;
      g.dsdv[i] = -n * across / kMap, g.dtdv[i] = c * across / kMap;
    }
  }
  return grids;
}

struct Out {
  alignas(64) float plane[3][kPoints];
  float* const planes[3] = {plane[0], plane[1], plane[2]};
};

double ours(TextureSystem& system, const std::string& file, const std::vector<Grid>& grids, const char* filter) {
  LookupOptions o;
  o.filter = filter;
  static Out out;
  return best([&](int k) {
    const Grid& g = grids[static_cast<size_t>(k)];
    system.texture(file, {kPoints, nullptr, g.s, g.t, g.dsdu, g.dtdu, g.dsdv, g.dtdv}, o, 3, out.planes, {});
  });
}

double theirs(OIIO::TextureSystem& system, const std::string& file, const std::vector<Grid>& grids, bool trilinear) {
  auto* handle = system.get_texture_handle(OIIO::ustring(file));
  auto* thread = system.get_perthread_info();
  OIIO::TextureOpt o;
  if (trilinear) {
    o.mipmode = OIIO::TextureOpt::MipModeTrilinear;
    o.interpmode = OIIO::TextureOpt::InterpBilinear;
  }
  static Out out;
  return best([&](int k) {
    const Grid& g = grids[static_cast<size_t>(k)];
    for (int i = 0; i < kPoints; ++i) {
      float rgb[3];
      system.texture(handle, thread, o, g.s[i], g.t[i], g.dsdu[i], g.dtdu[i], g.dsdv[i], g.dtdv[i], 3, rgb);
      for (int c = 0; c < 3; ++c) out.plane[c][i] = rgb[c];
    }
  });
}

#if defined(__x86_64__)
/// What a hand would write: one level, one tile of 64 x 64 bytes of three channels, eight points at a time.
__attribute__((target("avx2"))) void gatherTile(const uint8_t* tile, const Grid& g, Out& out) {
  const __m256 size = _mm256_set1_ps(kMap), half = _mm256_set1_ps(0.5f), scale = _mm256_set1_ps(1 / 255.0f);
  const __m256i mask = _mm256_set1_epi32(62), byte = _mm256_set1_epi32(255);
  for (int i = 0; i < kPoints; i += 8) {
    const __m256 x = _mm256_sub_ps(_mm256_mul_ps(_mm256_loadu_ps(g.s + i), size), half);
    const __m256 y = _mm256_sub_ps(_mm256_mul_ps(_mm256_loadu_ps(g.t + i), size), half);
    const __m256 fx0 = _mm256_floor_ps(x), fy0 = _mm256_floor_ps(y);
    const __m256 fx = _mm256_sub_ps(x, fx0), fy = _mm256_sub_ps(y, fy0);
    const __m256i ix = _mm256_and_si256(_mm256_cvttps_epi32(fx0), mask);
    const __m256i iy = _mm256_and_si256(_mm256_cvttps_epi32(fy0), mask);
    const __m256i at = _mm256_add_epi32(_mm256_slli_epi32(iy, 6), ix);
    const __m256i o = _mm256_add_epi32(_mm256_add_epi32(at, at), at);
    const int* base = reinterpret_cast<const int*>(tile);
    const __m256i w00 = _mm256_i32gather_epi32(base, o, 1);
    const __m256i w10 = _mm256_i32gather_epi32(base, _mm256_add_epi32(o, _mm256_set1_epi32(3)), 1);
    const __m256i w01 = _mm256_i32gather_epi32(base, _mm256_add_epi32(o, _mm256_set1_epi32(192)), 1);
    const __m256i w11 = _mm256_i32gather_epi32(base, _mm256_add_epi32(o, _mm256_set1_epi32(195)), 1);
    const auto channel = [&](__m256i w, int c) __attribute__((target("avx2"))) {
      return _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srl_epi32(w, _mm_cvtsi32_si128(8 * c)), byte));
    };
    for (int c = 0; c < 3; ++c) {
      const __m256 v00 = channel(w00, c), v10 = channel(w10, c), v01 = channel(w01, c), v11 = channel(w11, c);
      const __m256 low = _mm256_add_ps(v00, _mm256_mul_ps(_mm256_sub_ps(v10, v00), fx));
      const __m256 high = _mm256_add_ps(v01, _mm256_mul_ps(_mm256_sub_ps(v11, v01), fx));
      const __m256 v = _mm256_add_ps(low, _mm256_mul_ps(_mm256_sub_ps(high, low), fy));
      _mm256_storeu_ps(out.plane[c] + i, _mm256_mul_ps(v, scale));
    }
  }
}
#endif

double gathered(const std::vector<Grid>& grids) {
  static Out out;
  std::vector<uint8_t> tile(64 * 64 * 3 + 16);
  for (size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<uint8_t>(mix64(i));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return best([&](int k) { gatherTile(tile.data(), grids[static_cast<size_t>(k)], out); });
#endif
  return 0;
}

std::string makeMap(const std::string& folder, const std::string& name, image::PixelType type, int side, int seed) {
  image::Image im;
  im.dataWindow = im.displayWindow = {0, 0, side, side};
  im.channels = {{"R", type}, {"G", type}, {"B", type}};
  im.allocate();
  const float scale = type == image::PixelType::kUint8 ? 255.0f : 1.0f;
  uint64_t k = static_cast<uint64_t>(seed) << 40;
  for (float& v : im.pixels) v = std::floor(scale * toUnitFloat(mix64(++k)) * 64) / 64;
  const bool exr = type != image::PixelType::kUint8;
  const std::string picture = folder + "/" + name + (exr ? ".exr" : ".tif"), map = folder + "/" + name + ".tx";
  std::string error = image::writeImage(picture, exr ? "exr" : "tiff", im, 1);
  if (error.empty()) error = makeTexture(picture, map, {});
  if (!error.empty()) std::fprintf(stderr, "%s\n", error.c_str());
  return map;
}

/// Many maps, each seen whole, with too little memory for them.
void misses(Diagnostics& diag, const std::string& folder) {
  constexpr int kMaps = 64, kLittle = 512;
  std::vector<std::string> maps;
  for (int m = 0; m < kMaps; ++m)
    maps.push_back(makeMap(folder, format("m{}", m), image::PixelType::kUint8, kLittle, m));
  TextureSystem system(diag, int64_t(16) << 20);
  static Out out;
  static Grid g;
  // In the order in which a frame meets them: buckets of the picture, all maps in each.
  for (int square = 0; square < 64; ++square)
    for (const std::string& map : maps) {
      for (int i = 0; i < kPoints; ++i) {
        g.s[i] = (static_cast<float>(square % 8) + static_cast<float>(i % kSide) / kSide) / 8;
        g.t[i] = (static_cast<float>(square / 8) + static_cast<float>(i / kSide) / kSide) / 8;
        g.dsdu[i] = g.dtdv[i] = 1.5f / kLittle;
      }
      system.texture(map, {kPoints, nullptr, g.s, g.t, g.dsdu, g.dtdu, g.dsdv, g.dtdv}, {}, 3, out.planes, {});
    }
  const TextureStats s = system.stats();
  std::fprintf(stderr,
               "misses: %lld look-ups, %lld tile requests, %lld hits, %lld tiles read (%lld again), %.1f MB read\n",
               static_cast<long long>(s.lookups), static_cast<long long>(s.tileRequests),
               static_cast<long long>(s.tileHits), static_cast<long long>(s.tilesRead),
               static_cast<long long>(s.redundantTiles), static_cast<double>(s.bytesRead) / 1e6);
  std::printf("texture.misses %lld tiles %lld %.3f\n", static_cast<long long>(s.redundantTiles),
              static_cast<long long>(s.tilesRead),
              static_cast<double>(s.redundantTiles) / static_cast<double>(std::max<int64_t>(1, s.tilesRead)));
}

/// Lines whose names contain `only`.
void speed(Diagnostics& diag, const std::string& folder, const char* only) {
  const auto wanted = [&](const char* name) { return std::strstr(name, only) != nullptr; };
  TextureSystem system(diag, int64_t(1) << 30);
  OIIO::TextureSystem* oiio = OIIO::TextureSystem::create(false);
  oiio->attribute("max_memory_MB", 1024.0f);
  const std::string bytes = makeMap(folder, "bytes", image::PixelType::kUint8, kMap, 1);
  const auto square = makeGrids(1.5f, 1.5f, Place::kMiddle), longer = makeGrids(1.2f, 4.8f, Place::kMiddle);
  const auto inside = makeGrids(1.5f, 1.5f, Place::kOneTile), close = makeGrids(0.2f, 0.2f, Place::kMiddle);
  const auto nearby = makeGrids(0.5f, 0.5f, Place::kOneTile), scattered = makeGrids(1.5f, 1.5f, Place::kAnywhere);
  const auto beside = [&](const char* name, const std::string& map, const std::vector<Grid>& grids,
                          const char* filter) {
    if (wanted(name)) line(name, ours(system, map, grids, filter), theirs(*oiio, map, grids, *filter != 0));
  };
  const auto besideHand = [&](const char* name, const std::vector<Grid>& grids, const char* filter) {
    if (!wanted(name)) return;
    const double mine = ours(system, bytes, grids, filter), hand = gathered(grids);
    if (hand > 0) line(name, mine, hand);
  };
  beside("texture.trilinear", bytes, square, "trilinear");
  besideHand("texture.trilinear_gather", inside, "trilinear");
  besideHand("texture.bilinear_gather", nearby, "bilinear");
  beside("texture.anisotropic", bytes, longer, "");
  beside("texture.magnified", bytes, close, "");
  beside("texture.scattered", bytes, scattered, "trilinear");
  if (wanted("texture.half"))
    beside("texture.half", makeMap(folder, "half", image::PixelType::kHalf, kMap, 2), square, "trilinear");
  if (wanted("texture.float"))
    beside("texture.float", makeMap(folder, "float", image::PixelType::kFloat, kMap, 3), square, "trilinear");
  OIIO::TextureSystem::destroy(oiio, true);
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / format("reyes_bench_texture_{}", getpid());
  fs::create_directories(folder);
  Diagnostics diag;
  speed(diag, folder.string(), argc > 1 ? argv[1] : "");
  if (argc == 1 || std::strstr("texture.misses", argv[1])) misses(diag, folder.string());
  fs::remove_all(folder);
  return diag.count(Severity::kError) > 0;
}
