// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/light_surfaces.h"

#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/render/grid_dice.h"

namespace reyes::session {
namespace {

/// Runs displacement shaders on faces of area lights, in the camera's space as for a picture.
class Displacer {
 public:
  explicit Displacer(const shade::FrameServices& services)
      : services_(services), projector_(*services.view, 0, 0), context_(services) {}

  /// As scene::DisplacedFace.
  bool face(const scene::Primitive& p, int face, int n, VarBlock& grid, Arena& arena) {
    render::PrimitiveFrame prim;
    prim.prepare(*services_.world, *services_.view, projector_, p, 1, true, false);
    if (prim.keyCount() == 0 || prim.throughInfinity()) return false;
    prim.primvars = context_.wantedPrimvars(*p.attributes, {});
    render::DicePlan plan;
    plan.face = face, plan.nu = plan.nv = n;
    plan.seed = hashCombine(p.path, static_cast<uint64_t>(face), 0xa4ea);
    render::diceInto(prim, plan, work_);
    context_.displace(work_.grid);
    copy(inverse(services_.view->cameraFromWorld.at(prim.keys()[0].time)), grid, arena);
    return true;
  }

 private:
  /// What a light wants to know of its surface, from camera to world space.
  void copy(const Matrix4& worldFromCamera, VarBlock& grid, Arena& arena) const {
    render::MotionKey key;
    key.cameraFromObject = worldFromCamera, key.objectFromCamera = inverse(worldFromCamera);
    for (const char* name : {"P", "Ng", "dPdu", "dPdv", "u", "v", "s", "t"}) {
      const Var* from = work_.vars.find(name);
      if (!from || from->uniform) continue;
      const Var& to = grid.add(from->spec, arena);
      for (int c = 0; c < from->spec.width(); ++c) std::copy_n(from->plane(c), grid.points(), to.plane(c));
      render::primvarToCamera(to, key);
    }
  }

  const shade::FrameServices& services_;
  const render::Projector projector_;
  shade::ShadeContext context_;
  render::GridWork work_;
};

/// Primitives stand in the order of their paths; those that could not be made are not there.
const scene::Primitive* madeAt(const scene::World& world, uint64_t path) {
  const auto it = std::lower_bound(world.primitives.begin(), world.primitives.end(), path,
                                   [](const scene::Primitive& p, uint64_t key) { return p.path < key; });
  return it != world.primitives.end() && it->path == path ? &*it : nullptr;
}

}  // namespace

void makeLightSurfaces(Run& run, scene::World& world, const LightPrimitives& primitives,
                       const shade::FrameServices& services) {
  if (primitives.empty()) return;
  Displacer displacer(services);
  const scene::DisplacedFace displaced = [&](const scene::Primitive& p, int face, int n, VarBlock& grid, Arena& arena) {
    return displacer.face(p, face, n, grid, arena);
  };
  for (const auto& [index, paths] : primitives) {
    scene::Light& light = world.lights[static_cast<size_t>(index)];
    std::vector<const scene::Primitive*> surface;
    for (const uint64_t path : paths)
      if (const scene::Primitive* p = madeAt(world, path)) surface.push_back(p);
    for (const scene::Primitive* p : surface)
      if (p->attributes->displacement && p->geometry && (p->geometry->asPoints() || p->geometry->asCurves()))
        run.notBuilt(p->loc, "the displacement of an area light of points or curves",
                     "it shines from where they are without it");
    light.area = scene::makeAreaLight(surface, services.view->shutterOpen, displaced);
    if (!light.area)
      run.diag.warning(
          "light-without-area", light.shader->loc,
          format("AreaLightSource {} has no primitive with an area: it shines from one place", light.handle));
  }
}

}  // namespace reyes::session
