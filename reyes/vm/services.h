// SPDX-License-Identifier: Apache-2.0
// What a running shader may ask the renderer: spaces, lights, maps, messages from other shaders, options. The machine
// calls it in batches over the points of a grid; shade/ implements it. Every method has a sensible default ("nothing is
// there"), so that shaders run without a renderer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/matrix.h"
#include "reyes/vm/program.h"

namespace reyes::vm {

class Profile;

/// A value of a shader or of a grid: component c of element e is at data + (e * components + c) * stride; one float a
/// plane if uniform (stride 1), `lanes` floats if varying. Strings are in `strings` (one an element), uniform.
struct Value {
  RegType type = RegType::kFloat;
  int arrayLength = 0;
  bool uniform = true;
  int stride = 1;
  const float* data = nullptr;
  std::vector<std::string_view> strings;

  explicit operator bool() const { return data != nullptr || !strings.empty(); }
  int elements() const { return arrayLength > 0 ? arrayLength : 1; }
  const float* plane(int component, int element = 0) const {
    return data + static_cast<size_t>(element * planeCount(type) + component) * static_cast<size_t>(stride);
  }
  /// Component of a lane, whether uniform or varying.
  float at(int lane, int component = 0, int element = 0) const { return plane(component, element)[uniform ? 0 : lane]; }
};

/// An optional token of texture(), shadow() and others, e.g. "blur" 0.1.
struct TokenValue {
  std::string_view token;
  Value value;
};

/// The points a call is about: planes hold `lanes` floats (padded to kLanePad, readable and writable to the end);
/// active[i] is 1 where the result is wanted. Lanes from `points` on are padding and never active.
struct Lanes {
  int points = 0, lanes = 0;
  const uint8_t* active = nullptr;
  int line = 0;  ///< source line of the call (0 unknown), of file `file`
  std::string_view file;
};

/// What one light does at the points. Pointers stay valid until the next light() of the same Services.
/// Null planes are zero (Ol, nondiffuse, nonspecular) or "everywhere" (lit).
struct LightSample {
  const float* L[3] = {};  ///< from the surface point to the light, in current space, not normalised
  const float* Cl[3] = {};
  const float* Ol[3] = {};
  const uint8_t* lit = nullptr;        ///< lanes inside the light's illuminate or solar cone
  const float* nondiffuse = nullptr;   ///< the light's __nondiffuse, a plane
  const float* nonspecular = nullptr;  ///< the light's __nonspecular, a plane
  bool ambient = false;                ///< has neither illuminate nor solar: only ambient() sees it (L is not set)
};

enum class MessageSource { kSurface, kDisplacement, kAtmosphere, kLightSource, kIncident, kOpposite };
enum class Query { kAttribute, kOption, kRendererInfo, kRayInfo, kTextureInfo };

/// Answer of a query: numbers (3 for a triple, 16 for a matrix, n for arrays) or strings.
struct QueryResult {
  std::vector<float> numbers;
  std::vector<std::string> strings;
};

/// Derivatives are changes from a point to its next neighbour in the grid, as textures want them. Null: no extent.
struct TextureCall {
  std::string_view file;
  int firstChannel = 0, channels = 1;
  const float *s = nullptr, *t = nullptr;
  const float *dsdu = nullptr, *dtdu = nullptr, *dsdv = nullptr, *dtdv = nullptr;
  std::span<const TokenValue> tokens;
  float* out[3] = {};  ///< `channels` planes
};
/// environment(): p is the direction; shadow(): p is the point; both in current space.
struct MapCall {
  std::string_view file;
  int firstChannel = 0, channels = 1;
  const float* p[3] = {};
  const float* dpdu[3] = {};
  const float* dpdv[3] = {};
  std::span<const TokenValue> tokens;
  float* out[3] = {};
};

class Services {
 public:
  virtual ~Services() = default;

  /// Matrix that takes points from space `from` to space `to` ("current" "shader" "object" "world" "camera" "screen"
  /// "raster" "NDC" or a name of the scene). False: unknown (the machine warns and uses the identity).
  virtual bool spaceMatrix(std::string_view from, std::string_view to, Matrix4& m);

  /// Lights that shine on this grid, in order.
  virtual int lightCount() { return 0; }
  /// The light's __category: a comma-separated list.
  virtual std::string_view lightCategory(int /*light*/) { return {}; }
  /// Runs (or takes from a cache) light `light` at the points P (current space). False: nothing to see.
  virtual bool light(int /*light*/, const Lanes&, const float* const /*P*/[3], LightSample&) { return false; }

  /// Values that lights get for their parameters of those names from now on, in place of their own; none: as the scene
  /// has them. The values stay where they are until the next call.
  virtual void sendToLights(std::span<const TokenValue>) {}

  /// A variable of another shader of this point. `light` is the light of the enclosing illuminance loop, -1 outside.
  /// The value must have `type` and `arrayLength`, else it is not found. False: not found.
  virtual bool message(MessageSource, int /*light*/, std::string_view /*name*/, const Lanes&, RegType /*type*/,
                       int /*arrayLength*/, Value& /*out*/) {
    return false;
  }
  /// attribute(), option(), rendererinfo(), rayinfo(): `name`. textureinfo(): `name` is the file, `field` what is
  /// asked.
  virtual bool query(Query, std::string_view /*name*/, std::string_view /*field*/, RegType, QueryResult&) {
    return false;
  }
  /// shadername(): "" the running shader, else "surface", "displacement", ...
  virtual std::string shaderName(std::string_view /*which*/) { return {}; }
  virtual int rayDepth() { return 0; }
  virtual bool isShadowRay() { return false; }
  /// depth(): 0 at the near clipping plane, 1 at the far one.
  virtual void depth(const Lanes&, const float* const P[3], float* out);

  /// Maps. False: the file cannot be read; the machine puts zeros (the host has said why).
  virtual bool texture(const Lanes&, const TextureCall&) { return false; }
  virtual bool environment(const Lanes&, const MapCall&) { return false; }
  virtual bool shadow(const Lanes&, const MapCall&) { return false; }
  /// trace(P, R): colour seen from P along R.
  virtual bool trace(const Lanes&, const float* const /*P*/[3], const float* const /*R*/[3],
                     std::span<const TokenValue>, float* const /*out*/[3]) {
    return false;
  }

  /// Where the time of every instruction is added up; null: it is not taken.
  virtual Profile* profile() { return nullptr; }

  /// printf() text of one point.
  virtual void print(std::string_view /*text*/) {}
  /// Something the user should know, with a stable code; called once a run and code.
  virtual void warn(const char* /*code*/, std::string_view /*text*/, std::string_view /*file*/, int /*line*/) {}
  /// An instruction met numbers that have no result (normalize of the zero vector, an index outside of an array) in
  /// `points` points of this run; it gave the result that the manual says.
  virtual void fault(const char* /*code*/, std::string_view /*text*/, std::string_view /*file*/, int /*line*/,
                     int64_t /*points*/) {}
};

}  // namespace reyes::vm
