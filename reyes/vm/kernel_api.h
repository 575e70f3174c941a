// SPDX-License-Identifier: Apache-2.0
// What a kernel sees, and the table of kernels that every instruction set fills (kernels_*.isa.cpp). Plain data only:
// nothing here may emit code, because these files are compiled with different machine flags.
#pragma once

#include <cstdint>

#include "reyes/vm/program.h"

namespace reyes::vm {

/// A register during a run: plane c at data + c * stride. Uniform registers have one float a plane, stride 1.
struct Reg {
  float* data;
  int32_t stride;
  bool uniform;
};

/// Numbers of the grid that kernels of derivatives and random() need.
struct GridNumbers {
  int points, nu, nv;
  float invDu, invDv;  ///< 1/du, 1/dv; 0 where du is 0
  float du, dv;
  float normalSign;  ///< -1 where calculatenormal() flips
  uint64_t seed;
  bool elements;           ///< no neighbours along u; along v those of a run
  const int* runs;         ///< GridInfo::runs
  int runCount;            ///< runs in it
  bool cells;              ///< GridInfo::cells
  const float* facing[3];  ///< GridInfo::facing
};

struct KernelCall {
  const Reg* regs;
  const uint16_t* args;
  const uint32_t* mask;  ///< per lane 0 or ~0; only masked kernels read it
  const GridNumbers* grid;
  uint32_t* faults;  ///< kernels that may meet numbers without a result add how many active lanes did
  float* room;       ///< kRoomPlanes planes of n floats for kernels of derivatives
  int n;             ///< lanes, a multiple of kLanePad; or 1 where all operands are uniform
  int nargs;
};

constexpr int kRoomPlanes = 9;

using Kernel = void (*)(const KernelCall&);

/// Kernels of one operation. `pattern` has bit k set where source k (of those whose varying-ness matters) is varying.
/// full: fn[pattern][masked] exist for all patterns. Else only fn[all sources varying][0]: the machine spreads uniform
/// sources and blends masked results itself.
struct KernelSet {
  static constexpr int kMaxPattern = 16;
  Kernel fn[kMaxPattern][2] = {};
  uint8_t sources = 0;
  bool full = false;
  bool present = false;
};

/// What one light adds at the points. Planes; lit may be null (everywhere).
struct LightPlanes {
  const float* L[3];
  const float* Cl[3];
  const float* weight;  ///< 1 - __nondiffuse or the like is applied by the kernel: this is the plane itself, or null
  const uint8_t* lit;
};

/// Helpers that are no instruction of their own.
struct IsaHelpers {
  /// out = a & (cond != 0) lane by lane; returns the number of lanes set.
  int (*maskAnd)(uint32_t* out, const uint32_t* a, const float* cond, int n);
  /// out = a & ~b; returns the number of lanes set. out may be a or b.
  int (*maskSubtract)(uint32_t* out, const uint32_t* a, const uint32_t* b, int n);
  /// out = a | b.
  void (*maskOr)(uint32_t* out, const uint32_t* a, const uint32_t* b, int n);
  /// bytes to lanes and back.
  int (*maskAndBytes)(uint32_t* out, const uint32_t* a, const uint8_t* bytes, int n);
  void (*maskToBytes)(uint8_t* out, const uint32_t* mask, int n);
  /// dst = mask ? src : dst; a null mask copies.
  void (*blend)(float* dst, const float* src, const uint32_t* mask, int n);
  void (*fill)(float* dst, float value, int n);
  /// out = a & (angle between axis and d is at most `angle`): illuminance, illuminate. n may be 1-lane strides 0.
  int (*maskCone)(uint32_t* out, const uint32_t* a, const float* const d[3], const float* const axis[3],
                  const float* angle, float sign, int n);
  /// accumulates Cl * max(0, N . normalize(L)).
  void (*diffuse)(float* const out[3], const LightPlanes&, const float* const N[3], int n);
  /// accumulates Cl * pow(max(0, N . H), exponent): H half way between L and V.
  void (*specular)(float* const out[3], const LightPlanes&, const float* const N[3], const float* const V[3],
                   const float* roughness, int n);
  /// accumulates Cl * pow(max(0, R . normalize(L)), size), R the reflection of -V about N.
  void (*phong)(float* const out[3], const LightPlanes&, const float* const N[3], const float* const V[3],
                const float* size, int n);
  /// out += Cl where lit.
  void (*addColor)(float* const out[3], const LightPlanes&, int n);
  /// Change of a plane from point to point along u or v: derivative times du or dv.
  void (*changeU)(float* out, const float* x, const GridNumbers&, int n);
  void (*changeV)(float* out, const float* x, const GridNumbers&, int n);
  /// Planes times a matrix of 16 floats. kind 0 point, 1 vector, 2 normal (m must be the transposed inverse).
  void (*transform)(float* const out[3], const float* const p[3], const float* m, int kind, int n);
};

/// Two slots past the operations: mov and sel of triples.
constexpr int kMovTripleSlot = kOpCount + kBuiltinCount, kSelectTripleSlot = kMovTripleSlot + 1;
constexpr int kKernelSlots = kMovTripleSlot + 2;

/// All kernels of one instruction set, indexed by operation (opcodes, then builtins).
struct KernelTable {
  KernelSet* sets;  ///< kKernelSlots entries
  IsaHelpers helpers;
};

// Each *.isa.cpp file adds its part to the table: sets[] and helpers.
#define REYES_VM_DECLARE_KERNELS(isa) \
  namespace isa {                     \
  void addArithmetic(KernelTable&);   \
  void addCombined(KernelTable&);     \
  void addMath(KernelTable&);         \
  void addGeometry(KernelTable&);     \
  void addNoise(KernelTable&);        \
  void addNoise3(KernelTable&);       \
  void addDerivatives(KernelTable&);  \
  void addHelpers(KernelTable&);      \
  }
REYES_VM_DECLARE_KERNELS(sse4)
REYES_VM_DECLARE_KERNELS(avx2)
REYES_VM_DECLARE_KERNELS(avx512)
#undef REYES_VM_DECLARE_KERNELS

}  // namespace reyes::vm
