// SPDX-License-Identifier: Apache-2.0
// How a request becomes a primitive: a shape (shared between the instances of an object), with its motion keys, the
// attributes and the transformation of its place; and quadrics. Other requests: builder_shapes.cpp.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/session/builder.h"

namespace reyes::session {
namespace {
/// A topology that owns its arrays: kept from the first key of a motion block to its end, or until another thread has
/// made the shape.
struct OwnedTopology {
  explicit OwnedTopology(const Topology& t)
      : view(t),
        a(t.a.begin(), t.a.end()),
        b(t.b.begin(), t.b.end()),
        c(t.c.begin(), t.c.end()),
        tags(t.tags.begin(), t.tags.end()),
        tagStrings(t.tagStrings.begin(), t.tagStrings.end()),
        tagCounts(t.tagCounts.begin(), t.tagCounts.end()),
        tagInts(t.tagInts.begin(), t.tagInts.end()),
        tagFloats(t.tagFloats.begin(), t.tagFloats.end()),
        uKnots(t.u.knots.begin(), t.u.knots.end()),
        vKnots(t.v.knots.begin(), t.v.knots.end()),
        floats(t.floats.begin(), t.floats.end()) {
    view.a = a, view.b = b, view.c = c;
    view.u.knots = uKnots, view.v.knots = vKnots;
    view.floats = floats;
    view.tags = tags, view.tagCounts = tagCounts, view.tagInts = tagInts, view.tagFloats = tagFloats;
    view.tagStrings = tagStrings;
  }
  Topology view;
  std::vector<int> a, b, c;
  std::vector<std::string> tags, tagStrings;
  std::vector<int> tagCounts, tagInts;
  std::vector<float> tagFloats;
  std::vector<float> uKnots, vKnots, floats;
};

/// What differs between the topologies of two motion keys, in words; empty if nothing does.
std::string difference(const Topology& x, const Topology& y) {
  const auto unlike = [](const auto& a, const auto& b) { return !std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  const auto direction = [&](const geom::NurbsDirection& a, const geom::NurbsDirection& b) {
    return a.n != b.n || a.order != b.order || a.min != b.min || a.max != b.max || unlike(a.knots, b.knots);
  };
  if (x.type != y.type) return "type";
  if (x.nu != y.nu || x.nv != y.nv || x.u.n != y.u.n || x.v.n != y.v.n) return "number of points";
  if (x.uWrap != y.uWrap || x.vWrap != y.vWrap) return "wrapping";
  if (unlike(x.a, y.a) || unlike(x.b, y.b)) return "faces";
  if (unlike(x.c, y.c)) return "vertex numbers";
  if (direction(x.u, y.u) || direction(x.v, y.v)) return "orders, knots or ranges";
  if (unlike(x.tags, y.tags) || unlike(x.tagCounts, y.tagCounts) || unlike(x.tagInts, y.tagInts) ||
      unlike(x.tagFloats, y.tagFloats) || unlike(x.tagStrings, y.tagStrings))
    return "tags";
  return {};
}
}  // namespace

geom::Context SceneBuilder::geometryContext() const {
  geom::Context c;
  c.diag = &run_.diag;
  c.loc = at();
  c.uBasis = state_.uBasis, c.vBasis = state_.vBasis;
  c.uStep = state_.uStep, c.vStep = state_.vStep;
  std::copy(state_.st.begin(), state_.st.end(), c.st);
  c.subdivCache = &run_.subdivCache;
  c.trim = state_.trim, c.trimInside = state_.trimInside;
  c.depthPlanes = depthPlanes_;
  return c;
}

uint64_t SceneBuilder::geometryStateHash() const {
  const auto bytes = [](const auto& v) { return std::string_view(reinterpret_cast<const char*>(&v), sizeof v); };
  uint64_t h = hashBytes(bytes(state_.st));
  h = hashBytes(bytes(state_.uBasis), h);
  h = hashBytes(bytes(state_.vBasis), h);
  h = hashCombine(h, reinterpret_cast<uintptr_t>(state_.trim.get()), state_.trimInside ? 1 : 0);
  // What a plane repels depends on where the Blobby is.
  for (const Matrix4& m : state_.ctm.matrices)
    if (!depthPlanes_.empty()) h = hashBytes(bytes(m), h);
  return hashCombine(h, static_cast<uint64_t>(state_.uStep), static_cast<uint64_t>(state_.vStep));
}

bool SceneBuilder::primitiveAllowed(const char* request) {
  if (!world_) {
    // Once a file: an archive that is read by itself is nothing but such requests.
    if (run_.firstTime("outside " + at().file.str()))
      run_.diag.error("rib-bad-nesting", at(),
                      reyes::format("{} outside a world: all primitives there are ignored", request));
    return false;
  }
  return detailVisible();
}

float SceneBuilder::rasterArea(const std::array<float, 6>& b, const scene::AnimatedTransform& space) const {
  const float time = detailView_.shutterOpen;
  const Matrix4 toCamera = space.at(time) * detailView_.cameraFromWorld.at(time);
  const Matrix4 toRaster = detailView_.screenFromCamera() * detailView_.rasterFromScreen();
  RasterBound raster;
  for (int i = 0; i < 8; ++i) {
    const Vec3 p = transformPoint(toCamera, {b[i & 1 ? 1 : 0], b[i & 2 ? 3 : 2], b[i & 4 ? 5 : 4]});
    if (detailView_.perspective() && p.z < detailView_.near) {
      // The box reaches to the eye: it is as large as can be.
      raster.add(0, 0, 0);
      raster.add(static_cast<float>(detailView_.xResolution), static_cast<float>(detailView_.yResolution), 0);
      continue;
    }
    const Vec3 r = transformPoint(toRaster, p);
    raster.add(r.x, r.y, p.z);
  }
  return (raster.x1 - raster.x0) * (raster.y1 - raster.y0) * options_.relativeDetail;
}

std::pair<float, float> SceneBuilder::detailShare() const {
  if (!state_.detail || !state_.detailRangeGiven) return {0.0f, 1.0f};
  // The level of detail: the area, in pixels, of the box's projection (section 5.3).
  const float size = rasterArea(*state_.detail, state_.detailSpace);
  const auto& [least, lower, upper, most] = state_.detailRange;
  if (size < least || (size >= most && most < 1e30f)) return {0.0f, 0.0f};
  if (size < lower) return {0.0f, (size - least) / (lower - least)};
  if (size > upper && most < 1e30f) return {(size - upper) / (most - upper), 1.0f};
  return {0.0f, 1.0f};
}

bool SceneBuilder::detailVisible() const {
  const auto [from, to] = detailShare();
  return from < to;
}

geom::GeometryPtr SceneBuilder::share(const std::function<geom::GeometryPtr()>& make) {
  if (instances_.empty()) return make();
  auto& [object, next] = instances_.back();
  const size_t i = next++;
  const uint64_t state = geometryStateHash();
  if (i < object->made.size()) {
    const ObjectDefinition::Made& m = object->made[i];
    if (m.state == state && m.loc.line == at().line && m.loc.column == at().column && m.loc.file == at().file)
      return m.geometry;
    return make();
  }
  object->made.push_back({at(), state, make()});
  return object->made.back().geometry;
}

geom::GeometryPtr SceneBuilder::lastQuadric(std::string_view request, std::span<const float> dimensions,
                                            const std::function<geom::GeometryPtr()>& make) {
  auto it = std::find_if(quadrics_.begin(), quadrics_.end(), [&](const auto& q) { return q.request == request; });
  if (it == quadrics_.end()) it = quadrics_.insert(it, {request, {}, {}, {}});
  if (it->geometry && it->st == state_.st &&
      std::equal(dimensions.begin(), dimensions.end(), it->dimensions.begin(), it->dimensions.end()))
    return it->geometry;
  it->dimensions.assign(dimensions.begin(), dimensions.end());
  it->st = state_.st;
  geom::GeometryPtr geometry = make();
  // A paraboloid that is cut at its apex is told each time.
  const bool cut = request == "Paraboloid" && dimensions[1] * dimensions[2] < 0;
  it->geometry = cut ? nullptr : geometry;
  return geometry;
}

scene::Primitive* SceneBuilder::newPrimitive() {
  for (const Matrix4& m : state_.ctm.matrices)
    if (isSingular(m)) {
      run_.diag.warning("scene-flat-transform", at(), "a primitive is flattened to nothing by its transformation");
      ++shapes_;
      return nullptr;
    }
  if (!state_.attributes->surface) state_.edit().surface = defaultSurface();
  scene::Primitive p;
  p.attributes = state_.attributes;
  p.worldFromObject = state_.ctm;
  std::tie(p.shareFrom, p.shareTo) = detailShare();
  p.path = nextPath();
  p.loc = at();
  if (state_.areaLight >= 0 && !procedural_) areaPrimitives_[state_.areaLight].push_back(p.path);
  world_->primitives.push_back(std::move(p));
  ++shapes_;
  return &world_->primitives.back();
}

void SceneBuilder::addPrimitive(geom::GeometryPtr geometry, std::vector<float> keyTimes) {
  if (!geometry) {
    ++shapes_;  // the paths of later ones do not depend on whether this one could be made
    return;
  }
  scene::Primitive* p = newPrimitive();
  if (!p) return;
  p->geometry = std::move(geometry);
  if (p->geometry->keyCount() > 1) p->keyTimes = std::move(keyTimes);
}

bool SceneBuilder::buildAside(std::string_view request, geom::Keys keys) const {
  if (!builds_ || !instances_.empty()) return false;
  for (const char* costly : {"SubdivisionMesh", "HierarchicalSubdivisionMesh", "Blobby", "NuPatch"})
    if (request == costly) return true;
  // Of others a copy of the parameters costs as much as the shape, where they are few.
  constexpr size_t kLeastFloats = 256;
  for (const ParamList& list : keys)
    for (const Param& p : list.all())
      if (p.floats.size() >= kLeastFloats) return true;
  return false;
}

void SceneBuilder::addAside(std::vector<float> keyTimes, bool atOnce, ShapeBuilds::Make make) {
  if (newPrimitive()) builds_->add(world_->primitives.size() - 1, std::move(keyTimes), atOnce, std::move(make));
}

template <size_t N>
void SceneBuilder::quadric(const char* request, std::array<float, N> dimensions, const ParamList& params,
                           geom::GeometryPtr (*make)(const geom::Context&, std::span<const std::array<float, N>>,
                                                     geom::Keys)) {
  if (!primitiveAllowed(request)) return;
  if (!motion_) {
    const auto made = [&] { return make(geometryContext(), {&dimensions, 1}, {&params, 1}); };
    // Thousands of balls are one ball at thousands of places.
    if (params.empty() && instances_.empty())
      addPrimitive(lastQuadric(request, {dimensions.begin(), dimensions.end()}, made), {});
    else
      addPrimitive(share(made), {});
    return;
  }
  if (motion_->calls++ == 0) motion_->request = request;
  if (motion_->request != request)
    return run_.diag.error("rib-bad-motion", at(),
                           reyes::format("{} among {} in a motion block", request, motion_->request));
  motion_->keys.push_back(params);
  motion_->dimensions.emplace_back(dimensions.begin(), dimensions.end());
  motion_->build = [make](const geom::Context& context, const Motion& motion) {
    std::vector<std::array<float, N>> all(motion.keys.size());
    for (size_t i = 0; i < all.size(); ++i) std::copy_n(motion.dimensions[i].begin(), N, all[i].begin());
    return make(context, all, motion.keys);
  };
}

void SceneBuilder::mesh(const char* request, const Topology& topology, const ParamList& params,
                        geom::GeometryPtr (*make)(const geom::Context&, const Topology&, geom::Keys)) {
  if (!primitiveAllowed(request)) return;
  if (!motion_) {
    if (!buildAside(request, {&params, 1}))
      return addPrimitive(share([&] { return make(geometryContext(), topology, {&params, 1}); }), {});
    geom::Context context = geometryContext();
    if (!builds_->free())
      return addAside({}, true, [&](Diagnostics& diag) {
        context.diag = &diag;
        return make(context, topology, {&params, 1});
      });
    const auto owned = std::make_shared<OwnedTopology>(topology);
    return addAside({}, false, [make, owned, context, key = params](Diagnostics& diag) mutable {
      context.diag = &diag;
      return make(context, owned->view, {&key, 1});
    });
  }
  if (motion_->calls++ == 0) {
    motion_->request = request;
    auto owned = std::make_shared<OwnedTopology>(topology);
    motion_->build = [make, owned](const geom::Context& context, const Motion& motion) {
      return make(context, owned->view, motion.keys);
    };
    motion_->difference = [owned](const Topology& other) { return difference(owned->view, other); };
  }
  if (motion_->request != request)
    return run_.diag.error("rib-bad-motion", at(),
                           reyes::format("{} among {} in a motion block", request, motion_->request));
  if (const std::string unlike = motion_->difference(topology); !unlike.empty()) {
    motion_->still = true;
    return run_.diag.error(
        "rib-bad-motion", at(),
        reyes::format("{}: key {} of the motion block has other {} than the first one; it does not move", request,
                      motion_->calls, unlike));
  }
  motion_->keys.push_back(params);
}

void SceneBuilder::finishGeometryMotion(Motion& motion) {
  const size_t keys = motion.still ? 1 : std::min(motion.keys.size(), motion.times.size());
  motion.keys.resize(keys);
  if (!motion.dimensions.empty()) motion.dimensions.resize(keys);
  motion.times.resize(keys);
  geom::Context context = geometryContext();
  context.loc = motion.loc;
  if (!buildAside(motion.request, motion.keys))
    return addPrimitive(share([&] { return motion.build(context, motion); }), motion.times);
  const auto owned = std::make_shared<Motion>(std::move(motion));
  addAside(owned->times, !builds_->free(), [owned, context](Diagnostics& diag) mutable {
    context.diag = &diag;
    return owned->build(context, *owned);
  });
}

void SceneBuilder::primitiveNotBuilt(const char* request) {
  if (motion_) {
    ++motion_->calls;
    motion_->request = request;
  }
  if (world_) run_.notBuilt(at(), request, "it is left out of the picture");
}

void SceneBuilder::sphere(float radius, float zMin, float zMax, float thetaMax, const ParamList& params) {
  quadric<4>("Sphere", {radius, zMin, zMax, thetaMax}, params, geom::makeSphere);
}
void SceneBuilder::cone(float height, float radius, float thetaMax, const ParamList& params) {
  quadric<3>("Cone", {height, radius, thetaMax}, params, geom::makeCone);
}
void SceneBuilder::cylinder(float radius, float zMin, float zMax, float thetaMax, const ParamList& params) {
  quadric<4>("Cylinder", {radius, zMin, zMax, thetaMax}, params, geom::makeCylinder);
}
void SceneBuilder::hyperboloid(Vec3 p1, Vec3 p2, float thetaMax, const ParamList& params) {
  quadric<7>("Hyperboloid", {p1.x, p1.y, p1.z, p2.x, p2.y, p2.z, thetaMax}, params, geom::makeHyperboloid);
}
void SceneBuilder::paraboloid(float rMax, float zMin, float zMax, float thetaMax, const ParamList& params) {
  quadric<4>("Paraboloid", {rMax, zMin, zMax, thetaMax}, params, geom::makeParaboloid);
}
void SceneBuilder::disk(float height, float radius, float thetaMax, const ParamList& params) {
  quadric<3>("Disk", {height, radius, thetaMax}, params, geom::makeDisk);
}
void SceneBuilder::torus(float major, float minor, float phiMin, float phiMax, float thetaMax,
                         const ParamList& params) {
  quadric<5>("Torus", {major, minor, phiMin, phiMax, thetaMax}, params, geom::makeTorus);
}

}  // namespace reyes::session
