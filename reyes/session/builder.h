// SPDX-License-Identifier: Apache-2.0
// Builds worlds: keeps the graphics state as requests change it, collects primitives and lights, and hands each
// finished world to the frame runner. The gate calls it; conditions, archives and recordings never reach it. Its
// methods are spread over builder_*.cpp by the chapters of the specification.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reyes/geom/factory.h"
#include "reyes/rib/null_ri.h"
#include "reyes/rib/recorder.h"
#include "reyes/session/auto_shadows.h"
#include "reyes/session/expression.h"
#include "reyes/session/light_surfaces.h"
#include "reyes/session/run.h"
#include "reyes/session/shape_builds.h"
#include "reyes/session/state.h"

namespace reyes::session {

/// An object of ObjectBegin..ObjectEnd: its requests, and its geometry once the first instance has made it.
struct ObjectDefinition {
  struct Made {
    SourceLoc loc;
    uint64_t state = 0;  ///< hash of what the geometry took from the graphics state
    geom::GeometryPtr geometry;
  };
  rib::Recording requests;
  std::vector<Made> made;  ///< by order of primitive requests
  bool open = false;       ///< being instanced: an object must not contain itself
};

/// Topology of a primitive: what all motion keys share.
struct Topology {
  std::string type, uWrap, vWrap;
  int nu = 0, nv = 0;
  std::span<const int> a, b, c;
  std::span<const std::string> tags, tagStrings;
  std::span<const int> tagCounts, tagInts;
  std::span<const float> tagFloats;
  geom::NurbsDirection u, v;
  std::span<const float> floats;  ///< of a Blobby: they may differ from key to key
};

/// What surrounds a procedural besides the attributes of its place: copied for when its content is made.
struct FrozenState {
  OptionState options;
  scene::View detailView;
  scene::AnimatedTransform cameraFromWorld;
  std::vector<scene::AnimatedTransform> bases;
  std::vector<scene::Light> lights;
  std::map<std::string, int> lightHandles;
  scene::SpaceMap spaces;
  std::map<std::string, std::shared_ptr<ObjectDefinition>> objects;
  std::map<std::string, AttributeState> resources;
  scene::ShaderPtr defaultSurface;
  int frame = 0;
  bool inFrame = false;
  int depth = 0;  ///< procedurals around it
};

class SceneBuilder final : public rib::NullRi {
 public:
  explicit SceneBuilder(Run& run);
  /// Inside a procedural: builds primitives from the state of its place.
  SceneBuilder(Run& run, const FrozenState& frozen, const AttributeState& state, uint64_t path);
  /// What a procedural's requests made.
  scene::Primitives takePrimitives();

  /// At the end of a stream: closes what is open, with an Error for each block.
  void finishStream();
  /// A variable of an IfBegin expression.
  std::optional<ExpressionValue> variable(const std::string& name) const;
  const OptionState& options() const { return options_; }

  // Called by the gate.
  void defineObject(const rib::Handle& handle, std::shared_ptr<ObjectDefinition> object);
  bool inWorld() const { return world_ != nullptr; }

#define REYES_OVERRIDE(method, parameters) void method parameters override;
  // Structure
  REYES_OVERRIDE(frameBegin, (int frame))
  REYES_OVERRIDE(frameEnd, ())
  REYES_OVERRIDE(worldBegin, ())
  REYES_OVERRIDE(worldEnd, ())
  REYES_OVERRIDE(attributeBegin, ())
  REYES_OVERRIDE(attributeEnd, ())
  REYES_OVERRIDE(transformBegin, ())
  REYES_OVERRIDE(transformEnd, ())
  REYES_OVERRIDE(motionBegin, (rib::Floats times))
  REYES_OVERRIDE(motionEnd, ())
  REYES_OVERRIDE(solidBegin, (const std::string& operation))
  REYES_OVERRIDE(solidEnd, ())
  REYES_OVERRIDE(objectInstance, (const rib::Handle& handle))
  REYES_OVERRIDE(resourceBegin, ())
  REYES_OVERRIDE(resourceEnd, ())
  REYES_OVERRIDE(resource, (const std::string& handle, const std::string& type, const ParamList& params))
  // Options
  REYES_OVERRIDE(format, (int xResolution, int yResolution, float pixelAspectRatio))
  REYES_OVERRIDE(frameAspectRatio, (float aspect))
  REYES_OVERRIDE(screenWindow, (float left, float right, float bottom, float top))
  REYES_OVERRIDE(cropWindow, (float xMin, float xMax, float yMin, float yMax))
  REYES_OVERRIDE(projection, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(clipping, (float near, float far))
  REYES_OVERRIDE(clippingPlane, (Vec3 point, Vec3 normal))
  REYES_OVERRIDE(depthOfField, (float fStop, float focalLength, float focalDistance))
  REYES_OVERRIDE(shutter, (float open, float close))
  REYES_OVERRIDE(pixelVariance, (float variance))
  REYES_OVERRIDE(pixelSamples, (float x, float y))
  REYES_OVERRIDE(pixelFilter, (const rib::FilterArg& filter))
  REYES_OVERRIDE(exposure, (float gain, float gamma))
  REYES_OVERRIDE(imager, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(quantize, (const std::string& type, int one, int min, int max, float dither))
  REYES_OVERRIDE(display,
                 (const std::string& name, const std::string& type, const std::string& mode, const ParamList& params))
  REYES_OVERRIDE(displayChannel, (const std::string& declaration, const ParamList& params))
  REYES_OVERRIDE(hider, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(colorSamples, (rib::Floats nRgb, rib::Floats rgbN))
  REYES_OVERRIDE(relativeDetail, (float relative))
  REYES_OVERRIDE(option, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(camera, (const std::string& name, const ParamList& params))
  // Attributes
  REYES_OVERRIDE(color, (rib::Floats components))
  REYES_OVERRIDE(opacity, (rib::Floats components))
  REYES_OVERRIDE(textureCoordinates, (float s1, float t1, float s2, float t2, float s3, float t3, float s4, float t4))
  REYES_OVERRIDE(lightSource, (const std::string& name, const rib::Handle& handle, const ParamList& params))
  REYES_OVERRIDE(areaLightSource, (const std::string& name, const rib::Handle& handle, const ParamList& params))
  REYES_OVERRIDE(illuminate, (const rib::Handle& handle, bool on))
  REYES_OVERRIDE(surface, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(displacement, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(atmosphere, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(interior, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(exterior, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(deformation, (const std::string& name, const ParamList& params))
  REYES_OVERRIDE(shaderLayer,
                 (const std::string& type, const std::string& name, const std::string& layer, const ParamList& params))
  REYES_OVERRIDE(connectShaderLayers, (const std::string& type, const std::string& layer1, const std::string& variable1,
                                       const std::string& layer2, const std::string& variable2))
  REYES_OVERRIDE(shadingRate, (float size))
  REYES_OVERRIDE(shadingInterpolation, (const std::string& type))
  REYES_OVERRIDE(matte, (bool on))
  REYES_OVERRIDE(bound, (rib::Floats box6))
  REYES_OVERRIDE(detail, (rib::Floats box6))
  REYES_OVERRIDE(detailRange, (float minVisible, float lowerTransition, float upperTransition, float maxVisible))
  REYES_OVERRIDE(geometricApproximation, (const std::string& type, float value))
  REYES_OVERRIDE(geometricRepresentation, (const std::string& type))
  REYES_OVERRIDE(orientation, (const std::string& side))
  REYES_OVERRIDE(reverseOrientation, ())
  REYES_OVERRIDE(sides, (int count))
  REYES_OVERRIDE(basis, (const rib::BasisArg& u, int uStep, const rib::BasisArg& v, int vStep))
  REYES_OVERRIDE(trimCurve, (rib::Ints nCurves, rib::Ints order, rib::Floats knot, rib::Floats min, rib::Floats max,
                             rib::Ints n, rib::Floats u, rib::Floats v, rib::Floats w))
  REYES_OVERRIDE(attribute, (const std::string& name, const ParamList& params))
  // Transformations
  REYES_OVERRIDE(identity, ())
  REYES_OVERRIDE(transform, (const Matrix4& m))
  REYES_OVERRIDE(concatTransform, (const Matrix4& m))
  REYES_OVERRIDE(perspective, (float fov))
  REYES_OVERRIDE(translate, (float x, float y, float z))
  REYES_OVERRIDE(rotate, (float degrees, float x, float y, float z))
  REYES_OVERRIDE(scale, (float x, float y, float z))
  REYES_OVERRIDE(skew, (float degrees, Vec3 d1, Vec3 d2))
  REYES_OVERRIDE(coordinateSystem, (const std::string& name))
  REYES_OVERRIDE(scopedCoordinateSystem, (const std::string& name))
  REYES_OVERRIDE(coordSysTransform, (const std::string& name))
  // Geometry
  REYES_OVERRIDE(polygon, (int vertexCount, const ParamList& params))
  REYES_OVERRIDE(generalPolygon, (rib::Ints loopVertexCounts, const ParamList& params))
  REYES_OVERRIDE(pointsPolygons, (rib::Ints vertexCounts, rib::Ints vertices, const ParamList& params))
  REYES_OVERRIDE(pointsGeneralPolygons,
                 (rib::Ints loopCounts, rib::Ints vertexCounts, rib::Ints vertices, const ParamList& params))
  REYES_OVERRIDE(patch, (const std::string& type, const ParamList& params))
  REYES_OVERRIDE(patchMesh, (const std::string& type, int nu, const std::string& uWrap, int nv,
                             const std::string& vWrap, const ParamList& params))
  REYES_OVERRIDE(nuPatch, (int nu, int uOrder, rib::Floats uKnot, float uMin, float uMax, int nv, int vOrder,
                           rib::Floats vKnot, float vMin, float vMax, const ParamList& params))
  REYES_OVERRIDE(subdivisionMesh,
                 (const std::string& scheme, rib::Ints vertexCounts, rib::Ints vertices, rib::Strings tags,
                  rib::Ints argCounts, rib::Ints intArgs, rib::Floats floatArgs, const ParamList& params))
  REYES_OVERRIDE(hierarchicalSubdivisionMesh, (const std::string& scheme, rib::Ints vertexCounts, rib::Ints vertices,
                                               rib::Strings tags, rib::Ints argCounts, rib::Ints intArgs,
                                               rib::Floats floatArgs, rib::Strings stringArgs, const ParamList& params))
  REYES_OVERRIDE(sphere, (float radius, float zMin, float zMax, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(cone, (float height, float radius, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(cylinder, (float radius, float zMin, float zMax, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(hyperboloid, (Vec3 point1, Vec3 point2, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(paraboloid, (float rMax, float zMin, float zMax, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(disk, (float height, float radius, float thetaMax, const ParamList& params))
  REYES_OVERRIDE(torus, (float majorRadius, float minorRadius, float phiMin, float phiMax, float thetaMax,
                         const ParamList& params))
  REYES_OVERRIDE(curves,
                 (const std::string& type, rib::Ints vertexCounts, const std::string& wrap, const ParamList& params))
  REYES_OVERRIDE(points, (int count, const ParamList& params))
  REYES_OVERRIDE(blobby,
                 (int leafCount, rib::Ints code, rib::Floats floats, rib::Strings strings, const ParamList& params))
  REYES_OVERRIDE(geometry, (const std::string& type, const ParamList& params))
  REYES_OVERRIDE(procedural, (const std::string& type, rib::Strings args, rib::Floats box6))
  REYES_OVERRIDE(procedural2, (const std::string& type, const std::string& boundType, const ParamList& params))
  REYES_OVERRIDE(volume, (const std::string& type, rib::Floats box6, rib::Ints dimensions, const ParamList& params))
  // Maps
  REYES_OVERRIDE(makeTexture, (const std::string& picture, const std::string& texture, const std::string& sWrap,
                               const std::string& tWrap, const rib::FilterArg& filter, const ParamList& params))
  REYES_OVERRIDE(makeBump, (const std::string& picture, const std::string& texture, const std::string& sWrap,
                            const std::string& tWrap, const rib::FilterArg& filter, const ParamList& params))
  REYES_OVERRIDE(makeLatLongEnvironment, (const std::string& picture, const std::string& texture,
                                          const rib::FilterArg& filter, const ParamList& params))
  REYES_OVERRIDE(makeCubeFaceEnvironment, (rib::Strings faces, const std::string& texture, float fov,
                                           const rib::FilterArg& filter, const ParamList& params))
  REYES_OVERRIDE(makeShadow, (const std::string& picture, const std::string& texture, const ParamList& params))
  REYES_OVERRIDE(makeOcclusion, (rib::Strings pictures, const std::string& texture, const ParamList& params))
  REYES_OVERRIDE(makeBrickMap, (rib::Strings pictures, const std::string& texture, const ParamList& params))
  REYES_OVERRIDE(errorHandler, (const std::string& style))
  REYES_OVERRIDE(unsupported, (const std::string& request, const ParamList& params))
#undef REYES_OVERRIDE

 private:
  enum class BlockKind { kFrame, kWorld, kAttribute, kTransform, kSolid, kResource };
  /// An open block and what its end restores.
  /// What FrameBegin and WorldBegin save besides attributes.
  struct Surroundings {
    OptionState options;
    std::vector<scene::Light> lights;
    std::map<std::string, int> lightHandles;
    scene::SpaceMap spaces;
    std::map<std::string, std::shared_ptr<ObjectDefinition>> objects;
  };
  struct Block {
    BlockKind kind;
    SourceLoc loc;
    std::optional<AttributeState> state;          ///< all but kTransform
    std::optional<scene::AnimatedTransform> ctm;  ///< kTransform
    std::unique_ptr<Surroundings> surroundings;   ///< kFrame, kWorld
  };
  /// MotionBegin..MotionEnd: what the requests between have given.
  struct Motion {
    SourceLoc loc;
    std::vector<float> times;
    std::string request;  ///< all requests of a block must be the same one
    int calls = 0;
    bool replaces = false;  ///< Transform, Identity: the matrices are the whole CTM
    std::vector<Matrix4> matrices;
    std::vector<ParamList> keys;                             ///< of a primitive
    std::vector<std::vector<float>> dimensions;              ///< of a quadric, one a key
    std::function<std::string(const Topology&)> difference;  ///< of a mesh: what a key has unlike the first one
    bool still = false;                                      ///< a key did not fit: the first one alone is used
    std::function<geom::GeometryPtr(const geom::Context&, const Motion&)> build;
  };

  // Blocks
  void push(BlockKind kind);
  /// Ends the innermost block of that kind, and with it (an Error each) those inside. False: none is open.
  bool pop(BlockKind kind, const char* endRequest);
  void restore(Block& block);
  static const char* beginName(BlockKind kind);
  bool optionAllowed(const char* request);
  void nestingError(const std::string& text);

  // Transforms
  void applyTransform(const char* request, const Matrix4& m, bool replaces);
  void finishTransformMotion(Motion& motion);
  bool predefinedSpace(const std::string& name, scene::AnimatedTransform& space) const;
  scene::AnimatedTransform worldFromCamera() const { return scene::inverse(cameraFromWorld_); }

  // Attributes and shaders
  /// False in a motion block after its first key: attributes do not move.
  bool attributeMoves(const char* request);
  Color toColor(rib::Floats components, const char* request);
  scene::ShaderPtr makeShader(const char* request, vm::ShaderType type, const std::string& name,
                              const ParamList& params);
  scene::ShaderPtr defaultSurface();
  /// Its index, or -1 where there is none.
  int addLight(const char* request, const std::string& name, const rib::Handle& handle, const ParamList& params);
  /// The maps that the lights of the world ask for.
  std::vector<AutoShadow> wantedShadows(const scene::World& world) const;
  /// Gives lights what primitives of the world are their surface.
  void setAttribute(const std::string& key, const Param& p);
  void setOption(const std::string& key, const Param& p);
  void setTextureWrap(const std::string& text);
  void setAperture(const Param& p);
  void setShutterOpening(const Param& p);
  void setSearchPath(const std::string& which, const Param& p);
  /// Before WorldBegin shaders stand in camera space; the world wants them in world space.
  void moveStateIntoWorld();
  void moveShader(scene::ShaderPtr& shader, const scene::AnimatedTransform& fromCamera) const;

  // Geometry
  geom::Context geometryContext() const;
  uint64_t geometryStateHash() const;
  template <size_t N>
  void quadric(const char* request, std::array<float, N> dimensions, const ParamList& params,
               geom::GeometryPtr (*make)(const geom::Context&, std::span<const std::array<float, N>>, geom::Keys));
  /// The last quadric of a request without parameters, if it was the same; else a new one.
  geom::GeometryPtr lastQuadric(std::string_view request, std::span<const float> dimensions,
                                const std::function<geom::GeometryPtr()>& make);
  void mesh(const char* request, const Topology& topology, const ParamList& params,
            geom::GeometryPtr (*make)(const geom::Context&, const Topology&, geom::Keys));
  /// False where primitives must not be made here (outside a world, hidden by detail); says why.
  bool primitiveAllowed(const char* request);
  bool detailVisible() const;
  /// The part [from, to) of all samples that sees primitives of the current level of detail: while levels change over
  /// into each other the larger one takes those from 0 on, the smaller one the others.
  std::pair<float, float> detailShare() const;
  /// Pixels that the projection of a box covers, times RelativeDetail.
  float rasterArea(const std::array<float, 6>& box, const scene::AnimatedTransform& space) const;
  float detailOf(rib::Floats box6) const;
  /// Pictures of the repelling planes in the code of a Blobby, by its strings.
  std::vector<std::shared_ptr<const geom::DepthPlane>> depthPlanes(rib::Ints code, rib::Strings strings);
  geom::GeometryPtr share(const std::function<geom::GeometryPtr()>& make);
  void addPrimitive(geom::GeometryPtr geometry, std::vector<float> keyTimes);
  /// True where the shape of a request is better made beside the reading.
  bool buildAside(std::string_view request, geom::Keys keys) const;
  void addAside(std::vector<float> keyTimes, bool atOnce, ShapeBuilds::Make make);
  /// A primitive of the present state, without its shape; null where the transformation leaves none.
  scene::Primitive* newPrimitive();
  void finishGeometryMotion(Motion& motion);
  void primitiveNotBuilt(const char* request);

  // Procedurals
  std::shared_ptr<const FrozenState> frozen();
  uint64_t nextPath() const;
  void addProcedural(rib::Floats box6, std::function<void(Run& run, const SourceLoc& loc)> content);
  void runProgram(const std::string& command, const std::string& data, rib::Floats box6);

  Run& run_;
  OptionState options_;
  AttributeState state_;
  std::vector<Block> blocks_;
  std::unique_ptr<Motion> motion_;
  std::unique_ptr<scene::World> world_;
  std::unique_ptr<ShapeBuilds> builds_;  ///< of the open world; null inside procedurals
  uint64_t shapes_ = 0;                  ///< of the open world so far, with those that could not be made
  struct MadeQuadric {
    std::string_view request;
    std::vector<float> dimensions;
    std::array<float, 8> st{};
    geom::GeometryPtr geometry;
  };
  std::vector<MadeQuadric> quadrics_;                                 ///< one a kind
  std::vector<std::shared_ptr<const geom::DepthPlane>> depthPlanes_;  ///< of the Blobby at hand
  scene::View detailView_;                                            ///< the camera of the open world
  scene::AnimatedTransform cameraFromWorld_;
  std::vector<scene::AnimatedTransform> bases_;  ///< of the instances that are open: what Identity means in them
  std::vector<scene::Light> lights_;
  std::map<std::string, int> lightHandles_;  ///< -1: a light that could not be made
  LightPrimitives areaPrimitives_;           ///< paths in the open world, by light
  std::map<int, AutoShadow> autoShadows_;    ///< by light
  scene::SpaceMap spaces_;                   ///< named coordinate systems: world (before WorldBegin: camera) from them
  std::map<std::string, std::shared_ptr<ObjectDefinition>> objects_;
  std::map<std::string, AttributeState> resources_;
  std::vector<std::pair<ObjectDefinition*, size_t>> instances_;  ///< open ones, with the next primitive's number
  scene::ShaderPtr defaultSurface_;
  int frame_ = 0;
  bool inFrame_ = false;
  const bool procedural_ = false;              ///< builds the content of a procedural
  uint64_t path_ = 0;                          ///< of that procedural
  int depth_ = 0;                              ///< procedurals around the present place
  std::shared_ptr<const FrozenState> frozen_;  ///< null where something that it holds has changed
};

}  // namespace reyes::session
