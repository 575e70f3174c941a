// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: transform(), vtransform(), ntransform(), mtransform(), depth(). Spaces come from Services.
#include "reyes/base/format.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

enum Kind { kPoint = 0, kVector = 1, kNormal = 2 };

Matrix4 spaceOf(MachineState& s, const DecodedInstruction& d, std::string_view from, std::string_view to) {
  Matrix4 m;
  if (from == to) return m;
  if (!s.services_->spaceMatrix(from, to, m)) {
    m = {};
    s.warn(d, "vm-unknown-space", format("unknown coordinate system: \"{}\" to \"{}\"", from, to));
  }
  return m;
}

Matrix4 forKind(const Matrix4& m, Kind kind) { return kind == kNormal ? transpose(inverse(m)) : m; }

/// The operand `k` times one matrix for all lanes.
void apply(MachineState& s, const DecodedInstruction& d, int k, const Matrix4& m, Kind kind) {
  const Matrix4 used = forKind(m, kind);
  const float* p[3];
  s.triple(d, k, p);
  float* o[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  s.isa()->transform(o, p, &used.m[0][0], kind, s.lanesOf(d));
  for (int c = 0; c < 3; ++c) s.store(d, 0, c, o[c]);
}

/// transform(m, p) and transform(from, m, p): first into current space, then by the matrix, which may differ by lane.
void byMatrix(MachineState& s, const DecodedInstruction& d, int matrixAt, const Matrix4& first, Kind kind) {
  const Reg& r = s.reg(d, matrixAt);
  const auto at = [&r](int lane) {
    Matrix4 m;
    for (int c = 0; c < 16; ++c) m.m[c / 4][c % 4] = r.data[static_cast<ptrdiff_t>(c) * r.stride + lane];
    return m;
  };
  if (r.uniform) return apply(s, d, matrixAt + 1, first * at(0), kind);
  const float* p[3];
  s.triple(d, matrixAt + 1, p);
  float* o[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  for (int i = 0; i < s.grid_.points; ++i) {
    const Matrix4 m = first * at(i);
    const Vec3 v{p[0][i], p[1][i], p[2][i]};
    const Vec3 t = kind == kPoint    ? transformPoint(m, v)
                   : kind == kVector ? transformVector(m, v)
                                     : transformNormal(inverse(m), v);
    o[0][i] = t.x, o[1][i] = t.y, o[2][i] = t.z;
  }
  for (int c = 0; c < 3; ++c) s.store(d, 0, c, o[c]);
}

/// A matrix takes points from its space to current space; in another space it takes them there.
void matrixSpace(MachineState& s, const DecodedInstruction& d, int k, const Matrix4& m) {
  const Reg& r = s.reg(d, k);
  float* o[16];
  for (float*& p : o) p = s.outPlane(d);
  for (int i = 0; i < (d.uniform ? 1 : s.grid_.points); ++i) {
    Matrix4 a;
    for (int c = 0; c < 16; ++c) a.m[c / 4][c % 4] = r.data[static_cast<ptrdiff_t>(c) * r.stride + (r.uniform ? 0 : i)];
    a = a * m;
    for (int c = 0; c < 16; ++c) o[c][i] = a.m[c / 4][c % 4];
  }
  for (int c = 0; c < 16; ++c) s.store(d, 0, c, o[c]);
}

void depth(MachineState& s, const DecodedInstruction& d) {
  const float* p[3];
  s.triple(d, 1, p);
  float* o = s.outPlane(d);
  s.services_->depth(s.lanes(d), p, o);
  s.store(d, 0, 0, o);
}

}  // namespace

bool callSpace(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  const auto toSpace = [&](Kind kind) { return apply(s, d, 2, spaceOf(s, d, "current", s.text(d, 1)), kind), true; };
  const auto fromTo = [&](Kind kind) { return apply(s, d, 3, spaceOf(s, d, s.text(d, 1), s.text(d, 2)), kind), true; };
  const auto matrix = [&](Kind kind) { return byMatrix(s, d, 1, Matrix4(), kind), true; };
  const auto fromMatrix = [&](Kind kind) {
    return byMatrix(s, d, 2, spaceOf(s, d, s.text(d, 1), "current"), kind), true;
  };
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_transform:
      return toSpace(kPoint);
    case Builtin::k_vtransform:
      return toSpace(kVector);
    case Builtin::k_ntransform:
      return toSpace(kNormal);
    case Builtin::k_transform_ss:
      return fromTo(kPoint);
    case Builtin::k_vtransform_ss:
      return fromTo(kVector);
    case Builtin::k_ntransform_ss:
      return fromTo(kNormal);
    case Builtin::k_transform_m:
      return matrix(kPoint);
    case Builtin::k_vtransform_m:
      return matrix(kVector);
    case Builtin::k_ntransform_m:
      return matrix(kNormal);
    case Builtin::k_transform_sm:
      return fromMatrix(kPoint);
    case Builtin::k_vtransform_sm:
      return fromMatrix(kVector);
    case Builtin::k_ntransform_sm:
      return fromMatrix(kNormal);
    case Builtin::k_mtransform:
      return matrixSpace(s, d, 2, spaceOf(s, d, "current", s.text(d, 1))), true;
    case Builtin::k_mtransform_ss:
      return matrixSpace(s, d, 3, spaceOf(s, d, s.text(d, 1), s.text(d, 2))), true;
    case Builtin::k_depth:
      return depth(s, d), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
