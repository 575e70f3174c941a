// SPDX-License-Identifier: Apache-2.0
// What a shader running on a grid may ask: spaces, lights (run once a grid and kept), maps, messages, options.
// One object a thread and nesting level; start() before each shader.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/shade/instance_cache.h"
#include "reyes/shade/shader_runner.h"
#include "reyes/shade/spaces.h"
#include "reyes/texture/texture_system.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/services.h"

namespace reyes::shade {

/// Shader values that another shader may ask for by name, copied into an arena.
using Outputs = std::vector<std::pair<Name, vm::Value>>;
/// Copies every output parameter, and every parameter that begins with "__", of the machine's last run.
Outputs copyOutputs(const vm::Program& program, const vm::Machine& machine, Arena& arena);
/// Finds a value of that shape; uniform or varying.
bool findOutput(const Outputs& outputs, Name name, vm::RegType type, int arrayLength, vm::Value& out);

/// First active lane of a token's value: the options of a look-up are the same over a grid.
float firstActive(const vm::Lanes& lanes, const vm::Value& value);

/// A choice among the lights of a grid.
struct LightSet {
  enum class Kind { kAll, kNone, kGroup, kUngrouped, kHandle };
  Kind kind = Kind::kAll;
  std::string_view name = {};  ///< of the group, or the handle
};

class GridServices : public vm::Services {
 public:
  explicit GridServices(const FrameServices& frame);
  ~GridServices() override;

  /// A new grid: lights of the one before are forgotten.
  void startGrid(const ShadeGrid& grid);
  /// A new shader on the grid; `shader` outlives the run.
  void startShader(const scene::ShaderInstance& shader);
  /// Where surface() and displacement() messages are answered from.
  void setSurface(const vm::Machine* machine) { surface_ = machine; }
  void setDisplacement(Outputs outputs) { displacement_ = std::move(outputs); }
  const Outputs& displacement() const { return displacement_; }

  /// Which lights are on: all, or those of one group or of one handle alone.
  void setLightSet(const LightSet& set);

  const Spaces& spaces() const { return spaces_; }
  InstanceCache& instances() { return instances_; }

  bool spaceMatrix(std::string_view from, std::string_view to, Matrix4& m) override;
  int lightCount() override;
  std::string_view lightCategory(int light) override;
  bool light(int light, const vm::Lanes& lanes, const float* const P[3], vm::LightSample& out) override;
  void sendToLights(std::span<const vm::TokenValue> values) override { sends_ = values; }
  bool message(vm::MessageSource source, int light, std::string_view name, const vm::Lanes& lanes, vm::RegType type,
               int arrayLength, vm::Value& out) override;
  bool query(vm::Query query, std::string_view name, std::string_view field, vm::RegType type,
             vm::QueryResult& out) override;
  std::string shaderName(std::string_view which) override;
  void depth(const vm::Lanes& lanes, const float* const P[3], float* out) override;
  bool texture(const vm::Lanes& lanes, const vm::TextureCall& call) override;
  bool environment(const vm::Lanes& lanes, const vm::MapCall& call) override;
  bool shadow(const vm::Lanes& lanes, const vm::MapCall& call) override;
  /// There are no rays: black, and an Error once that says so.
  bool trace(const vm::Lanes& lanes, const float* const P[3], const float* const R[3],
             std::span<const vm::TokenValue> tokens, float* const out[3]) override;
  vm::Profile* profile() override { return frame_.profile; }
  void print(std::string_view text) override;
  void warn(const char* code, std::string_view text, std::string_view file, int line) override;
  void fault(const char* code, std::string_view text, std::string_view file, int line, int64_t points) override;

 private:
  /// A light as the grid's shaders meet it: one of an area light's samples is a light of its own.
  struct LightSlot {
    const scene::Light* light = nullptr;
    int sample = 0;
    bool on = true;
  };
  struct LightResult {
    const float* P[3] = {};  ///< copy of the points it was run at
    vm::LightSample sample;
    Outputs outputs;
    bool valid = false;
  };

  const vm::Instance& lightInstance(const scene::Light& light);
  void findLights();
  bool chosen(const scene::Light& light) const;
  std::string_view groupOf(const scene::Light& light);
  void runLight(const LightSlot& slot, const float* const P[3], LightResult& result);
  /// Shadows that a light's shader does not look up: takes them from Cl.
  void castOwnShadow(const LightSlot& slot, const float* const P[3], float* const cl[3]);
  /// As shadow(): points and extents in current space.
  void lookUpShadow(const std::string& file, const vm::Lanes& lanes, const float* const p[3], const float* const du[3],
                    const float* const dv[3], const texture::ShadowOptions& options, int channels, float* const out[3]);
  texture::ShadowOptions shadowOptions() const;
  void placeLight(const LightSlot& slot, const vm::Program& program, const float* const P[3]);
  bool sentTo(const vm::Program& program) const;
  void bindSends(const vm::Program& program);
  void keepLight(const vm::Program& program, float* const l[3], float* const cl[3], float* const ol[3], float weight,
                 LightResult& result);

  const FrameServices frame_;
  Spaces spaces_;
  InstanceCache instances_;
  Arena arena_;  // light results of this grid
  const ShadeGrid* grid_ = nullptr;
  const scene::ShaderInstance* shader_ = nullptr;
  std::vector<LightSlot> slots_;
  std::vector<LightResult> lights_;  ///< of each slot
  bool again_ = false;               ///< for some lights alone
  LightSlot current_;                ///< inside a light: the one that runs
  std::span<const vm::TokenValue> sends_;
  const vm::Machine* surface_ = nullptr;
  Outputs displacement_;
  std::unique_ptr<vm::Machine> lightMachine_;
  std::unique_ptr<GridServices> lightServices_;  // the services of lights; null inside them
};

}  // namespace reyes::shade
