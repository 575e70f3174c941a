// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/grid_services.h"

#include <algorithm>
#include <cstdio>

#include "reyes/base/format.h"
#include "reyes/shade/queries.h"
#include "reyes/vm/faults.h"

namespace reyes::shade {
namespace {
SourceLoc place(const vm::Lanes& lanes) { return {Name(lanes.file), lanes.line, 0}; }

/// Tokens of texture() and environment(). Widths and blurs may differ from point to point.
texture::LookupOptions lookupOptions(const vm::Lanes& lanes, int firstChannel, std::span<const vm::TokenValue> tokens,
                                     Diagnostics* diag) {
  texture::LookupOptions o;
  o.firstChannel = firstChannel;
  for (const auto& [token, value] : tokens) {
    const bool s = token == "swrap" || token == "wrap", t = token == "twrap" || token == "wrap";
    const std::string text(value.strings.empty() ? std::string_view() : value.strings[0]);
    if (token == "filter") o.filter = text;
    if (s) o.sWrap = text;
    if (t) o.tWrap = text;
    if (token == "filter" || s || t || !value.data) continue;
    const float f = firstActive(lanes, value);
    const float* plane = value.uniform ? nullptr : value.plane(0);
    const bool blur = token == "blur", width = token == "width";
    if (blur || token == "sblur") o.sBlur = f, o.sBlurs = plane;
    if (blur || token == "tblur") o.tBlur = f, o.tBlurs = plane;
    if (width || token == "swidth") o.sWidth = f, o.sWidths = plane;
    if (width || token == "twidth") o.tWidth = f, o.tWidths = plane;
    if (token == "fill") o.fill = f;
    if (token == "lerp") o.lerp = f != 0;
    static constexpr std::string_view kKnown[] = {"blur",   "sblur", "tblur", "width",  "swidth",
                                                  "twidth", "fill",  "lerp",  "samples"};
    if (diag && std::find(std::begin(kKnown), std::end(kKnown), token) == std::end(kKnown))
      diag->warning("texture-token", place(lanes), format("look-ups know no \"{}\": it is ignored", token));
  }
  return o;
}

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
  frame_.textures->texture(std::string(call.file), batch,
                           lookupOptions(lanes, call.firstChannel, call.tokens, frame_.diag), call.channels, call.out,
                           place(lanes));
  return true;
}

bool GridServices::environment(const vm::Lanes& lanes, const vm::MapCall& call) {
  if (!frame_.textures) return false;
  frame_.textures->environment(std::string(call.file), lanes.points, lanes.active, call.p, call.dpdu, call.dpdv,
                               lookupOptions(lanes, call.firstChannel, call.tokens, frame_.diag), call.channels,
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

void GridServices::fault(const char* code, std::string_view text, std::string_view file, int line, int64_t points) {
  if (frame_.faults) frame_.faults->add(code, text, file, line, points);
}

}  // namespace reyes::shade
