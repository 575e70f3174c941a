// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: ambient(), diffuse(), specular(), phong() (RI 3.2 section 15.6): sums over the lights of
// Services.
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

/// Calls add(planes) for each light that counts; pAt is the operand with the surface point.
template <class F>
void overLights(MachineState& s, const DecodedInstruction& d, int pAt, bool ambient, bool specular, F add) {
  const float* P[3];
  s.triple(d, pAt, P);
  const Lanes lanes = s.lanes(d);
  const int count = s.services_->lightCount();
  for (int i = 0; i < count; ++i) {
    LightSample l;
    if (!s.services_->light(i, lanes, P, l) || l.ambient != ambient || !l.Cl[0] || (!ambient && !l.L[0])) continue;
    LightPlanes planes{};
    for (int c = 0; c < 3; ++c) planes.L[c] = l.L[c], planes.Cl[c] = l.Cl[c];
    planes.lit = l.lit;
    planes.weight = ambient ? nullptr : specular ? l.nonspecular : l.nondiffuse;
    // The loop with weights reads `lit` as well.
    if (planes.weight && !planes.lit) planes.lit = lanes.active;
    add(planes);
  }
}

}  // namespace

bool callLight(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  const Builtin b = opInfo(d.op).builtin->id;
  if (b != Builtin::k_ambient && b != Builtin::k_diffuse && b != Builtin::k_specular && b != Builtin::k_phong)
    return false;

  float* o[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  const int n = s.lanesOf(d);
  if (b == Builtin::k_ambient) {
    overLights(s, d, 1, true, false, [&](const LightPlanes& l) { s.isa()->addColor(o, l, n); });
  } else if (b == Builtin::k_diffuse) {
    const float* N[3];
    s.triple(d, 1, N);
    overLights(s, d, 2, false, false, [&](const LightPlanes& l) { s.isa()->diffuse(o, l, N, n); });
  } else {
    const float *N[3], *V[3];
    s.triple(d, 1, N), s.triple(d, 2, V);
    const float* exponent = s.plane(d, 3);
    overLights(s, d, 4, false, true, [&](const LightPlanes& l) {
      (b == Builtin::k_specular ? s.isa()->specular : s.isa()->phong)(o, l, N, V, exponent, n);
    });
  }
  for (int c = 0; c < 3; ++c) s.store(d, 0, c, o[c]);
  return true;
}

}  // namespace reyes::vm
