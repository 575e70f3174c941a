// SPDX-License-Identifier: Apache-2.0
// Makes geometry from the arguments of RI requests. Each function takes one ParamList a motion key (all keys share
// topology) and reports every fault with its place; null where nothing can be drawn. Called by session/.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/geom/geometry.h"
#include "reyes/vars/param_list.h"

namespace reyes::geom {

using GeometryPtr = std::shared_ptr<const Geometry>;
using Keys = std::span<const ParamList>;  ///< at least one

class DepthPlane;
class SubdivCache;
struct TrimCurves;

/// What requests take from the graphics state and from where messages point.
struct Context {
  Diagnostics* diag = nullptr;
  SourceLoc loc;
  Matrix4 uBasis, vBasis;  ///< rows as RIB gives them
  int uStep = 3, vStep = 3;
  float st[8] = {0, 0, 1, 0, 0, 1, 1, 1};  ///< TextureCoordinates
  SubdivCache* subdivCache = nullptr;      ///< where meshes with the same topology find it, if anywhere
  std::shared_ptr<const TrimCurves> trim;  ///< of NURBS; none: null
  bool trimInside = true;                  ///< what is inside the trim curves is kept
  /// Of a Blobby: a string, the picture that it names; null where it could not be read (which has been said).
  std::vector<std::shared_ptr<const DepthPlane>> depthPlanes;
};

/// The named bases of RI ("bezier", "b-spline", "catmull-rom", "hermite", "power"); false if unknown.
bool namedBasis(const std::string& name, Matrix4& basis, int& step);

/// Quadrics: `dimensions` are the request's numbers in order, one array a key (their keys move with the shape's).
GeometryPtr makeSphere(const Context&, std::span<const std::array<float, 4>> radiusZminZmaxTheta, Keys);
GeometryPtr makeCone(const Context&, std::span<const std::array<float, 3>> heightRadiusTheta, Keys);
GeometryPtr makeCylinder(const Context&, std::span<const std::array<float, 4>> radiusZminZmaxTheta, Keys);
GeometryPtr makeHyperboloid(const Context&, std::span<const std::array<float, 7>> point1Point2Theta, Keys);
GeometryPtr makeParaboloid(const Context&, std::span<const std::array<float, 4>> rmaxZminZmaxTheta, Keys);
GeometryPtr makeDisk(const Context&, std::span<const std::array<float, 3>> heightRadiusTheta, Keys);
GeometryPtr makeTorus(const Context&, std::span<const std::array<float, 5>> majorMinorPhiminPhimaxTheta, Keys);

/// type "bilinear" or "bicubic"; wraps "periodic" or "nonperiodic" ("nowrap" is nonperiodic).
GeometryPtr makePatch(const Context&, const std::string& type, Keys);
GeometryPtr makePatchMesh(const Context&, const std::string& type, int nu, const std::string& uWrap, int nv,
                          const std::string& vWrap, Keys);

/// One direction of a NURBS: n control points, n + order knots, and the part of the parameter that is there.
struct NurbsDirection {
  int n = 0, order = 0;
  std::span<const float> knots;
  float min = 0, max = 1;
};
GeometryPtr makeNuPatch(const Context&, NurbsDirection u, NurbsDirection v, Keys);

/// Polygons of all four requests: loops a polygon, vertices a loop, vertex numbers.
GeometryPtr makePolygons(const Context&, std::span<const int> loopCounts, std::span<const int> vertexCounts,
                         std::span<const int> vertices, Keys);

struct SubdivTags {
  std::span<const std::string> names;
  std::span<const int> argCounts;  ///< ints, floats a tag, or ints, floats, strings
  std::span<const int> ints;
  std::span<const float> floats;
  std::span<const std::string> strings = {};
};
/// scheme "catmull-clark", "loop" (triangles alone) or "bilinear".
GeometryPtr makeSubdivision(const Context&, const std::string& scheme, std::span<const int> vertexCounts,
                            std::span<const int> vertices, const SubdivTags& tags, Keys);

/// Points: `count` of them, by their "type" discs that face the camera, spheres, patches, discs along normals, blobs.
GeometryPtr makePoints(const Context&, int count, Keys);
/// type "linear" or "cubic" (in the v basis), wrap "periodic" or "nonperiodic".
GeometryPtr makeCurves(const Context&, const std::string& type, std::span<const int> vertexCounts,
                       const std::string& wrap, Keys);

/// Implicit surfaces: `floats` are the request's numbers, one array a key.
GeometryPtr makeBlobby(const Context&, int leaves, std::span<const int> code,
                       std::span<const std::vector<float>> floats, Keys);

/// Geometry "teapot": Newell's teapot as bicubic patches, one topology.
GeometryPtr makeTeapot(const Context&, Keys);

}  // namespace reyes::geom
