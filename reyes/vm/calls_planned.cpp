// SPDX-License-Identifier: Apache-2.0
// Calls of the machine that the renderer has nothing behind: what asks rays, photons or point clouds. Each
// gives the value of a scene in which there are none, so that the shader goes on, and is named to the host.
#include "reyes/base/format.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

/// What the host is told, and the value that every written operand gets.
struct Absent {
  const char* why;
  float value;
  const char* gives;
};
Absent absentOf(Builtin b) {
  constexpr const char *kRays = "there is no ray tracing", *kClouds = "there are no point clouds";
  switch (b) {
    case Builtin::k_transmission:
    case Builtin::k_visibility:
      return {kRays, 1, "nothing stands in the way"};
    case Builtin::k_occlusion:
    case Builtin::k_occlusion_2:
    case Builtin::k_occlusion_s:
      return {kRays, 0, "nothing is occluded"};
    case Builtin::k_gather:
      return {kRays, 0, "no ray hits"};
    case Builtin::k_photonmap:
    case Builtin::k_caustic:
      return {"there are no photon maps", 0, "it gives black"};
    case Builtin::k_subsurface:
      return {"there is no subsurface scattering", 0, "it gives black"};
    case Builtin::k_texture3d:
      return {kClouds, 0, "it gives 0 and leaves its variables alone"};
    case Builtin::k_bake3d:
    case Builtin::k_bake:
    case Builtin::k_bake_c:
      return {kClouds, 0, "nothing is written"};
    default:
      return {kRays, 0, "it gives black"};
  }
}

}  // namespace

bool callPlanned(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  const OpInfo& info = opInfo(d.op);
  if (!(info.builtin->flags & BuiltinInfo::Planned)) return false;
  const Builtin b = info.builtin->id;
  const Absent absent = absentOf(b);
  s.warn(d, "not-built", format("{}(): {}: {}", info.builtin->name, absent.why, absent.gives));
  for (int k = 0; k < d.nargs; ++k)
    if (operandAccess(info, static_cast<size_t>(k)) == Access::kWrite)
      for (int c = 0; c < s.type(d, k).planes(); ++c) s.storeUniform(d, k, c, absent.value);
  return true;
}

}  // namespace reyes::vm
