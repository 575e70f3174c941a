// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/grid_services.h"

#include <algorithm>
#include <cstdio>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/shade/queries.h"

namespace reyes::shade {
namespace {
/// First active lane of a token's value: the options of a look-up are the same over a grid.
float tokenFloat(const vm::Lanes& lanes, const vm::Value& v) {
  if (v.uniform || !lanes.active) return v.at(0);
  for (int i = 0; i < lanes.points; ++i)
    if (lanes.active[i]) return v.at(i);
  return v.at(0);
}

texture::LookupOptions lookupOptions(const vm::Lanes& lanes, int firstChannel, std::span<const vm::TokenValue> tokens) {
  texture::LookupOptions o;
  o.firstChannel = firstChannel;
  for (const auto& [token, value] : tokens) {
    if (token == "filter") {
      if (!value.strings.empty()) o.filter = value.strings[0];
      continue;
    }
    if (!value.data) continue;
    const float f = tokenFloat(lanes, value);
    if (token == "blur") o.sBlur = o.tBlur = f;
    if (token == "sblur") o.sBlur = f;
    if (token == "tblur") o.tBlur = f;
    if (token == "width") o.sWidth = o.tWidth = f;
    if (token == "swidth") o.sWidth = f;
    if (token == "twidth") o.tWidth = f;
    if (token == "fill") o.fill = f;
  }
  return o;
}

float optionOr(const scene::World* world, const char* name, float fallback) {
  if (!world) return fallback;
  const auto it = world->options.find(name);
  return it != world->options.end() && !it->second.floats.empty() ? it->second.floats[0] : fallback;
}

SourceLoc place(const vm::Lanes& lanes) { return {Name(lanes.file), lanes.line, 0}; }
}  // namespace

GridServices::GridServices(const FrameServices& frame) : frame_(frame), instances_(frame.isa) {
  spaces_.world = frame.world;
  spaces_.view = frame.view;
}

GridServices::~GridServices() = default;

void GridServices::startGrid(const ShadeGrid& grid) {
  grid_ = &grid;
  arena_.reset();
  displacement_.clear();
  surface_ = nullptr;
  findLights();
  spaces_.scoped = grid.primitive->attributes->scopedSpaces.get();
  spaces_.currentFromObject = grid.cameraFromObject;
  spaces_.time = grid.time;
  if (lights_.empty()) return;
  if (!lightServices_) {
    lightServices_ = std::make_unique<GridServices>(frame_);
    lightMachine_ = std::make_unique<vm::Machine>(frame_.isa);
  }
  lightServices_->grid_ = &grid;
  lightServices_->spaces_.currentFromObject = grid.cameraFromObject;
  lightServices_->spaces_.time = grid.time;
}

void GridServices::startShader(const scene::ShaderInstance& shader) {
  shader_ = &shader;
  spaces_.currentFromShader = currentFromShader(shader, frame_.view, spaces_.time);
  if (lightServices_) {
    lightServices_->surface_ = surface_;
    lightServices_->displacement_ = displacement_;
  }
}

bool GridServices::spaceMatrix(std::string_view from, std::string_view to, Matrix4& m) {
  return spaces_.between(from, to, m);
}

bool GridServices::message(vm::MessageSource source, int light, std::string_view name, const vm::Lanes&,
                           vm::RegType type, int arrayLength, vm::Value& out) {
  switch (source) {
    case vm::MessageSource::kLightSource:
      if (light < 0 || light >= std::ssize(lights_)) return false;
      return findOutput(lights_[static_cast<size_t>(light)].outputs, Name(name), type, arrayLength, out);
    case vm::MessageSource::kDisplacement:
      return findOutput(displacement_, Name(name), type, arrayLength, out);
    case vm::MessageSource::kSurface:
      if (!surface_) return false;
      out = surface_->value(Name(name));
      return out && out.type == type && out.arrayLength == arrayLength;
    default:
      return false;  // no volumes between shaders, nothing incident or opposite without rays
  }
}

bool GridServices::query(vm::Query query, std::string_view name, std::string_view field, vm::RegType,
                         vm::QueryResult& out) {
  switch (query) {
    case vm::Query::kAttribute:
      return grid_ && queryAttribute(*grid_->primitive->attributes, name, out);
    case vm::Query::kOption:
      return queryOption(frame_.world, frame_.view, name, out);
    case vm::Query::kRendererInfo:
      return queryRenderer(name, out);
    case vm::Query::kRayInfo:
      return queryRay(name, out);
    case vm::Query::kTextureInfo: {
      std::string text;
      if (!frame_.textures || !frame_.textures->info(std::string(name), std::string(field), out.numbers, text))
        return false;
      if (!text.empty()) out.strings = {text};
      return true;
    }
  }
  return false;
}

std::string GridServices::shaderName(std::string_view which) {
  if (which.empty()) return shader_ ? shader_->name.str() : std::string();
  if (!grid_) return {};
  const scene::Attributes& a = *grid_->primitive->attributes;
  const auto name = [](const scene::ShaderPtr& s) { return s ? s->name.str() : std::string(); };
  if (which == "surface") return name(a.surface);
  if (which == "displacement") return name(a.displacement);
  if (which == "atmosphere") return name(a.atmosphere);
  return {};
}

void GridServices::depth(const vm::Lanes& lanes, const float* const P[3], float* out) {
  const float near = frame_.view ? frame_.view->near : 0, far = frame_.view ? frame_.view->far : 1;
  const float scale = far > near ? 1 / (far - near) : 1;
  for (int i = 0; i < lanes.points; ++i) out[i] = (P[2][i] - near) * scale;
}

bool GridServices::texture(const vm::Lanes& lanes, const vm::TextureCall& call) {
  if (!frame_.textures) return false;
  texture::TextureBatch batch{lanes.points, lanes.active, call.s, call.t, call.dsdu, call.dtdu, call.dsdv, call.dtdv};
  frame_.textures->texture(std::string(call.file), batch, lookupOptions(lanes, call.firstChannel, call.tokens),
                           call.channels, call.out, place(lanes));
  return true;
}

bool GridServices::environment(const vm::Lanes& lanes, const vm::MapCall& call) {
  if (!frame_.textures) return false;
  frame_.textures->environment(std::string(call.file), lanes.points, lanes.active, call.p, call.dpdu, call.dpdv,
                               lookupOptions(lanes, call.firstChannel, call.tokens), call.channels, call.out,
                               place(lanes));
  return true;
}

bool GridServices::shadow(const vm::Lanes& lanes, const vm::MapCall& call) {
  if (!frame_.textures) return false;
  texture::ShadowOptions o;
  o.isa = frame_.isa;
  const float bias = optionOr(frame_.world, "shadow:bias", -1);
  o.bias0 = bias >= 0 ? bias : optionOr(frame_.world, "shadow:bias0", o.bias0);
  o.bias1 = bias >= 0 ? bias : optionOr(frame_.world, "shadow:bias1", o.bias1);
  for (const auto& [token, value] : call.tokens) {
    if (!value.data) continue;
    const float f = tokenFloat(lanes, value);
    if (token == "samples") o.samples = std::clamp(static_cast<int>(f), 1, 4096);
    if (token == "blur") o.blur = f;
    if (token == "width") o.width = f;
    if (token == "bias") o.bias0 = o.bias1 = f;
    if (token == "bias0") o.bias0 = f;
    if (token == "bias1") o.bias1 = f;
  }
  // Points and their extents in world space, where maps are indexed from.
  Matrix4 m;
  if (!spaces_.between("current", "world", m)) return false;
  Arena scratch(size_t{64} * 1024);
  const size_t n = static_cast<size_t>(lanes.lanes);
  float *p[3], *du[3], *dv[3];
  for (int c = 0; c < 3; ++c) {
    p[c] = scratch.make<float>(n).data();
    du[c] = scratch.make<float>(n).data();
    dv[c] = scratch.make<float>(n).data();
  }
  const auto seeds = scratch.make<uint32_t>(n);
  for (int i = 0; i < lanes.points; ++i) {
    const Vec3 q = transformPoint(m, {call.p[0][i], call.p[1][i], call.p[2][i]});
    const Vec3 a = call.dpdu[0] ? transformVector(m, {call.dpdu[0][i], call.dpdu[1][i], call.dpdu[2][i]}) : Vec3{};
    const Vec3 b = call.dpdv[0] ? transformVector(m, {call.dpdv[0][i], call.dpdv[1][i], call.dpdv[2][i]}) : Vec3{};
    for (int c = 0; c < 3; ++c) p[c][i] = q[c], du[c][i] = a[c], dv[c][i] = b[c];
    seeds[static_cast<size_t>(i)] =
        static_cast<uint32_t>(hashCombine(grid_->seed, static_cast<uint64_t>(i), 0x5ad0) >> 32);
  }
  frame_.textures->shadow(std::string(call.file), lanes.points, lanes.active, p, du, dv, seeds.data(), o, call.channels,
                          call.out, place(lanes));
  return true;
}

bool GridServices::trace(const vm::Lanes& lanes, const float* const[3], const float* const[3],
                         std::span<const vm::TokenValue>, float* const out[3]) {
  for (int c = 0; c < 3; ++c)
    if (out[c]) std::fill_n(out[c], lanes.points, 0.0f);
  if (frame_.diag)
    frame_.diag->error("not-built", place(lanes), "trace(): there is no ray tracing: it gives black", Impact::kPicture);
  return true;
}

void GridServices::print(std::string_view text) {
  // Runs for an output of some lights repeat what was said.
  if (!again_) std::fwrite(text.data(), 1, text.size(), stderr);
}

void GridServices::warn(const char* code, std::string_view text, std::string_view file, int line) {
  if (!frame_.diag) return;
  // A loop that never ends on its own, or a function that is missing, gives another picture than was asked for.
  const std::string_view c(code);
  const bool changes = c == "vm-loop-limit" || c == "vm-not-implemented" || c == "not-built";
  const SourceLoc loc{Name(file), line, 0};
  if (changes)
    frame_.diag->error(code, loc, std::string(text), Impact::kPicture);
  else
    frame_.diag->warning(code, loc, std::string(text));
}

}  // namespace reyes::shade
