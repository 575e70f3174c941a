// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: copies and choices of matrices and arrays, array elements, comparison of strings and matrices,
// matrix products. Called by MachineState::call for what has no vector kernel.
#include <bit>
#include <cstring>

#include "reyes/vm/machine_state.h"

namespace reyes::vm {

namespace {

Matrix4 matrixAt(const Reg& r, int lane) {
  Matrix4 m;
  for (int k = 0; k < 16; ++k)
    m.m[k / 4][k % 4] = r.data[static_cast<ptrdiff_t>(k) * r.stride + (r.uniform ? 0 : lane)];
  return m;
}

void copyAll(MachineState& s, const DecodedInstruction& d) {
  for (int c = 0; c < s.type(d, 0).planes(); ++c) {
    s.resetScratch();
    s.store(d, 0, c, s.plane(d, 1, c));
  }
}

void selectAll(MachineState& s, const DecodedInstruction& d) {
  const int n = s.lanesOf(d);
  for (int c = 0; c < s.type(d, 0).planes(); ++c) {
    s.resetScratch();
    const float *cond = s.plane(d, 1), *a = s.plane(d, 2, c), *b = s.plane(d, 3, c);
    float* o = s.outPlane(d);
    for (int i = 0; i < n; ++i) o[i] = cond[i] != 0.0f ? a[i] : b[i];
    s.store(d, 0, c, o);
  }
}

/// Element of an index: floor, then the nearest that exists.
int elementOf(MachineState& s, const DecodedInstruction& d, float index, int length, bool active) {
  const float last = static_cast<float>(length - 1);
  if (index >= 0.0f && index < static_cast<float>(length)) return static_cast<int>(index);
  if (active) {
    ++s.stats_.indexClamps;
    s.fault(d, 1);
  }
  return index > last ? length - 1 : 0;
}

void loadElement(MachineState& s, const DecodedInstruction& d) {
  const Reg& array = s.reg(d, 1);
  const int width = planeCount(s.type(d, 1).type), length = s.type(d, 1).arrayLength, n = s.lanesOf(d);
  const float* index = s.plane(d, 2);
  const int points = d.uniform ? 1 : s.grid_.points;

  // The usual case: one index for all lanes.
  if (s.reg(d, 2).uniform) {
    const int e = elementOf(s, d, index[0], length, true);
    for (int c = 0; c < width; ++c) {
      const float* p = array.data + static_cast<ptrdiff_t>(e * width + c) * array.stride;
      if (array.uniform)
        s.storeUniform(d, 0, c, p[0]);
      else
        s.store(d, 0, c, p);
    }
    return;
  }
  int* element = reinterpret_cast<int*>(s.scratch(static_cast<size_t>(n)));
  for (int i = 0; i < n; ++i) element[i] = i < points ? elementOf(s, d, index[i], length, s.now_.lanes[i] != 0) : 0;
  for (int c = 0; c < width; ++c) {
    float* o = s.outPlane(d);
    for (int i = 0; i < points; ++i)
      o[i] = array.data[static_cast<ptrdiff_t>(element[i] * width + c) * array.stride + (array.uniform ? 0 : i)];
    s.store(d, 0, c, o);
  }
}

void storeElement(MachineState& s, const DecodedInstruction& d) {
  const Reg &array = s.reg(d, 0), &value = s.reg(d, 2);
  const int width = planeCount(s.type(d, 0).type), length = s.type(d, 0).arrayLength;
  const float* index = s.plane(d, 1);
  const int points = array.uniform ? 1 : s.grid_.points;
  for (int i = 0; i < points; ++i) {
    if (!array.uniform && !s.now_.lanes[i] && d.maskable) continue;
    const int e = elementOf(s, d, index[i], length, true);
    for (int c = 0; c < width; ++c)
      array.data[static_cast<ptrdiff_t>(e * width + c) * array.stride + i] =
          value.data[static_cast<ptrdiff_t>(c) * value.stride + (value.uniform ? 0 : i)];
  }
}

void compareStrings(MachineState& s, const DecodedInstruction& d, bool equal) {
  if (d.uniform) {
    const bool same = std::bit_cast<uint32_t>(s.scalar(d, 1)) == std::bit_cast<uint32_t>(s.scalar(d, 2));
    return s.storeUniform(d, 0, 0, same == equal ? 1.0f : 0.0f);
  }
  const float *a = s.plane(d, 1), *b = s.plane(d, 2);
  float* o = s.outPlane(d);
  for (int i = 0; i < s.lanesOf(d); ++i)
    o[i] = (std::bit_cast<uint32_t>(a[i]) == std::bit_cast<uint32_t>(b[i])) == equal ? 1.0f : 0.0f;
  s.store(d, 0, 0, o);
}

/// Matrix functions of one or two matrices, point by point.
template <class F>
void matrices(MachineState& s, const DecodedInstruction& d, F f) {
  const Reg &a = s.reg(d, 1), &b = s.reg(d, 2);
  float* o[16];
  for (float*& p : o) p = s.outPlane(d);
  const int points = d.uniform ? 1 : s.grid_.points;
  for (int i = 0; i < points; ++i) {
    const Matrix4 m = f(matrixAt(a, i), matrixAt(b, i));
    for (int k = 0; k < 16; ++k) o[k][i] = m.m[k / 4][k % 4];
  }
  for (int k = 0; k < 16; ++k) s.store(d, 0, k, o[k]);
}
void compareMatrices(MachineState& s, const DecodedInstruction& d, bool equal) {
  const Reg &a = s.reg(d, 1), &b = s.reg(d, 2);
  float* o = s.outPlane(d);
  for (int i = 0; i < (d.uniform ? 1 : s.grid_.points); ++i)
    o[i] = (matrixAt(a, i) == matrixAt(b, i)) == equal ? 1.0f : 0.0f;
  s.store(d, 0, 0, o);
}

}  // namespace

bool callMove(MachineState& s, const DecodedInstruction& d) {
  switch (d.op) {
    case Op::kMov:
      return copyAll(s, d), true;
    case Op::kSelect:
      return selectAll(s, d), true;
    case Op::kLoadElement:
      return loadElement(s, d), true;
    case Op::kStoreElement:
      return storeElement(s, d), true;
    case Op::kEqS:
      return compareStrings(s, d, true), true;
    case Op::kNeS:
      return compareStrings(s, d, false), true;
    case Op::kEqM:
      return compareMatrices(s, d, true), true;
    case Op::kNeM:
      return compareMatrices(s, d, false), true;
    case Op::kMulM:
      matrices(s, d, [](const Matrix4& a, const Matrix4& b) { return a * b; });
      return true;
    case Op::kDivM:
      matrices(s, d, [](const Matrix4& a, const Matrix4& b) { return a * inverse(b); });
      return true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
