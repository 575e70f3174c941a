// SPDX-License-Identifier: Apache-2.0
// The requests of patches, polygons, meshes, points, curves and the like: their arguments become a topology, which
// builder_geometry.cpp makes a primitive of. Quadrics are there.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/depth_planes.h"
#include "reyes/session/search_path.h"

namespace reyes::session {
namespace {
geom::GeometryPtr buildPatch(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makePatch(context, t.type, keys);
}
geom::GeometryPtr buildPatchMesh(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makePatchMesh(context, t.type, t.nu, t.uWrap, t.nv, t.vWrap, keys);
}
geom::GeometryPtr buildPolygons(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makePolygons(context, t.a, t.b, t.c, keys);
}
geom::GeometryPtr buildSubdivision(const geom::Context& context, const Topology& t, geom::Keys keys) {
  const geom::SubdivTags tags{t.tags, t.tagCounts, t.tagInts, t.tagFloats, t.tagStrings};
  return geom::makeSubdivision(context, t.type, t.a, t.b, tags, keys);
}
geom::GeometryPtr buildNuPatch(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makeNuPatch(context, t.u, t.v, keys);
}
geom::GeometryPtr buildBlobby(const geom::Context& context, const Topology& t, geom::Keys keys) {
  const std::vector<float> floats(t.floats.begin(), t.floats.end());
  return geom::makeBlobby(context, t.nu, t.a, {&floats, 1}, keys);
}
geom::GeometryPtr buildTeapot(const geom::Context& context, const Topology&, geom::Keys keys) {
  return geom::makeTeapot(context, keys);
}

geom::GeometryPtr buildPoints(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makePoints(context, t.nu, keys);
}
geom::GeometryPtr buildCurves(const geom::Context& context, const Topology& t, geom::Keys keys) {
  return geom::makeCurves(context, t.type, t.a, t.uWrap, keys);
}

std::vector<int> counted(int n) {
  std::vector<int> v(static_cast<size_t>(std::max(n, 0)));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i);
  return v;
}
}  // namespace

void SceneBuilder::patch(const std::string& type, const ParamList& params) {
  Topology t;
  t.type = type;
  mesh("Patch", t, params, buildPatch);
}

void SceneBuilder::patchMesh(const std::string& type, int nu, const std::string& uWrap, int nv,
                             const std::string& vWrap, const ParamList& params) {
  Topology t;
  t.type = type, t.uWrap = uWrap, t.vWrap = vWrap, t.nu = nu, t.nv = nv;
  mesh("PatchMesh", t, params, buildPatchMesh);
}

void SceneBuilder::polygon(int vertexCount, const ParamList& params) {
  const std::vector<int> vertices = counted(vertexCount);
  const int one = 1;
  Topology t;
  t.a = {&one, 1}, t.b = {&vertexCount, 1}, t.c = vertices;
  mesh("Polygon", t, params, buildPolygons);
}

void SceneBuilder::generalPolygon(rib::Ints loopVertexCounts, const ParamList& params) {
  int64_t total = 0;
  for (const int n : loopVertexCounts) total += std::max(n, 0);
  if (total > (1 << 28)) return run_.diag.error("rib-bad-argument", at(), "GeneralPolygon: too many vertices");
  const std::vector<int> vertices = counted(static_cast<int>(total));
  const int loops = static_cast<int>(loopVertexCounts.size());
  Topology t;
  t.a = {&loops, 1}, t.b = loopVertexCounts, t.c = vertices;
  mesh("GeneralPolygon", t, params, buildPolygons);
}

void SceneBuilder::pointsPolygons(rib::Ints vertexCounts, rib::Ints vertices, const ParamList& params) {
  const std::vector<int> loops(vertexCounts.size(), 1);
  Topology t;
  t.a = loops, t.b = vertexCounts, t.c = vertices;
  mesh("PointsPolygons", t, params, buildPolygons);
}

void SceneBuilder::pointsGeneralPolygons(rib::Ints loopCounts, rib::Ints vertexCounts, rib::Ints vertices,
                                         const ParamList& params) {
  Topology t;
  t.a = loopCounts, t.b = vertexCounts, t.c = vertices;
  mesh("PointsGeneralPolygons", t, params, buildPolygons);
}

void SceneBuilder::subdivisionMesh(const std::string& scheme, rib::Ints vertexCounts, rib::Ints vertices,
                                   rib::Strings tags, rib::Ints argCounts, rib::Ints intArgs, rib::Floats floatArgs,
                                   const ParamList& params) {
  Topology t;
  t.type = scheme, t.a = vertexCounts, t.b = vertices;
  t.tags = tags, t.tagCounts = argCounts, t.tagInts = intArgs, t.tagFloats = floatArgs;
  mesh("SubdivisionMesh", t, params, buildSubdivision);
}

void SceneBuilder::hierarchicalSubdivisionMesh(const std::string& scheme, rib::Ints vertexCounts, rib::Ints vertices,
                                               rib::Strings tags, rib::Ints argCounts, rib::Ints intArgs,
                                               rib::Floats floatArgs, rib::Strings stringArgs,
                                               const ParamList& params) {
  // The base mesh; edits of finer levels are named, and left out with their arguments.
  Topology t;
  std::vector<std::string> kept, strings;
  std::vector<int> counts, ints;
  std::vector<float> floats;
  size_t atInt = 0, atFloat = 0, atString = 0;
  for (size_t i = 0; i < tags.size() && i * 3 + 2 < argCounts.size(); ++i) {
    const int* n = &argCounts[i * 3];
    const size_t ni = static_cast<size_t>(std::max(n[0], 0)), nf = static_cast<size_t>(std::max(n[1], 0)),
                 ns = static_cast<size_t>(std::max(n[2], 0));
    if (atInt + ni > intArgs.size() || atFloat + nf > floatArgs.size() || atString + ns > stringArgs.size()) {
      run_.diag.error(
          "rib-bad-argument", at(),
          reyes::format("HierarchicalSubdivisionMesh: the arguments of tag \"{}\" are not all there; it and "
                        "later tags are left out",
                        tags[i]));
      break;
    }
    if (tags[i].find("edit") != std::string::npos) {
      run_.notBuilt(at(), reyes::format("HierarchicalSubdivisionMesh tag \"{}\"", tags[i]), "the base mesh is drawn");
    } else {
      kept.push_back(tags[i]);
      counts.insert(counts.end(), n, n + 3);
      ints.insert(ints.end(), intArgs.begin() + static_cast<std::ptrdiff_t>(atInt),
                  intArgs.begin() + static_cast<std::ptrdiff_t>(atInt + ni));
      floats.insert(floats.end(), floatArgs.begin() + static_cast<std::ptrdiff_t>(atFloat),
                    floatArgs.begin() + static_cast<std::ptrdiff_t>(atFloat + nf));
      strings.insert(strings.end(), stringArgs.begin() + static_cast<std::ptrdiff_t>(atString),
                     stringArgs.begin() + static_cast<std::ptrdiff_t>(atString + ns));
    }
    atInt += ni, atFloat += nf, atString += ns;
  }
  t.type = scheme, t.a = vertexCounts, t.b = vertices;
  t.tags = kept, t.tagCounts = counts, t.tagInts = ints, t.tagFloats = floats, t.tagStrings = strings;
  mesh("HierarchicalSubdivisionMesh", t, params, buildSubdivision);
}

void SceneBuilder::geometry(const std::string& type, const ParamList& params) {
  if (type == "teapot") return mesh("Geometry \"teapot\"", {}, params, buildTeapot);
  primitiveNotBuilt(reyes::format("Geometry \"{}\"", type).c_str());
}

void SceneBuilder::nuPatch(int nu, int uOrder, rib::Floats uKnots, float uMin, float uMax, int nv, int vOrder,
                           rib::Floats vKnots, float vMin, float vMax, const ParamList& params) {
  Topology t;
  t.u = {nu, uOrder, uKnots, uMin, uMax};
  t.v = {nv, vOrder, vKnots, vMin, vMax};
  mesh("NuPatch", t, params, buildNuPatch);
}
void SceneBuilder::curves(const std::string& type, rib::Ints vertexCounts, const std::string& wrap,
                          const ParamList& params) {
  Topology t;
  t.type = type, t.uWrap = wrap, t.a = vertexCounts;
  mesh("Curves", t, params, buildCurves);
}
void SceneBuilder::points(int count, const ParamList& params) {
  Topology t;
  t.nu = count;
  mesh("Points", t, params, buildPoints);
}
void SceneBuilder::blobby(int leafCount, rib::Ints code, rib::Floats floats, rib::Strings strings,
                          const ParamList& params) {
  Topology t;
  t.nu = leafCount, t.a = code, t.tags = strings, t.floats = floats;
  const size_t before = motion_ ? motion_->keys.size() : 0;
  depthPlanes_ = depthPlanes(code, strings);
  mesh("Blobby", t, params, buildBlobby);
  const std::vector<std::shared_ptr<const geom::DepthPlane>> planes = std::move(depthPlanes_);
  depthPlanes_.clear();
  if (!motion_ || motion_->keys.size() == before) return;
  // Each key has numbers of its own.
  motion_->dimensions.emplace_back(floats.begin(), floats.end());
  if (before > 0) return;
  motion_->build = [leafCount, planes, all = std::vector<int>(code.begin(), code.end())](const geom::Context& context,
                                                                                         const Motion& motion) {
    geom::Context own = context;
    own.depthPlanes = planes;
    return geom::makeBlobby(own, leafCount, all, motion.dimensions, motion.keys);
  };
}

std::vector<std::shared_ptr<const geom::DepthPlane>> SceneBuilder::depthPlanes(rib::Ints code, rib::Strings strings) {
  std::vector<std::shared_ptr<const geom::DepthPlane>> planes;
  constexpr int kRepeller = 1003;
  if (std::find(code.begin(), code.end(), kRepeller) == code.end()) return planes;
  planes.resize(strings.size());
  for (size_t i = 0; i < strings.size() && !run_.options.checkOnly; ++i) {
    if (strings[i].empty()) continue;
    const std::string path = run_.made.count(strings[i]) ? strings[i]
                                                         : findFile(strings[i], folderOf(at().file.str()),
                                                                    options_.paths.texture, options_.paths.dirMap);
    run_.need("texture", strings[i], path, at());
    if (run_.options.planOnly) continue;
    const std::string error = path.empty() ? reyes::format("'{}' is not found", strings[i])
                                           : readDepthPlane(path, state_.ctm.at(detailView_.shutterOpen), planes[i]);
    if (!error.empty())
      run_.diag.error("texture-missing", at(), reyes::format("Blobby: a plane repels nothing: {}", error));
  }
  return planes;
}
void SceneBuilder::volume(const std::string&, rib::Floats, rib::Ints, const ParamList&) { primitiveNotBuilt("Volume"); }

}  // namespace reyes::session
