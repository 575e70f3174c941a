// SPDX-License-Identifier: Apache-2.0
// Runs compiled shaders over the points of a grid. Host: shade/.
//
//   Instance plastic(program);                        // once a scene ShaderInstance
//   plastic.set(param, currentFromShader);            // values of the scene file
//   plastic.initialise(services, isa);                // default values; from here on shared by all threads
//   Machine machine(isa);                             // one a thread and nesting level (a light runs inside a surface)
//   machine.begin(plastic, {points, nu+1, nv+1, du, dv, seed});
//   machine.bind(varBlock);                           // P N Cs ... and primitive variables, by name, without a copy
//   machine.run(services);                            // Ci and Oi are now in the bound planes
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/isa.h"
#include "reyes/base/matrix.h"
#include "reyes/vars/param_list.h"
#include "reyes/vars/var_block.h"
#include "reyes/vm/program.h"
#include "reyes/vm/services.h"

namespace reyes::vm {

struct DecodedProgram;  // kernels and operands of one program, see decode.h

/// A program with parameter values. After initialise() it never changes and may be used by any number of machines.
class Instance {
 public:
  explicit Instance(std::shared_ptr<const Program> program);
  ~Instance();
  Instance(Instance&&) noexcept;
  Instance& operator=(Instance&&) noexcept;

  enum class Set { kDone, kUnknown, kTypeMismatch, kTooFew };
  /// Gives a parameter the value of a scene file. Point, vector, normal and matrix parameters are taken through
  /// `currentFromShader` (identity: they are in current space already). Fewer elements than the array has: kTooFew,
  /// and those given are set. A lone float sets all three components of a color.
  Set set(const Param& value, const Matrix4& currentFromShader = {});
  Set setFloats(Name parameter, std::span<const float> values);
  Set setString(Name parameter, std::string_view value);
  /// Runs the default code of the uniform parameters that were not set. Call once. `sibling`, an initialised instance
  /// of the same program and instruction set, spares the decoding.
  void initialise(Services& services, Isa isa = Isa::kSse4, const Instance* sibling = nullptr);

  const Program& program() const { return *program_; }
  /// Value of a parameter as it is before a run (uniform ones; empty for varying ones without a value).
  Value parameter(Name name) const;
  /// True where the scene file gave that parameter a value.
  bool isSet(int symbol) const { return set_[static_cast<size_t>(symbol)]; }

 private:
  friend class Machine;
  uint32_t internString(std::string_view s);
  void markSet(size_t symbol);
  std::shared_ptr<const Program> program_;
  std::shared_ptr<const DecodedProgram> decoded_;
  std::vector<float> uniforms_;         // Program::uniforms with the parameter values
  std::vector<float> varyingDefaults_;  // values given to varying parameters, one a plane; offset by symbol
  std::vector<uint32_t> varyingOffset_;
  std::vector<std::string> strings_;  // Program::strings and those of parameters
  std::vector<bool> set_;
  std::vector<uint32_t> setVarying_;  // the varying symbols among them
};

/// The points of one run. Points are `nu` a row (u fastest), nv rows; nu * nv == points, or nu == points and nv == 1
/// where they are no grid (derivatives are then zero along v).
struct GridInfo {
  int points = 0;
  int nu = 0, nv = 1;
  float du = 1, dv = 1;         ///< parameter step between neighbours
  uint64_t seed = 0;            ///< for random()
  bool flipNormals = false;     ///< calculatenormal() gives dPdv x dPdu
  int maxLoopRounds = 1 << 22;  ///< rounds of all loops of a run; then loops are left with a warning
  /// Points of point sets and curves: nothing changes along u, and along v within a run alone. `runs` holds the first
  /// point of each run, and the number of points; empty: no point has a neighbour.
  bool elements = false;
  std::span<const int> runs = {};
  /// Corners of unconnected micropolygons: four rows, nu micropolygons long: all corners (0,0), then (1,0), (0,1),
  /// (1,1).
  bool cells = false;
  /// Of elements: planes of the normals that they face along, which calculatenormal() takes where a line has no other
  /// side; null: none.
  const float* facing[3] = {};
  /// Whether branches that few points take run on those alone; results are the same.
  enum class Pack { kWhereWorth, kNever, kAlways } pack = Pack::kWhereWorth;
};

/// Counts of one machine, for --stats.
struct MachineStats {
  int64_t runs = 0, points = 0, instructions = 0, pointInstructions = 0, indexClamps = 0, packed = 0;
};

class Machine {
 public:
  explicit Machine(Isa isa);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Starts a run: all variables get their initial values, all bindings are forgotten.
  void begin(const Instance& instance, const GridInfo& grid);

  /// Binds every symbol (global or parameter) that has a namesake of the same type in `vars`: varying planes are used
  /// in place (read and written), uniform ones are copied in. Primitive variables override parameters, as RI says.
  /// Planes must hold padLanes(points) floats. Globals are bound whatever the mode; parameters too unless globalsOnly.
  void bind(const VarBlock& vars, bool globalsOnly = false);
  /// One variable. False: the program has no such symbol, or another type, or it is uniform and the variable varying.
  bool bind(Name symbol, const Var& var);
  /// Planes of padLanes(points) floats, `stride` floats from one component to the next; used in place.
  bool bindPlanes(Name symbol, float* data, int stride);
  /// A single value: copied in (spread over the lanes where the symbol is varying).
  bool bindFloat(Name symbol, float value);
  bool bindTriple(Name symbol, Vec3 value);
  /// True where the program of this run has the symbol.
  bool has(Name symbol) const;

  /// Runs the default code of varying parameters that have no value, then the shader. Re-entrant over machines, not
  /// over one machine.
  void run(Services& services);

  /// Value of any symbol after run(), until the next begin(). Empty where there is none.
  Value value(Name symbol) const;
  /// Lights, after run(): lanes that an illuminate or solar statement reached, and whether there is any such statement
  /// in the program (else the light is ambient).
  std::span<const uint8_t> lit() const;
  bool isAmbientLight() const;

  const MachineStats& stats() const;
  Isa isa() const;

 private:
  friend class Instance;
  struct Impl;
  /// Runs the default code of a uniform parameter on one point.
  void runDefault(const Instance& instance, const Symbol& parameter, Services& services);
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes::vm
