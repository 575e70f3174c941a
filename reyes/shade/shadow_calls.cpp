// SPDX-License-Identifier: Apache-2.0
// shadow() for the points of a grid, and shadows of lights that ask for a map which their shader does not know.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/shade/grid_services.h"

namespace reyes::shade {
namespace {

float optionOr(const scene::World* world, const char* name, float fallback) {
  if (!world) return fallback;
  const auto it = world->options.find(name);
  return it != world->options.end() && !it->second.floats.empty() ? it->second.floats[0] : fallback;
}

SourceLoc place(const vm::Lanes& lanes) { return {Name(lanes.file), lanes.line, 0}; }

/// Change to the next point along u or v, centred in the grid.
void changes(const float* from, int nu, int nv, bool alongU, float* to) {
  const int row = nu + 1, last = alongU ? nu : nv, step = alongU ? 1 : row;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i) {
      const int k = j * row + i, at = alongU ? i : j;
      const int low = at > 0 ? k - step : k, high = at < last ? k + step : k;
      const float steps = static_cast<float>((high - low) / step);
      to[k] = steps > 0 ? (from[high] - from[low]) / steps : 0.0f;
    }
}

/// The same of cells (vm::GridInfo): `step` rows from corner to corner.
void cellChanges(const float* from, int cells, int step, float* to) {
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < cells; ++i)
      to[row * cells + i] = from[(row | step) * cells + i] - from[(row & ~step) * cells + i];
}

}  // namespace

float firstActive(const vm::Lanes& lanes, const vm::Value& v) {
  if (v.uniform || !lanes.active) return v.at(0);
  for (int i = 0; i < lanes.points; ++i)
    if (lanes.active[i]) return v.at(i);
  return v.at(0);
}

texture::ShadowOptions GridServices::shadowOptions() const {
  texture::ShadowOptions o;
  o.isa = frame_.isa;
  const float bias = optionOr(frame_.world, "shadow:bias", -1);
  o.bias0 = bias >= 0 ? bias : optionOr(frame_.world, "shadow:bias0", o.bias0);
  o.bias1 = bias >= 0 ? bias : optionOr(frame_.world, "shadow:bias1", o.bias1);
  // One of the two alone is both.
  if (o.bias0 < 0) o.bias0 = o.bias1;
  if (o.bias1 < 0) o.bias1 = o.bias0;
  return o;
}

void GridServices::lookUpShadow(const std::string& file, const vm::Lanes& lanes, const float* const p[3],
                                const float* const du[3], const float* const dv[3],
                                const texture::ShadowOptions& options, int channels, float* const out[3]) {
  // Points and their extents in world space, where maps are indexed from.
  Matrix4 m;
  if (!spaces_.between("current", "world", m)) return;
  const size_t n = static_cast<size_t>(lanes.lanes);
  Arena scratch(sizeof(float) * n * 10 + 4096);
  const bool wide = du && du[0] && dv && dv[0];
  float *q[3], *a[3], *b[3];
  for (int c = 0; c < 3; ++c)
    q[c] = scratch.make<float>(n).data(), a[c] = scratch.make<float>(n).data(), b[c] = scratch.make<float>(n).data();
  const auto seeds = scratch.make<uint32_t>(n);
  for (int i = 0; i < lanes.points; ++i) {
    const Vec3 at = transformPoint(m, {p[0][i], p[1][i], p[2][i]});
    const Vec3 u = wide ? transformVector(m, {du[0][i], du[1][i], du[2][i]}) : Vec3{};
    const Vec3 v = wide ? transformVector(m, {dv[0][i], dv[1][i], dv[2][i]}) : Vec3{};
    for (int c = 0; c < 3; ++c) q[c][i] = at[c], a[c][i] = u[c], b[c][i] = v[c];
    seeds[static_cast<size_t>(i)] =
        static_cast<uint32_t>(hashCombine(grid_->seed, static_cast<uint64_t>(i), 0x5ad0) >> 32);
  }
  frame_.textures->shadow(file, lanes.points, lanes.active, q, wide ? a : nullptr, wide ? b : nullptr, seeds.data(),
                          options, channels, out, place(lanes));
}

bool GridServices::shadow(const vm::Lanes& lanes, const vm::MapCall& call) {
  if (!frame_.textures) return false;
  texture::ShadowOptions o = shadowOptions();
  for (const auto& [token, value] : call.tokens) {
    if (!value.data) continue;
    const float f = firstActive(lanes, value);
    if (token == "samples") o.samples = std::clamp(static_cast<int>(f), 1, 4096);
    const float* plane = value.uniform ? nullptr : value.plane(0);
    if (token == "blur") o.blur = f, o.blurs = plane, o.tBlur = -1;
    if (token == "sblur") {
      if (o.tBlur < 0) o.tBlur = o.blur;
      o.blur = f, o.blurs = plane;
    }
    if (token == "tblur") o.tBlur = std::max(f, 0.0f);
    if (token == "width") o.width = f, o.tWidth = -1;
    if (token == "swidth") {
      if (o.tWidth < 0) o.tWidth = o.width;
      o.width = f;
    }
    if (token == "twidth") o.tWidth = std::max(f, 0.0f);
    if (token == "bias") o.bias0 = o.bias1 = f, o.biases = plane;
    if (token == "bias0") o.bias0 = f;
    if (token == "bias1") o.bias1 = f;
    static constexpr std::string_view kKnown[] = {"samples", "blur", "sblur", "tblur", "width", "swidth",
                                                  "twidth",  "bias", "bias0", "bias1", "filter"};
    if (frame_.diag && std::find(std::begin(kKnown), std::end(kKnown), token) == std::end(kKnown))
      frame_.diag->warning("texture-token", place(lanes), format("shadow() knows no \"{}\": it is ignored", token));
  }
  // Each sample of an area light has a map of its own.
  std::string file(call.file);
  const scene::Light* light = current_.light;
  if (light && !light->sampleMaps.empty() && file == light->ownMap)
    file = light->sampleMaps[static_cast<size_t>(current_.sample) % light->sampleMaps.size()];
  lookUpShadow(file, lanes, call.p, call.dpdu, call.dpdv, o, call.channels, call.out);
  return true;
}

void GridServices::castOwnShadow(const LightSlot& slot, const float* const P[3], float* const cl[3]) {
  if (!frame_.textures) return;
  const int points = grid_->vars->points(), lanes = grid_->vars->stride();
  Arena scratch(sizeof(float) * static_cast<size_t>(lanes) * 9 + 4096);
  float *du[3] = {}, *dv[3] = {}, *dark[3];
  for (int c = 0; c < 3; ++c) {
    dark[c] = scratch.make<float>(static_cast<size_t>(lanes)).data();
    if (grid_->elements) continue;
    du[c] = scratch.make<float>(static_cast<size_t>(lanes)).data();
    dv[c] = scratch.make<float>(static_cast<size_t>(lanes)).data();
    if (grid_->cells)
      cellChanges(P[c], grid_->nu + 1, 1, du[c]), cellChanges(P[c], grid_->nu + 1, 2, dv[c]);
    else
      changes(P[c], grid_->nu, grid_->nv, true, du[c]), changes(P[c], grid_->nu, grid_->nv, false, dv[c]);
  }
  const std::vector<std::string>& maps = slot.light->sampleMaps;
  const SourceLoc& loc = slot.light->shader->loc;
  // No shader says how soft the shadow is: as soft as hides the pixels of its map.
  texture::ShadowOptions options = shadowOptions();
  options.samples = slot.light->area ? 4 : 25, options.pixels = 3;
  const vm::Lanes all{points, lanes, nullptr, loc.line, loc.file.str()};
  lookUpShadow(maps[static_cast<size_t>(slot.sample) % maps.size()], all, P, du, dv, options, 3, dark);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < points; ++i) cl[c][i] *= 1 - dark[c][i];
}

}  // namespace reyes::shade
