// SPDX-License-Identifier: Apache-2.0
// Inside of the machine: registers, mask stack and scratch planes of one run. Shared by machine.cpp (binding),
// machine_run.cpp (the loop), flow.cpp (masks) and the calls_*.cpp files (functions that are no vector kernel).
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/vm/decode.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/profile.h"

namespace reyes::vm {

/// A set of lanes: a plane of 0 and ~0 (padding is 0) and the number of lanes in it.
struct Mask {
  uint32_t* lanes = nullptr;
  int count = 0;
};

/// One open construct. `saved` comes back at its end; `active` are the lanes still in the loop, or those of the else
/// branch.
struct Frame {
  Op op = Op::kEnd;
  Mask saved, active;
  int light = -1;       ///< illuminance: the light now
  bool sends = false;   ///< illuminance: sends_.back() is its own
  bool packed = false;  ///< its lanes run packed together
  bool whole = false;   ///< if that all lanes take one way: it has no masks
  bool taken = false;   ///< whole: that way is the first branch
};

/// Values on their way to the lights of an illuminance loop, copied: registers may change while it runs.
struct Sends {
  std::vector<TokenValue> values;
  std::deque<std::string> names;
  std::deque<std::vector<float>> data;
};

class MachineState {
 public:
  explicit MachineState(Isa isa) : isa_(isa) {}

  // --- one run
  // -----------------------------------------------------------------------------------------------------------
  Isa isa_;
  const DecodedProgram* program_ = nullptr;
  const IsaHelpers* isa() const { return &program_->table->helpers; }
  const Program& source() const { return *program_->program; }
  GridInfo grid_;
  GridNumbers numbers_{};
  int lanes_ = 0;  ///< points padded to whole vectors
  std::vector<Reg> regs_;
  std::vector<uint8_t> filled_;  ///< per register: bound or given a value
  std::vector<float> uniforms_;
  float* planes_ = nullptr;
  int stride_ = 0;
  Services* services_ = nullptr;
  MachineStats stats_;
  uint64_t randomCalls_ = 0;
  int rounds_ = 0;
  std::vector<std::string> warned_;

  Sends pendingSends_;        ///< for the next illuminance
  std::vector<Sends> sends_;  ///< of the illuminance loops that are open and sent something

  std::vector<Profile::Row> profileRows_;  ///< of this run, where the services want a profile
  template <bool Timed>
  void executeLoop(uint32_t begin);

  void execute(uint32_t begin);
  int currentLight() const;

  // --- masks (flow.cpp)
  // ----------------------------------------------------------------------------------------------------
  Mask full_, now_;
  Mask lit_;
  std::vector<Frame> frames_;
  void resetMasks();
  bool partial() const { return now_.count != grid_.points; }
  /// Executes a control-flow instruction at pc and returns where to go on; -1 at the end.
  int32_t flow(const DecodedInstruction& d, int32_t pc);

  // --- few lanes, packed together (packing.cpp)
  // ----------------------------------------------------------------------------------------------------------
  struct Packing {
    const Body* body = nullptr;
    int lanes = 0, points = 0;  ///< as they were
    std::vector<int> places;    ///< lane of each packed point
    std::vector<Reg> registers;
    std::vector<float> memory;
  };
  Packing packing_;
  /// Brings the active lanes together before a body where that is worth it; the frame on top then unpacks them.
  void pack(const DecodedInstruction& d);
  void unpack();

  // --- scratch (machine_run.cpp)
  // -----------------------------------------------------------------------------------------------
  /// n floats until the next instruction.
  float* scratch(size_t n);
  void resetScratch() { scratchUsed_ = 0, scratchBlock_ = 0; }

  // --- what calls use
  // -------------------------------------------------------------------------------------------------------------
  const Reg& reg(const DecodedInstruction& d, int k) const { return regs_[d.args[k]]; }
  const Register& type(const DecodedInstruction& d, int k) const { return program_->registers[d.args[k]]; }
  /// Lanes a call works on: all, or one vector for a uniform result.
  int lanesOf(const DecodedInstruction& d) const { return d.uniform ? kLanePad : lanes_; }
  /// A readable plane of lanesOf(d) floats; a uniform operand is spread.
  const float* plane(const DecodedInstruction& d, int k, int component = 0);
  void triple(const DecodedInstruction& d, int k, const float* (&out)[3]) {
    for (int c = 0; c < 3; ++c) out[c] = plane(d, k, c);
  }
  /// A zeroed plane of lanesOf(d) floats for a result.
  float* outPlane(const DecodedInstruction& d);
  /// Puts a result plane into component c of operand k, leaving inactive lanes alone.
  void store(const DecodedInstruction& d, int k, int component, const float* values);
  void storeUniform(const DecodedInstruction& d, int k, int component, float value);
  /// Value of a uniform operand, or of the first active lane.
  float scalar(const DecodedInstruction& d, int k, int component = 0) const;
  int firstActive() const;
  /// Active lanes as bytes with the place in the source.
  Lanes lanes(const DecodedInstruction& d);
  Value valueOf(uint16_t reg) const;

  // --- strings
  // -------------------------------------------------------------------------------------------------------------------------
  const std::vector<std::string>* baseStrings_ = nullptr;
  std::deque<std::string> runStrings_;  ///< made in this run; at most kMaxRunStrings of kMaxRunText bytes together
  std::unordered_map<std::string_view, uint32_t> runIndex_;
  size_t runText_ = 0;
  static constexpr size_t kMaxRunStrings = 1 << 16, kMaxRunText = 16 << 20;
  std::string_view text(uint32_t id) const;
  std::string_view text(const DecodedInstruction& d, int k, int element = 0) const;
  float intern(std::string_view s);  ///< number of the string as bits of a float

  /// Counts active lanes in which an instruction met numbers without a result; told to the host at the end of the run.
  void fault(const DecodedInstruction& d, int64_t points);
  void tellFaults();
  std::vector<std::pair<const DecodedInstruction*, int64_t>> faults_;

  /// Tells the host, once a run and code ("not-built": once a text).
  void warn(const DecodedInstruction& d, const char* code, std::string text);

 private:
  friend class Machine;
  void plain(const DecodedInstruction& d);
  void call(const DecodedInstruction& d);
  void beginSends(Frame& frame);
  void endSends();
  bool illuminanceNext(const DecodedInstruction& begin);
  int32_t leave(const DecodedInstruction& d, int32_t pc);
  Frame& push(Op op);
  Mask newMask();
  void copy(Mask& to, const Mask& from);
  void subtract(Mask& from, const Mask& what);

  std::vector<std::unique_ptr<uint32_t[]>> maskPlanes_;
  size_t masksUsed_ = 0;
  int maskLanes_ = 0;
  int maskPoints_ = 0;  ///< for which full_ was made
  std::vector<std::unique_ptr<std::byte[]>> scratchBlocks_;
  std::vector<size_t> scratchSizes_;
  size_t scratchUsed_ = 0, scratchBlock_ = 0;
  std::vector<float> planeMemory_;
  std::vector<uint8_t> litBytes_;
  std::vector<Reg> plainRegs_;
  std::vector<uint16_t> plainArgs_;
};

/// Functions of the machine (calls_*.cpp): each returns false where the operation is not its own.
bool callMove(MachineState&, const DecodedInstruction&);
bool callMath(MachineState&, const DecodedInstruction&);
bool callSpace(MachineState&, const DecodedInstruction&);
bool callColor(MachineState&, const DecodedInstruction&);
bool callLight(MachineState&, const DecodedInstruction&);
bool callMap(MachineState&, const DecodedInstruction&);
bool callText(MachineState&, const DecodedInstruction&);
bool callMessage(MachineState&, const DecodedInstruction&);
bool callPlanned(MachineState&, const DecodedInstruction&);

/// True where a light with this category list takes part in illuminance(`wanted`, ...): a list of names, "-name" leaves
/// out, "*" is any, "" all.
bool categoryMatches(std::string_view wanted, std::string_view category);

}  // namespace reyes::vm
