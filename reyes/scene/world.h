// SPDX-License-Identifier: Apache-2.0
// The finished description of what is in front of the cameras: made by session/ between WorldBegin and WorldEnd,
// immutable afterwards, shared by every View of it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/geom/geometry.h"
#include "reyes/scene/animated.h"
#include "reyes/scene/area_light.h"
#include "reyes/vars/param_list.h"

namespace reyes::vm {
class Program;
}

namespace reyes::scene {

/// A shader with its parameter values and the space it was made in.
struct ShaderInstance {
  Name name;                                   ///< as the scene file gives it
  std::shared_ptr<const vm::Program> program;  ///< never null
  ParamList params;                            ///< typed by the shader
  AnimatedTransform worldFromShader;           ///< p_world = p_shader * matrix
  SourceLoc loc;
  std::vector<std::pair<Name, AnimatedTransform>> pointSpaces;  ///< spaces that point-like values were given in
};
using ShaderPtr = std::shared_ptr<const ShaderInstance>;

struct Light {
  std::string handle;
  ShaderPtr shader;
  int index = 0;                               ///< place in World::lights
  std::string group = {};                      ///< of its own light group; empty: what its shader's __group says
  std::vector<std::string> names = {};         ///< groups and names that objects may choose lights by
  int samples = 1;                             ///< of an area light: places that it shines from, for each point
  std::shared_ptr<const AreaLight> area = {};  ///< null: it shines from one place
  std::string ownMap = {};                     ///< the shadow map that this run makes for it; may be empty
  std::vector<std::string> sampleMaps = {};    ///< of an area light: in place of `ownMap`, a map for each sample
};

/// World from named space.
using SpaceMap = std::map<std::string, AnimatedTransform>;

/// What the lengths of micropolygons are measured in: Attribute "dice" "strategy" and "rasterorient".
enum class DiceStrategy : uint8_t {
  kRaster,  ///< pixels, as the surface is seen
  kFacing,  ///< pixels, as it would be seen if it faced the camera
  kSphere,  ///< pixels at the middle of the picture, by the angle at which it is seen
  kWorld,   ///< units of world space
  kObject,  ///< units of object space
};

/// Everything that surrounds a primitive. Shared by all primitives between two changes of the state.
struct Attributes {
  Color color{1, 1, 1}, opacity{1, 1, 1};
  ShaderPtr surface;  ///< never null: the default surface where none was asked for
  ShaderPtr displacement, atmosphere, interior, exterior;
  std::vector<int> lights;  ///< indices into World::lights, in order of illumination
  float shadingRate = 1;
  bool smoothShading = true;
  bool matte = false;
  int sides = 2;
  bool reverseOrientation = false;  ///< the product of Orientation, ReverseOrientation (not of mirroring transforms)
  float displacementBound = 0;      ///< radius; with displacementBoundSpace
  Name displacementBoundSpace = "object";  ///< may be "null": the scoped space of that name, where the bound was given
  bool displacementBoundDeclared = false;
  bool cullHidden = true, cullBackfacing = true;
  bool binaryDice = false;
  bool rasterOrient = true;
  DiceStrategy diceStrategy = DiceStrategy::kRaster;
  float micropolygonLength = 0;  ///< in the strategy's units; 0: the root of shadingRate
  /// Of dicing: where pixels are asked for and none are seen edge on, those of a facing surface.
  DiceStrategy diceBy() const {
    return diceStrategy == DiceStrategy::kRaster && !rasterOrient ? DiceStrategy::kFacing : diceStrategy;
  }
  bool visibleToCamera = true;
  float motionFactor = 1, focusFactor = 1;  ///< how much larger micropolygons may be that are blurred
  Name identifierName;
  Name assetName;                                      ///< the identifierName of the outermost block that has one
  std::vector<std::string> lightSubset, lightExclude;  ///< names of lights: those alone, all but those; empty: no limit
  std::shared_ptr<const SpaceMap> scopedSpaces;  ///< ScopedCoordinateSystem: looked up before World's; may be null
  std::map<std::string, Param> named;  ///< every Attribute "category" "name" as "category:name", for attribute()
};
using AttributesPtr = std::shared_ptr<const Attributes>;

struct Primitive;
/// Grows without a copy of what is there: there may be millions.
using Primitives = std::deque<Primitive>;

/// A part of the world that is made when a bucket first looks into its bound: RI's procedurals. Thread-safe.
class Deferred {
 public:
  virtual ~Deferred() = default;
  /// What it stands for, made anew at each call: one for each view of the world.
  virtual Primitives expand() const = 0;
};

struct Primitive {
  std::shared_ptr<const geom::Geometry> geometry;
  std::shared_ptr<const Deferred> deferred;  ///< null; else `geometry` is the box that bounds what it stands for
  std::vector<float> keyTimes;               ///< geometry->keyCount() times, empty if still
  AttributesPtr attributes;
  AnimatedTransform worldFromObject;
  float shareFrom = 0, shareTo = 1;  ///< of the samples: levels of detail that change over into each other
  uint64_t path = 0;                 ///< order in the scene file: ties in depth go to the lower; seeds random()
  SourceLoc loc;
};

struct World {
  Primitives primitives;
  std::vector<Light> lights;
  SpaceMap coordinateSystems;            ///< without the predefined camera, raster, screen, NDC, current
  std::map<std::string, Param> options;  ///< "category:name", and Format, Shutter, Clipping... for option()
};

}  // namespace reyes::scene
