// SPDX-License-Identifier: Apache-2.0
// What a light saw, asked for the lanes of a grid at once: depths (z_map.h) or transmittance (deep_shadow.h), of one
// view or of the six of a cube. The same whatever of it is in memory; called by TextureSystem::shadow() from any
// thread.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "reyes/texture/map_memory.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

/// n lanes; `active` non-zero where a result is wanted; planes of n floats in world space.
struct ShadowBatch {
  int n = 0;
  const uint8_t* active = nullptr;
  const float* const* p = nullptr;
  const float* const* du = nullptr;  ///< extents of the points' surroundings; null: none
  const float* const* dv = nullptr;
  const uint32_t* seed = nullptr;
};

class ShadowMap {
 public:
  virtual ~ShadowMap() = default;
  /// Fraction in shadow; `channels` planes of n floats (1, or 3 for a colour). Returns how many lanes were looked up.
  virtual int look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const = 0;
  virtual int width() const = 0;  ///< of the whole view, in pixels
  virtual int height() const = 0;
  virtual int channels() const = 0;
  virtual const Matrix4& worldToCamera() const = 0;
  virtual const Matrix4& worldToNdc() const = 0;
  /// What a user should know of it, or "".
  virtual std::string remark() const { return ""; }
  /// Why parts of it cannot be read any more, or "".
  virtual std::string error() const { return ""; }
};

/// Opens a file of depths, of six of them, or a deep one; null with a text in `error`. Their depths are the pool's, but
/// for a deep map more than `bytes` (0: no limit) large, which leaves out its finest levels.
std::unique_ptr<const ShadowMap> openShadowMap(const std::string& path, int64_t bytes, MapMemory& memory,
                                               std::string& error);

/// One file of six depth pictures, or six deep ones, of the same size around a point: towards +x -x +y -y +z -z.
/// A compression that deep files have not is "zips" there. Error text or "".
std::string makeCubeShadow(const std::array<std::string, 6>& pictures, const std::string& shadowMap,
                           const std::string& compression = "zips");

}  // namespace reyes::texture
