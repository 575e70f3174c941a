// SPDX-License-Identifier: Apache-2.0
// Differences across a grid: centred inside, second-order one-sided at the borders, so that no seam shows.
#pragma once

#include "reyes/vars/var_block.h"

namespace reyes::shade {

/// d/du (alongU) or d/dv of a plane of (nu+1) x (nv+1) points, u fastest; `step` is the parameter step.
void differences(const float* values, int nu, int nv, bool alongU, float step, float* out);

/// dPdu, dPdv and Ng of `vars` from its P, after P moved. Ng is dPdu x dPdv (the other way round with `flip`); where
/// that vanishes the old Ng stays.
void rederive(VarBlock& vars, int nu, int nv, float du, float dv, bool flip);

}  // namespace reyes::shade
