// SPDX-License-Identifier: Apache-2.0
// makePatch() and makePatchMesh(): counts, wraps and bases checked, then bilinear or bicubic faces.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/geom/basis.h"
#include "reyes/geom/bicubic.h"
#include "reyes/geom/bilinear.h"
#include "reyes/geom/positions.h"

namespace reyes::geom {
namespace {

struct Mesh {
  const char* request;
  int nu, nv;
  bool wrapU, wrapV;
};

void report(const Context& context, const char* code, std::string text) {
  if (context.diag) context.diag->error(code, context.loc, std::move(text));
}

bool parseWrap(const Context& context, const char* request, const std::string& word, bool& wrap) {
  wrap = word == "periodic";
  if (wrap || word == "nonperiodic" || word == "nowrap") return true;
  report(context, "geom-bad-wrap",
         format("{}: \"{}\" is neither periodic nor nonperiodic; nonperiodic is used", request, word));
  return true;
}

/// Values of a class in a mesh of npu x npv patches; corners wrap with the mesh.
struct Corners {
  int npu, npv, columns, rows;
  Corners(const Mesh& mesh, int patchesU, int patchesV)
      : npu(patchesU), npv(patchesV), columns(patchesU + (mesh.wrapU ? 0 : 1)), rows(patchesV + (mesh.wrapV ? 0 : 1)) {}
  int at(int i, int j) const { return (j % rows) * columns + i % columns; }
  ClassCounts counts(int points) const {
    ClassCounts c;
    c.uniform = static_cast<size_t>(npu) * static_cast<size_t>(npv);
    c.varying = c.faceVarying = static_cast<size_t>(columns) * static_cast<size_t>(rows);
    c.vertex = static_cast<size_t>(points);
    return c;
  }
};

GeometryPtr makeBilinear(const Context& context, const Mesh& mesh, Keys keys) {
  const int npu = mesh.nu - (mesh.wrapU ? 0 : 1), npv = mesh.nv - (mesh.wrapV ? 0 : 1);
  if (npu < 1 || npv < 1) {
    report(context, "geom-bad-mesh", format("{}: {} x {} points make no patch", mesh.request, mesh.nu, mesh.nv));
    return nullptr;
  }
  const size_t points = static_cast<size_t>(mesh.nu) * static_cast<size_t>(mesh.nv);
  std::optional<Positions> p = readPositions(context, keys, points, true, mesh.request, mesh.nu, mesh.nv);
  if (!p) return nullptr;
  const Corners corners(mesh, npu, npv);
  BilinearData data;
  data.patchesU = npu, data.patchesV = npv;
  data.primvars =
      readPrimvars(keys[0], corners.counts(static_cast<int>(points)), context.diag, context.loc, mesh.request);
  size_t dropped = 0;
  for (int j = 0; j < npv; ++j)
    for (int i = 0; i < npu; ++i) {
      const std::array<int, 4> face = {corners.at(i, j), corners.at(i + 1, j), corners.at(i, j + 1),
                                       corners.at(i + 1, j + 1)};
      if (p->anyBad && std::any_of(face.begin(), face.end(), [&](int k) { return p->bad[static_cast<size_t>(k)]; })) {
        ++dropped;
        continue;
      }
      data.faces.push_back(face);
      data.uniform.push_back(j * npu + i);
    }
  reportDropped(context, mesh.request, dropped);
  if (data.faces.empty()) return nullptr;
  data.width = p->width;
  data.positions = std::move(p->keys);
  return std::make_shared<BilinearGeometry>(std::move(data), context.st);
}

/// True where points beside the last whole patch are left over or too few are there.
bool checkBicubic(const Context& context, const Mesh& mesh, int n, int step, bool wrap, char direction) {
  const int least = wrap ? std::max(step, 3) : 4;
  if (step >= 1 && n >= least) {
    if ((wrap ? n : n - 4) % step != 0)
      report(context, "geom-bad-mesh",
             format("{}: {} points in {} do not make whole patches with step {}; the last ones are left out",
                    mesh.request, n, direction, step));
    return true;
  }
  report(context, "geom-bad-mesh",
         format("{}: {} points in {} make no patch with step {}", mesh.request, n, direction, step));
  return false;
}

/// The faces of a grid of Bezier values; those with a value that is not finite are left out.
size_t addFaces(const BezierMap& u, const BezierMap& v, const Corners& corners, const std::vector<bool>& bad,
                BicubicData& data) {
  size_t dropped = 0;
  for (int j = 0; j < v.segments; ++j)
    for (int i = 0; i < u.segments; ++i) {
      std::array<int, 16> cv;
      bool good = true;
      for (int k = 0; k < 16; ++k) {
        cv[static_cast<size_t>(k)] = v.place(j, k / 4) * u.outputs + u.place(i, k % 4);
        good = good && (bad.empty() || !bad[static_cast<size_t>(cv[static_cast<size_t>(k)])]);
      }
      if (!good) {
        ++dropped;
        continue;
      }
      FaceInfo info;
      const float nu = static_cast<float>(u.segments), nv = static_cast<float>(v.segments);
      info.u0 = static_cast<float>(i) / nu, info.u1 = static_cast<float>(i + 1) / nu;
      info.v0 = static_cast<float>(j) / nv, info.v1 = static_cast<float>(j + 1) / nv;
      info.uniform = j * u.segments + i;
      for (int k = 0; k < 4; ++k) info.varying[k] = info.faceVarying[k] = corners.at(i + (k & 1), j + (k >> 1));
      data.faces.push_back(cv);
      data.infos.push_back(info);
    }
  return dropped;
}

GeometryPtr makeBicubic(const Context& context, const Mesh& mesh, Keys keys) {
  if (!checkBicubic(context, mesh, mesh.nu, context.uStep, mesh.wrapU, 'u') ||
      !checkBicubic(context, mesh, mesh.nv, context.vStep, mesh.wrapV, 'v'))
    return nullptr;
  const BezierMap u(context.uBasis, context.uStep, mesh.nu, mesh.wrapU),
      v(context.vBasis, context.vStep, mesh.nv, mesh.wrapV);
  const size_t points = static_cast<size_t>(mesh.nu) * static_cast<size_t>(mesh.nv);
  std::optional<Positions> p = readPositions(context, keys, points, true, mesh.request, mesh.nu, mesh.nv);
  if (!p) return nullptr;
  const Corners corners(mesh, u.segments, v.segments);
  BicubicData data;
  data.width = p->width;
  for (const std::vector<float>& key : p->keys)
    data.positions.push_back(toBezier(u, v, mesh.nu, mesh.nv, p->width, key));
  data.primvars =
      readPrimvars(keys[0], corners.counts(static_cast<int>(points)), context.diag, context.loc, mesh.request);
  for (PrimvarData& d : data.primvars)
    if (d.spec.storage == Storage::kVertex && d.spec.type != Type::kString) {
      d.values = toBezier(u, v, mesh.nu, mesh.nv, d.spec.width(), d.values);
      d.items = static_cast<size_t>(u.outputs) * static_cast<size_t>(v.outputs);
    } else if (d.spec.storage == Storage::kVertex) {
      d.spec.storage = Storage::kConstant;  // strings do not interpolate: the first one
    }
  // A bad point spoils every Bezier value that it touches: spread it through the same map.
  std::vector<bool> bad;
  if (p->anyBad) {
    std::vector<float> marks;
    for (const bool b : p->bad) marks.push_back(b ? 1.0f : 0.0f);
    for (const float f : toBezier(u, v, mesh.nu, mesh.nv, 1, marks)) bad.push_back(f != 0);
  }
  reportDropped(context, mesh.request, addFaces(u, v, corners, bad, data));
  if (data.faces.empty()) return nullptr;
  return std::make_shared<BicubicGeometry>(std::move(data), context.st);
}

GeometryPtr makeMesh(const Context& context, const std::string& type, const Mesh& mesh, Keys keys) {
  if (mesh.nu < 1 || mesh.nv < 1 || static_cast<int64_t>(mesh.nu) * mesh.nv > (int64_t{1} << 28)) {
    report(context, "geom-bad-mesh", format("{}: {} x {} points make no patch", mesh.request, mesh.nu, mesh.nv));
    return nullptr;
  }
  if (type == "bilinear") return makeBilinear(context, mesh, keys);
  if (type == "bicubic") return makeBicubic(context, mesh, keys);
  report(context, "geom-bad-type",
         format("{}: \"{}\" is neither bilinear nor bicubic; nothing is drawn", mesh.request, type));
  return nullptr;
}

}  // namespace

GeometryPtr makePatch(const Context& context, const std::string& type, Keys keys) {
  const int n = type == "bilinear" ? 2 : 4;
  // A single patch takes its corners' varying values whatever the step.
  return makeMesh(context, type, {"Patch", n, n, false, false}, keys);
}

GeometryPtr makePatchMesh(const Context& context, const std::string& type, int nu, const std::string& uWrap, int nv,
                          const std::string& vWrap, Keys keys) {
  Mesh mesh{"PatchMesh", nu, nv, false, false};
  parseWrap(context, mesh.request, uWrap, mesh.wrapU);
  parseWrap(context, mesh.request, vWrap, mesh.wrapV);
  return makeMesh(context, type, mesh, keys);
}

}  // namespace reyes::geom
