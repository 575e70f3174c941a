// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: texture(), environment(), shadow(), bump(), trace(): operands into a batch for Services, with
// the change of the coordinates from point to point.
#include <cmath>

#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

std::vector<TokenValue> tokensOf(MachineState& s, const DecodedInstruction& d, int first) {
  std::vector<TokenValue> tokens;
  for (int k = first; k + 1 < d.nargs; k += 2) tokens.push_back({s.text(d, k), s.valueOf(d.args[k + 1])});
  return tokens;
}

/// Changes of operand k along u and v; null where it is uniform.
void changes(MachineState& s, const DecodedInstruction& d, int k, int component, const float*& du, const float*& dv) {
  if (d.uniform || s.reg(d, k).uniform) return;
  const float* x = s.plane(d, k, component);
  float *u = s.outPlane(d), *v = s.outPlane(d);
  s.isa()->changeU(u, x, s.numbers_, s.lanesOf(d));
  s.isa()->changeV(v, x, s.numbers_, s.lanesOf(d));
  du = u, dv = v;
}

/// Centre and edges of a quadrilateral whose corners are operands first, first + step, ...: (low u, low v), (high u,
/// low v), (low u, high v), (high u, high v).
void corners(MachineState& s, const DecodedInstruction& d, int first, int step, int component, const float*& centre,
             const float*& du, const float*& dv) {
  const float* p[4];
  for (int k = 0; k < 4; ++k) p[k] = s.plane(d, first + k * step, component);
  float *c = s.outPlane(d), *u = s.outPlane(d), *v = s.outPlane(d);
  for (int i = 0; i < s.lanesOf(d); ++i) {
    c[i] = 0.25f * ((p[0][i] + p[1][i]) + (p[2][i] + p[3][i]));
    u[i] = 0.5f * ((p[1][i] - p[0][i]) + (p[3][i] - p[2][i]));
    v[i] = 0.5f * ((p[2][i] - p[0][i]) + (p[3][i] - p[1][i]));
  }
  centre = c, du = u, dv = v;
}

int channelOf(const MachineState& s, const DecodedInstruction& d) {
  // No picture has so many: what it lacks is filled.
  constexpr float kMost = 4096;
  const float f = s.scalar(d, 2);
  return f > 0 ? static_cast<int>(f < kMost ? f : kMost) : 0;
}

// Operands: result, name, channel, coordinates, tokens.
void texture(MachineState& s, const DecodedInstruction& d, int coordinates) {
  TextureCall c;
  c.file = s.text(d, 1);
  c.firstChannel = channelOf(s, d);
  c.channels = s.type(d, 0).planes();
  if (coordinates == 8) {
    corners(s, d, 3, 2, 0, c.s, c.dsdu, c.dsdv);
    corners(s, d, 4, 2, 0, c.t, c.dtdu, c.dtdv);
  } else {
    c.s = s.plane(d, 3), c.t = s.plane(d, 4);
    changes(s, d, 3, 0, c.dsdu, c.dsdv);
    changes(s, d, 4, 0, c.dtdu, c.dtdv);
  }
  const std::vector<TokenValue> tokens = tokensOf(s, d, 3 + coordinates);
  c.tokens = tokens;
  for (int k = 0; k < c.channels; ++k) c.out[k] = s.outPlane(d);
  s.services_->texture(s.lanes(d), c);
  for (int k = 0; k < c.channels; ++k) s.store(d, 0, k, c.out[k]);
}

/// Half of the distance over which a slope is taken: a texel, or what a point covers where that is more.
void halfSteps(const MachineState& s, const DecodedInstruction& d, const float* du, const float* dv, float texels,
               float* step) {
  const float least = 0.5f / (texels > 1 ? texels : 1);
  for (int i = 0; i < s.lanesOf(d); ++i) {
    const float a = du ? std::fabs(du[i]) : 0, b = dv ? std::fabs(dv[i]) : 0, more = 0.5f * (a > b ? a : b);
    step[i] = more > least ? more : least;
  }
}

/// The normal of P + h * norm, of norm's length and side.
Vec3 bent(Vec3 norm, Vec3 dPds, Vec3 dPdt, float slopeS, float slopeT) {
  const float size = length(norm);
  if (!(size > 0)) return norm;
  const Vec3 unit = norm * (1 / size), flat = cross(dPds, dPdt);
  Vec3 n = flat + cross(dPds, unit) * slopeT + cross(unit, dPdt) * slopeS;
  if (dot(flat, unit) < 0) n = -n;
  const float now = length(n);
  return now > 0 && std::isfinite(now) ? n * (size / now) : norm;
}

// Operands: result, name, channel, norm, dPds, dPdt, s, t, tokens.
void bump(MachineState& s, const DecodedInstruction& d) {
  TextureCall c;
  c.file = s.text(d, 1);
  c.firstChannel = channelOf(s, d);
  const float* place[2] = {s.plane(d, 6), s.plane(d, 7)};
  changes(s, d, 6, 0, c.dsdu, c.dsdv);
  changes(s, d, 7, 0, c.dtdu, c.dtdv);
  const std::vector<TokenValue> tokens = tokensOf(s, d, 8);
  c.tokens = tokens;
  QueryResult size;
  s.services_->query(Query::kTextureInfo, c.file, "resolution", RegType::kFloat, size);
  size.numbers.resize(2, 1024.0f);
  float* slope[2];
  for (int axis = 0; axis < 2; ++axis) {
    float *step = s.outPlane(d), *low = s.outPlane(d), *high = s.outPlane(d), *moved = s.outPlane(d);
    halfSteps(s, d, axis ? c.dtdu : c.dsdu, axis ? c.dtdv : c.dsdv, size.numbers[static_cast<size_t>(axis)], step);
    for (const bool up : {false, true}) {
      for (int i = 0; i < s.lanesOf(d); ++i) moved[i] = place[axis][i] + (up ? step[i] : -step[i]);
      c.s = axis == 0 ? moved : place[0], c.t = axis == 1 ? moved : place[1];
      c.out[0] = up ? high : low;
      s.services_->texture(s.lanes(d), c);
    }
    for (int i = 0; i < s.lanesOf(d); ++i) low[i] = (high[i] - low[i]) / (2 * step[i]);
    slope[axis] = low;
  }
  const float *norm[3], *dPds[3], *dPdt[3];
  s.triple(d, 3, norm), s.triple(d, 4, dPds), s.triple(d, 5, dPdt);
  float* out[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  for (int i = 0; i < s.lanesOf(d); ++i) {
    const auto at = [i](const float* const p[3]) { return Vec3{p[0][i], p[1][i], p[2][i]}; };
    const Vec3 n = bent(at(norm), at(dPds), at(dPdt), slope[0][i], slope[1][i]);
    for (int k = 0; k < 3; ++k) out[k][i] = n[k];
  }
  for (int k = 0; k < 3; ++k) s.store(d, 0, k, out[k]);
}

void map(MachineState& s, const DecodedInstruction& d, int points, bool shadow) {
  MapCall c;
  c.file = s.text(d, 1);
  c.firstChannel = channelOf(s, d);
  c.channels = s.type(d, 0).planes();
  for (int k = 0; k < 3; ++k) {
    if (points == 4) {
      corners(s, d, 3, 1, k, c.p[k], c.dpdu[k], c.dpdv[k]);
    } else {
      c.p[k] = s.plane(d, 3, k);
      changes(s, d, 3, k, c.dpdu[k], c.dpdv[k]);
    }
  }
  const std::vector<TokenValue> tokens = tokensOf(s, d, 3 + points);
  c.tokens = tokens;
  for (int k = 0; k < c.channels; ++k) c.out[k] = s.outPlane(d);
  if (shadow)
    s.services_->shadow(s.lanes(d), c);
  else
    s.services_->environment(s.lanes(d), c);
  for (int k = 0; k < c.channels; ++k) s.store(d, 0, k, c.out[k]);
}

void trace(MachineState& s, const DecodedInstruction& d) {
  const float *P[3], *R[3];
  s.triple(d, 1, P), s.triple(d, 2, R);
  float* o[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  const std::vector<TokenValue> tokens = tokensOf(s, d, 3);
  s.services_->trace(s.lanes(d), P, R, tokens, o);
  for (int c = 0; c < s.type(d, 0).planes(); ++c) s.store(d, 0, c, o[c]);
}

}  // namespace

bool callMap(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_texture:
    case Builtin::k_texture_c:
    case Builtin::k_texture_2:
    case Builtin::k_texture_c2:
      return texture(s, d, 2), true;
    case Builtin::k_texture_8:
    case Builtin::k_texture_c8:
      return texture(s, d, 8), true;
    case Builtin::k_environment:
    case Builtin::k_environment_c:
      return map(s, d, 1, false), true;
    case Builtin::k_environment_4:
    case Builtin::k_environment_c4:
      return map(s, d, 4, false), true;
    case Builtin::k_shadow:
    case Builtin::k_shadow_c:
      return map(s, d, 1, true), true;
    case Builtin::k_shadow_4:
    case Builtin::k_shadow_c4:
      return map(s, d, 4, true), true;
    case Builtin::k_bump:
    case Builtin::k_bump_2:
      return bump(s, d), true;
    case Builtin::k_trace:
    case Builtin::k_trace_f:
      return trace(s, d), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
