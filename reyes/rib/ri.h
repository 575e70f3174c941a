// SPDX-License-Identifier: Apache-2.0
// The RenderMan Interface as one abstract class: a method a request, with typed arguments, as ISpec 3.2 names them.
// The RIB reader calls it; session/ (which builds scenes), the writer and the recorder implement it.
// Parameter lists arrive typed: the reader keeps the table of declarations. `at()` is the place of the current request.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/matrix.h"
#include "reyes/vars/param_list.h"

namespace reyes::rib {

/// Light and object handles: RIB has numbers or strings.
using Handle = std::variant<int, std::string>;
std::string handleText(const Handle& h);

using Floats = std::span<const float>;
using Ints = std::span<const int>;
using Strings = std::span<const std::string>;

/// A `Basis` argument: a named basis or sixteen numbers (row-major, as RIB gives them).
struct BasisArg {
  std::string name;  ///< empty for an explicit matrix
  Matrix4 matrix;
};

struct FilterArg {
  std::string name;
  float xWidth = 2, yWidth = 2;
};

class Ri {
 public:
  virtual ~Ri() = default;
  const SourceLoc& at() const { return at_; }
  void setAt(const SourceLoc& loc) { at_ = loc; }

  // Structure
  virtual void version(float number) = 0;
  virtual void frameBegin(int frame) = 0;
  virtual void frameEnd() = 0;
  virtual void worldBegin() = 0;
  virtual void worldEnd() = 0;
  virtual void attributeBegin() = 0;
  virtual void attributeEnd() = 0;
  virtual void transformBegin() = 0;
  virtual void transformEnd() = 0;
  virtual void motionBegin(Floats times) = 0;
  virtual void motionEnd() = 0;
  virtual void solidBegin(const std::string& operation) = 0;
  virtual void solidEnd() = 0;
  virtual void objectBegin(const Handle& handle, const ParamList& params) = 0;
  virtual void objectEnd() = 0;
  virtual void objectInstance(const Handle& handle) = 0;
  virtual void archiveBegin(const std::string& name, const ParamList& params) = 0;
  virtual void archiveEnd() = 0;
  virtual void readArchive(const std::string& name, const ParamList& params) = 0;
  virtual void resourceBegin() = 0;
  virtual void resourceEnd() = 0;
  virtual void resource(const std::string& handle, const std::string& type, const ParamList& params) = 0;
  virtual void ifBegin(const std::string& expression) = 0;
  virtual void elseIf(const std::string& expression) = 0;
  virtual void elseBranch() = 0;
  virtual void ifEnd() = 0;
  virtual void declare(const std::string& name, const std::string& declaration) = 0;
  virtual void errorHandler(const std::string& style) = 0;

  // Options
  virtual void format(int xResolution, int yResolution, float pixelAspectRatio) = 0;
  virtual void frameAspectRatio(float aspect) = 0;
  virtual void screenWindow(float left, float right, float bottom, float top) = 0;
  virtual void cropWindow(float xMin, float xMax, float yMin, float yMax) = 0;
  virtual void projection(const std::string& name, const ParamList& params) = 0;
  virtual void clipping(float near, float far) = 0;
  virtual void clippingPlane(Vec3 point, Vec3 normal) = 0;
  virtual void depthOfField(float fStop, float focalLength, float focalDistance) = 0;  ///< no arguments: fStop infinite
  virtual void shutter(float open, float close) = 0;
  virtual void pixelVariance(float variance) = 0;
  virtual void pixelSamples(float x, float y) = 0;
  virtual void pixelFilter(const FilterArg& filter) = 0;
  virtual void exposure(float gain, float gamma) = 0;
  virtual void imager(const std::string& name, const ParamList& params) = 0;
  virtual void quantize(const std::string& type, int one, int min, int max, float dither) = 0;
  virtual void display(const std::string& name, const std::string& type, const std::string& mode,
                       const ParamList& params) = 0;
  virtual void displayChannel(const std::string& declaration, const ParamList& params) = 0;
  virtual void hider(const std::string& name, const ParamList& params) = 0;
  virtual void colorSamples(Floats nRgb, Floats rgbN) = 0;
  virtual void relativeDetail(float relative) = 0;
  virtual void option(const std::string& name, const ParamList& params) = 0;
  virtual void camera(const std::string& name, const ParamList& params) = 0;

  // Attributes
  virtual void color(Floats components) = 0;
  virtual void opacity(Floats components) = 0;
  virtual void textureCoordinates(float s1, float t1, float s2, float t2, float s3, float t3, float s4, float t4) = 0;
  virtual void lightSource(const std::string& name, const Handle& handle, const ParamList& params) = 0;
  virtual void areaLightSource(const std::string& name, const Handle& handle, const ParamList& params) = 0;
  virtual void illuminate(const Handle& handle, bool on) = 0;
  virtual void surface(const std::string& name, const ParamList& params) = 0;
  virtual void displacement(const std::string& name, const ParamList& params) = 0;
  virtual void atmosphere(const std::string& name, const ParamList& params) = 0;
  virtual void interior(const std::string& name, const ParamList& params) = 0;
  virtual void exterior(const std::string& name, const ParamList& params) = 0;
  virtual void deformation(const std::string& name, const ParamList& params) = 0;
  virtual void shaderLayer(const std::string& type, const std::string& name, const std::string& layer,
                           const ParamList& params) = 0;
  virtual void connectShaderLayers(const std::string& type, const std::string& layer1, const std::string& variable1,
                                   const std::string& layer2, const std::string& variable2) = 0;
  virtual void shadingRate(float size) = 0;
  virtual void shadingInterpolation(const std::string& type) = 0;
  virtual void matte(bool on) = 0;
  virtual void bound(Floats box6) = 0;
  virtual void detail(Floats box6) = 0;
  virtual void detailRange(float minVisible, float lowerTransition, float upperTransition, float maxVisible) = 0;
  virtual void geometricApproximation(const std::string& type, float value) = 0;
  virtual void geometricRepresentation(const std::string& type) = 0;
  virtual void orientation(const std::string& orientation) = 0;
  virtual void reverseOrientation() = 0;
  virtual void sides(int sides) = 0;
  virtual void basis(const BasisArg& u, int uStep, const BasisArg& v, int vStep) = 0;
  virtual void trimCurve(Ints nCurves, Ints order, Floats knot, Floats min, Floats max, Ints n, Floats u, Floats v,
                         Floats w) = 0;
  virtual void attribute(const std::string& name, const ParamList& params) = 0;

  // Transformations
  virtual void identity() = 0;
  virtual void transform(const Matrix4& m) = 0;
  virtual void concatTransform(const Matrix4& m) = 0;
  virtual void perspective(float fov) = 0;
  virtual void translate(float x, float y, float z) = 0;
  virtual void rotate(float degrees, float x, float y, float z) = 0;
  virtual void scale(float x, float y, float z) = 0;
  virtual void skew(float degrees, Vec3 d1, Vec3 d2) = 0;
  virtual void coordinateSystem(const std::string& name) = 0;
  virtual void scopedCoordinateSystem(const std::string& name) = 0;
  virtual void coordSysTransform(const std::string& name) = 0;

  // Geometry
  virtual void polygon(int vertexCount, const ParamList& params) = 0;  ///< vertexCount derived from P
  virtual void generalPolygon(Ints loopVertexCounts, const ParamList& params) = 0;
  virtual void pointsPolygons(Ints vertexCounts, Ints vertices, const ParamList& params) = 0;
  virtual void pointsGeneralPolygons(Ints loopCounts, Ints vertexCounts, Ints vertices, const ParamList& params) = 0;
  virtual void patch(const std::string& type, const ParamList& params) = 0;
  virtual void patchMesh(const std::string& type, int nu, const std::string& uWrap, int nv, const std::string& vWrap,
                         const ParamList& params) = 0;
  virtual void nuPatch(int nu, int uOrder, Floats uKnot, float uMin, float uMax, int nv, int vOrder, Floats vKnot,
                       float vMin, float vMax, const ParamList& params) = 0;
  virtual void subdivisionMesh(const std::string& scheme, Ints vertexCounts, Ints vertices, Strings tags,
                               Ints argCounts /* 2 a tag: ints, floats */, Ints intArgs, Floats floatArgs,
                               const ParamList& params) = 0;
  /// argCounts has 3 a tag: ints, floats, strings.
  virtual void hierarchicalSubdivisionMesh(const std::string& scheme, Ints vertexCounts, Ints vertices, Strings tags,
                                           Ints argCounts, Ints intArgs, Floats floatArgs, Strings stringArgs,
                                           const ParamList& params) = 0;
  virtual void sphere(float radius, float zMin, float zMax, float thetaMax, const ParamList& params) = 0;
  virtual void cone(float height, float radius, float thetaMax, const ParamList& params) = 0;
  virtual void cylinder(float radius, float zMin, float zMax, float thetaMax, const ParamList& params) = 0;
  virtual void hyperboloid(Vec3 point1, Vec3 point2, float thetaMax, const ParamList& params) = 0;
  virtual void paraboloid(float rMax, float zMin, float zMax, float thetaMax, const ParamList& params) = 0;
  virtual void disk(float height, float radius, float thetaMax, const ParamList& params) = 0;
  virtual void torus(float majorRadius, float minorRadius, float phiMin, float phiMax, float thetaMax,
                     const ParamList& params) = 0;
  virtual void curves(const std::string& type, Ints vertexCounts, const std::string& wrap, const ParamList& params) = 0;
  virtual void points(int count, const ParamList& params) = 0;  ///< count derived from P
  virtual void blobby(int leafCount, Ints code, Floats floats, Strings strings, const ParamList& params) = 0;
  virtual void geometry(const std::string& type, const ParamList& params) = 0;
  virtual void procedural(const std::string& type, Strings args, Floats box6) = 0;
  virtual void procedural2(const std::string& type, const std::string& boundType, const ParamList& params) = 0;
  virtual void volume(const std::string& type, Floats box6, Ints dimensions, const ParamList& params) = 0;

  // Maps
  virtual void makeTexture(const std::string& picture, const std::string& texture, const std::string& sWrap,
                           const std::string& tWrap, const FilterArg& filter, const ParamList& params) = 0;
  virtual void makeBump(const std::string& picture, const std::string& texture, const std::string& sWrap,
                        const std::string& tWrap, const FilterArg& filter, const ParamList& params) = 0;
  virtual void makeLatLongEnvironment(const std::string& picture, const std::string& texture, const FilterArg& filter,
                                      const ParamList& params) = 0;
  /// faces: px nx py ny pz nz.
  virtual void makeCubeFaceEnvironment(Strings faces, const std::string& texture, float fov, const FilterArg& filter,
                                       const ParamList& params) = 0;
  virtual void makeShadow(const std::string& picture, const std::string& texture, const ParamList& params) = 0;
  virtual void makeOcclusion(Strings pictures, const std::string& texture, const ParamList& params) = 0;
  virtual void makeBrickMap(Strings pictures, const std::string& texture, const ParamList& params) = 0;

  // Comments and structure lines; `text` without the leading '#' or '##'.
  virtual void archiveRecord(const std::string& type /* "comment" or "structure" */, const std::string& text) = 0;
  /// Editing of retained scenes (`EditBegin`, ...): recognised, never honoured.
  virtual void unsupported(const std::string& request, const ParamList& params) = 0;

 private:
  SourceLoc at_;
};

}  // namespace reyes::rib
