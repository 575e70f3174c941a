// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/object_id.h"

#include <algorithm>
#include <cmath>

#include "reyes/hider/whole_number.h"

namespace reyes::render {
namespace {

/// The nearest whole number that fits; 0 of what is no number.
uint32_t wholeOf(float v) {
  const double d = std::isnan(v) ? 0.0 : std::clamp(static_cast<double>(v), -2147483648.0, 4294967295.0);
  return static_cast<uint32_t>(std::llround(d));
}

}  // namespace

bool isObjectId(const scene::OutputVariable& v) {
  return v.name == "id" && (v.type == Type::kInteger || v.type == Type::kFloat);
}

std::optional<uint32_t> objectIdOf(const scene::Attributes& attributes) {
  const auto it = attributes.named.find("identifier:id");
  if (it == attributes.named.end()) return std::nullopt;
  const Param& p = it->second;
  // Floats hold no more than 24 bits of what the scene file says.
  if (!p.ints.empty()) return static_cast<uint32_t>(p.ints[0]);
  if (!p.floats.empty()) return wholeOf(p.floats[0]);
  return std::nullopt;
}

void fillObjectId(const std::optional<uint32_t>& id, const Var* variable, int shaded, int points, float* out) {
  float* const upper = out + points;
  if (id || !variable || !variable->data) {
    hider::splitWhole(id.value_or(0), out[0], upper[0]);
    std::fill_n(out, points, out[0]);
    std::fill_n(upper, points, upper[0]);
    return;
  }
  for (int i = 0; i < points; ++i)
    hider::splitWhole(wholeOf(variable->data[variable->uniform ? 0 : i % shaded]), out[i], upper[i]);
}

}  // namespace reyes::render
