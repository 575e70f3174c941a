// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: messages from other shaders of the point, and information of the renderer (RI 3.2
// section 15.8).
#include <algorithm>

#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

// Operands: result, name, variable.
void message(MachineState& s, const DecodedInstruction& d, MessageSource from) {
  const Register& type = s.type(d, 2);
  Value v;
  const bool found =
      s.services_->message(from, s.currentLight(), s.text(d, 1), s.lanes(d), type.type, type.arrayLength, v) && v &&
      v.type == type.type && v.arrayLength == type.arrayLength;
  if (found && type.type == RegType::kString) {
    for (int e = 0; e < v.elements() && e < static_cast<int>(v.strings.size()); ++e)
      s.storeUniform(d, 2, e, s.intern(v.strings[static_cast<size_t>(e)]));
  } else if (found) {
    for (int c = 0; c < type.planes(); ++c) {
      const float* p = v.data + static_cast<ptrdiff_t>(c) * v.stride;
      if (v.uniform || d.uniform)
        s.storeUniform(d, 2, c, p[0]);
      else
        s.store(d, 2, c, p);
    }
  }
  s.storeUniform(d, 0, 0, found ? 1.0f : 0.0f);
}

// Operands: name, value.
void sendLight(MachineState& s, const DecodedInstruction& d) {
  Sends& sends = s.pendingSends_;
  Value v = s.valueOf(d.args[1]);
  if (v.data) {
    const size_t planes = static_cast<size_t>(v.elements() * planeCount(v.type));
    const size_t lanes = v.uniform ? 1 : static_cast<size_t>(s.lanes_);
    std::vector<float>& copy = sends.data.emplace_back(planes * lanes);
    for (size_t p = 0; p < planes; ++p)
      std::copy_n(v.data + static_cast<ptrdiff_t>(p) * v.stride, lanes, copy.data() + p * lanes);
    v.data = copy.data();
    v.stride = static_cast<int>(lanes);
  }
  sends.values.push_back({sends.names.emplace_back(s.text(d, 0)), std::move(v)});
}

// The variable is at operand `at`; its type says what is wanted. Answers that are too short are no answer.
void query(MachineState& s, const DecodedInstruction& d, Query what, int at) {
  const Register& type = s.type(d, at);
  QueryResult r;
  const std::string_view field = at == 3 ? s.text(d, 2) : std::string_view();
  bool found = s.services_->query(what, s.text(d, 1), field, type.type, r);
  const size_t planes = static_cast<size_t>(type.planes());
  if (type.type == RegType::kString) {
    found = found && r.strings.size() >= planes;
    for (size_t e = 0; found && e < planes; ++e) s.storeUniform(d, at, static_cast<int>(e), s.intern(r.strings[e]));
  } else {
    found = found && r.numbers.size() >= planes;
    for (size_t c = 0; found && c < planes; ++c) s.storeUniform(d, at, static_cast<int>(c), r.numbers[c]);
  }
  s.storeUniform(d, 0, 0, found ? 1.0f : 0.0f);
}

}  // namespace

bool callMessage(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_surface:
      return message(s, d, MessageSource::kSurface), true;
    case Builtin::k_displacement:
      return message(s, d, MessageSource::kDisplacement), true;
    case Builtin::k_atmosphere:
      return message(s, d, MessageSource::kAtmosphere), true;
    case Builtin::k_lightsource:
      return message(s, d, MessageSource::kLightSource), true;
    case Builtin::k_incident:
      return message(s, d, MessageSource::kIncident), true;
    case Builtin::k_opposite:
      return message(s, d, MessageSource::kOpposite), true;
    case Builtin::k_send_light:
      return sendLight(s, d), true;
    case Builtin::k_attribute:
      return query(s, d, Query::kAttribute, 2), true;
    case Builtin::k_option:
      return query(s, d, Query::kOption, 2), true;
    case Builtin::k_rendererinfo:
      return query(s, d, Query::kRendererInfo, 2), true;
    case Builtin::k_rayinfo:
      return query(s, d, Query::kRayInfo, 2), true;
    case Builtin::k_textureinfo:
      return query(s, d, Query::kTextureInfo, 3), true;
    case Builtin::k_shadername:
      return s.storeUniform(d, 0, 0, s.intern(s.services_->shaderName({}))), true;
    case Builtin::k_shadername_s:
      return s.storeUniform(d, 0, 0, s.intern(s.services_->shaderName(s.text(d, 1)))), true;
    case Builtin::k_raylevel:
      return s.storeUniform(d, 0, 0, static_cast<float>(s.services_->rayDepth())), true;
    case Builtin::k_isshadowray:
      return s.storeUniform(d, 0, 0, s.services_->isShadowRay() ? 1.0f : 0.0f), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
