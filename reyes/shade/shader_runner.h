// SPDX-License-Identifier: Apache-2.0
// Runs the shaders of a primitive on a diced grid: displacement, then surface with its lights, then atmosphere; and
// imagers on pixels. One ShadeContext a thread (registers, arenas), no locks. Called by render/ and by `reyes shade`.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/base/diag.h"
#include "reyes/base/isa.h"
#include "reyes/base/stats.h"
#include "reyes/scene/view.h"
#include "reyes/scene/world.h"
#include "reyes/vars/var_block.h"

namespace reyes::vm {
class FaultCounts;
class Profile;
}  // namespace reyes::vm
namespace reyes::texture {
class TextureSystem;
}

namespace reyes::shade {

/// What all threads of a frame share.
struct FrameServices {
  const scene::World* world = nullptr;
  const scene::View* view = nullptr;
  texture::TextureSystem* textures = nullptr;
  Diagnostics* diag = nullptr;
  Isa isa = Isa::kSse4;
  vm::Profile* profile = nullptr;     ///< times every instruction
  vm::FaultCounts* faults = nullptr;  ///< where numbers without a result are counted
};

/// A grid on its way through the shaders. `vars` holds (nu+1)*(nv+1) points, u fastest, in camera ("current") space:
/// P, dPdu, dPdv, Ng, N, u, v, s, t and the primitive's primvars; the runner adds I, E, Cs, Os, Ci, Oi, du, dv, ncomps,
/// time and every output variable asked for.
struct ShadeGrid {
  int nu = 0, nv = 0;
  float du = 1, dv = 1;  ///< parameter step between neighbours
  VarBlock* vars = nullptr;
  Arena* arena = nullptr;
  const scene::Primitive* primitive = nullptr;
  Matrix4 cameraFromObject;  ///< at the time shaded
  float time = 0;
  uint64_t seed = 0;  ///< for random(): primitive path and place of the grid in it
  /// As vm::GridInfo: a batch of points or curves, whose neighbours lie along runs alone.
  bool elements = false;
  std::span<const int> runs = {};
  bool cells = false;  ///< as vm::GridInfo: nu + 1 unconnected micropolygons, nv is 3
};

class ShadeContext {
 public:
  explicit ShadeContext(const FrameServices& frame);
  ~ShadeContext();
  ShadeContext(const ShadeContext&) = delete;
  ShadeContext& operator=(const ShadeContext&) = delete;

  /// Runs the displacement shader (if any): moves P, N. With `recomputeNormals` Ng follows the moved P.
  void displace(ShadeGrid& grid);
  /// The same where P alone is wanted: what else the shader leaves is not brought up to date.
  void displacePoints(ShadeGrid& grid);
  /// The end of displace(), for a grid whose displacementKeeps() variables were put back after dicing it anew.
  void displaced(ShadeGrid& grid);
  /// Runs the surface shader with its lights, then the atmosphere: fills Ci, Oi and the outputs in `wanted`
  /// (added to vars; zero where no shader of this primitive has one of that name).
  void shade(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted);
  /// Runs the imager on a row of pixels: planes of n floats; x, y are pixel centres in raster space.
  void image(const scene::ShaderInstance& imager, int n, const float* x, const float* y, float* const ci[3],
             float* const oi[3], float* alpha);

  /// Names of primvars that the primitive's shaders read (to dice only those).
  std::vector<Name> wantedPrimvars(const scene::Attributes& attributes,
                                   std::span<const scene::OutputVariable> outputs) const;
  /// True where the displacement shader may move points (a displacement exists, or a surface that writes P).
  static bool displaces(const scene::Attributes& attributes);
  /// True for variables of a grid that displacement, and what it hands to the surface, writes itself.
  bool displacementKeeps(const scene::Attributes& attributes, Name variable);
  /// False where something makes the surface less than opaque before or after its own shader runs. Otherwise it is
  /// opaque if vm::leavesOpaque() says so with `constants`, and no variable of the geometry replaces one of them.
  static bool mayBeOpaque(const scene::Attributes& attributes, std::vector<Name>& constants);
  /// True where it moves each point without a look at others: a grid of any shape moves it to the same place.
  static bool displacesPointwise(const scene::Attributes& attributes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes::shade
