// SPDX-License-Identifier: Apache-2.0
// The primitive variables of one geometry, without P: checked against the counts of the request, kept flat, and
// interpolated onto grids. Used by every kind of geometry; built by the factories.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/base/diag.h"
#include "reyes/vars/param_list.h"
#include "reyes/vars/var_block.h"

namespace reyes::geom {

/// How many items of each storage class the request must give.
struct ClassCounts {
  size_t uniform = 1, varying = 4, vertex = 4, faceVarying = 4;
  size_t of(Storage s) const;
};

/// One variable's values: items * spec.width() floats, or items * elements() strings.
struct PrimvarData {
  VarSpec spec;
  std::vector<float> values;
  std::vector<Name> strings;
  size_t items = 0;
};

/// Where the values of one face are. Corners count (u,v) = (0,0), (1,0), (0,1), (1,1).
struct FaceInfo {
  float u0 = 0, u1 = 1, v0 = 0, v1 = 1;  ///< the face in the primitive's own parameters
  int uniform = 0;
  int varying[4] = {0, 1, 2, 3};
  int faceVarying[4] = {0, 1, 2, 3};
};

/// Takes the variables of a request apart; reports each that cannot be used. Names in `skip` (P and its kin) are left.
std::vector<PrimvarData> readPrimvars(const ParamList& params, const ClassCounts& counts, Diagnostics* diag,
                                      const SourceLoc& loc, const char* request);

/// True for P, Pw, Pz: the position, whatever its declaration says.
bool isPosition(Name name);

/// Writes `var` (just added to a grid of us.size() columns) from four corner items, or one item if uniform.
void fillFromCorners(const PrimvarData& data, const int corners[4], std::span<const float> us,
                     std::span<const float> vs, Var& var);
void fillUniform(const PrimvarData& data, size_t item, Var& var);

}  // namespace reyes::geom
