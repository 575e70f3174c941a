// SPDX-License-Identifier: Apache-2.0
// Attributes that are not shaders: colour, rates, sides, orientation, bases, detail, and the Attribute request.
#include <algorithm>
#include <cmath>
#include <optional>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/light_names.h"
#include "reyes/session/parameter_tables.h"

namespace reyes::session {
namespace {
std::optional<scene::DiceStrategy> diceStrategyOf(const std::string& name) {
  // Instances are diced one by one here: by the projection of each.
  if (name == "planarprojection" || name == "instanceprojection") return scene::DiceStrategy::kRaster;
  if (name == "sphericalprojection") return scene::DiceStrategy::kSphere;
  if (name == "worlddistance") return scene::DiceStrategy::kWorld;
  if (name == "objectdistance") return scene::DiceStrategy::kObject;
  return std::nullopt;
}
}  // namespace

bool SceneBuilder::attributeMoves(const char* request) {
  if (!motion_) return true;
  if (motion_->calls++ == 0) {
    motion_->request = request;
    return true;
  }
  run_.notBuilt(at(), reyes::format("motion of {}", request), "the first key is used");
  return false;
}

Color SceneBuilder::toColor(rib::Floats components, const char* request) {
  const size_t n = options_.nRgb.empty() ? 3 : options_.nRgb.size() / 3;
  if (components.size() == 1 && n != 1) return {components[0], components[0], components[0]};
  if (components.size() != n) {
    run_.diag.error("rib-bad-argument", at(),
                    reyes::format("{} takes {} components, {} given", request, n, components.size()));
    if (components.size() < 3 || n != 3) return {1, 1, 1};
  }
  if (options_.nRgb.empty()) return {components[0], components[1], components[2]};
  Color c;
  for (size_t i = 0; i < n; ++i)
    c += Vec3{options_.nRgb[i * 3], options_.nRgb[i * 3 + 1], options_.nRgb[i * 3 + 2]} * components[i];
  return c;
}

void SceneBuilder::color(rib::Floats components) {
  if (attributeMoves("Color")) state_.edit().color = toColor(components, "Color");
}
void SceneBuilder::opacity(rib::Floats components) {
  if (attributeMoves("Opacity")) state_.edit().opacity = toColor(components, "Opacity");
}

void SceneBuilder::textureCoordinates(float s1, float t1, float s2, float t2, float s3, float t3, float s4, float t4) {
  state_.st = {s1, t1, s2, t2, s3, t3, s4, t4};
}

void SceneBuilder::shadingRate(float size) {
  if (!attributeMoves("ShadingRate")) return;
  if (!(size > 0)) return run_.diag.error("rib-bad-argument", at(), "ShadingRate must be positive");
  state_.edit().shadingRate = size;
}

void SceneBuilder::shadingInterpolation(const std::string& type) {
  if (type != "constant" && type != "smooth")
    return run_.diag.error("rib-bad-argument", at(), reyes::format("unknown ShadingInterpolation '{}'", type));
  state_.edit().smoothShading = type == "smooth";
}

void SceneBuilder::matte(bool on) { state_.edit().matte = on; }

void SceneBuilder::bound(rib::Floats /*box6*/) { run_.hint(at(), "Bound"); }

void SceneBuilder::detail(rib::Floats box6) {
  if (box6.size() != 6) return run_.diag.error("rib-bad-argument", at(), "Detail takes six numbers");
  std::array<float, 6> box;
  std::copy(box6.begin(), box6.end(), box.begin());
  state_.detail = box;
  state_.detailSpace = state_.ctm;
}

void SceneBuilder::detailRange(float minVisible, float lowerTransition, float upperTransition, float maxVisible) {
  if (!(minVisible <= lowerTransition && lowerTransition <= upperTransition && upperTransition <= maxVisible))
    return run_.diag.error("rib-bad-argument", at(), "the numbers of DetailRange must grow");
  state_.detailRange = {minVisible, lowerTransition, upperTransition, maxVisible};
  state_.detailRangeGiven = true;
}

void SceneBuilder::geometricApproximation(const std::string& type, float value) {
  if (type == "motionfactor")
    state_.edit().motionFactor = value;
  else if (type == "focusfactor")
    state_.edit().focusFactor = value;
  else
    run_.hint(at(), reyes::format("GeometricApproximation \"{}\" (ShadingRate decides)", type));
}

void SceneBuilder::geometricRepresentation(const std::string& type) {
  // For fast previews, by the specification: a renderer of pictures draws the whole.
  if (type != "primitive" && run_.firstTime("representation " + type))
    run_.diag.warning("geometric-representation", at(),
                      reyes::format("GeometricRepresentation \"{}\" {}: primitives are drawn as surfaces", type,
                                    type == "lines" || type == "points" ? "is for previews" : "is unknown"));
}

void SceneBuilder::orientation(const std::string& side) {
  scene::Attributes& a = state_.edit();
  // The camera's space is left-handed; a mirroring transformation makes the current one right-handed.
  const Matrix4 toCamera = state_.ctm.matrices.front() * (world_ ? cameraFromWorld_.matrices.front() : Matrix4());
  const bool rightHanded = mirrors(toCamera);
  if (side == "outside")
    a.reverseOrientation = false;
  else if (side == "inside")
    a.reverseOrientation = true;
  else if (side == "lh")
    a.reverseOrientation = rightHanded;
  else if (side == "rh")
    a.reverseOrientation = !rightHanded;
  else
    run_.diag.error("rib-bad-argument", at(), reyes::format("unknown Orientation '{}'", side));
}

void SceneBuilder::reverseOrientation() {
  scene::Attributes& a = state_.edit();
  a.reverseOrientation = !a.reverseOrientation;
}

void SceneBuilder::sides(int count) {
  if (count != 1 && count != 2)
    return run_.diag.error("rib-bad-argument", at(), reyes::format("Sides {}: must be 1 or 2", count));
  state_.edit().sides = count;
}

void SceneBuilder::basis(const rib::BasisArg& u, int uStep, const rib::BasisArg& v, int vStep) {
  const auto set = [&](const rib::BasisArg& arg, int given, Matrix4& matrix, int& step) {
    int own = given;
    if (arg.name.empty())
      matrix = arg.matrix;
    else if (!geom::namedBasis(arg.name, matrix, own))
      return run_.diag.error("rib-bad-argument", at(), reyes::format("unknown basis '{}'", arg.name));
    if (given < 1) return run_.diag.error("rib-bad-argument", at(), reyes::format("a basis step of {}", given));
    step = given;
  };
  set(u, uStep, state_.uBasis, state_.uStep);
  set(v, vStep, state_.vBasis, state_.vStep);
}

void SceneBuilder::trimCurve(rib::Ints nCurves, rib::Ints order, rib::Floats knot, rib::Floats min, rib::Floats max,
                             rib::Ints n, rib::Floats u, rib::Floats v, rib::Floats w) {
  if (motion_) return nestingError("TrimCurve inside MotionBegin");
  state_.trim.reset();
  if (nCurves.empty()) return;
  auto curves = std::make_shared<geom::TrimCurves>();
  curves->curves.assign(nCurves.begin(), nCurves.end());
  curves->order.assign(order.begin(), order.end()), curves->n.assign(n.begin(), n.end());
  curves->knots.assign(knot.begin(), knot.end());
  curves->min.assign(min.begin(), min.end()), curves->max.assign(max.begin(), max.end());
  curves->u.assign(u.begin(), u.end()), curves->v.assign(v.begin(), v.end()), curves->w.assign(w.begin(), w.end());
  state_.trim = std::move(curves);
}

void SceneBuilder::attribute(const std::string& name, const ParamList& params) {
  for (const Param& p : params.all()) {
    const std::string key = name + ":" + p.spec.name.str();
    const KnownParameter* known = findAttribute(name, p.spec.name.str());
    Param value = typed(p, known);
    Param& kept = state_.edit().named[key];
    if (key == "grouping:membership" && !value.strings.empty())
      value.strings[0] = changedMembership(kept.strings.empty() ? "" : kept.strings[0], value.strings[0]);
    kept = value;
    if (known && known->tier == Tier::kHonoured)
      setAttribute(key, value);
    else if (known && known->tier == Tier::kMissing && !isHarmless(value, *known))
      run_.notBuilt(at(), reyes::format("Attribute \"{}\" \"{}\" ({})", name, p.spec.name.str(), known->note),
                    "it is ignored");
    else if (known)
      run_.hint(at(), reyes::format("Attribute \"{}\" \"{}\"", name, p.spec.name.str()));
    else if (name != "user" && run_.firstTime("attribute " + key))
      run_.diag.warning(
          "rib-unknown-attribute", at(),
          reyes::format("Attribute \"{}\" \"{}\" is unknown: only shaders can ask for it", name, p.spec.name.str()));
  }
}

void SceneBuilder::setAttribute(const std::string& key, const Param& p) {
  if (p.count() == 0) return;
  scene::Attributes& a = state_.edit();
  const float number = p.floats.empty() ? 0 : p.floats[0];
  const std::string text = p.strings.empty() ? "" : p.strings[0];
  const bool on = number != 0;
  if (key == "identifier:name") {
    a.identifierName = text;
    if (a.assetName.empty() || state_.depth <= state_.assetDepth) a.assetName = text, state_.assetDepth = state_.depth;
  } else if (key == "displacementbound:sphere" || key == "displacementbound:cylinder" || key == "bound:displacement") {
    if (!(number >= 0)) return run_.diag.error("rib-bad-argument", at(), "a displacement bound is negative");
    a.displacementBound = number;
    a.displacementBoundDeclared = true;
    // A radius without a coordinate system is measured in the space of this request.
    auto scoped =
        a.scopedSpaces ? std::make_shared<scene::SpaceMap>(*a.scopedSpaces) : std::make_shared<scene::SpaceMap>();
    (*scoped)["null"] = state_.ctm;
    a.scopedSpaces = std::move(scoped);
  } else if (key == "displacementbound:coordinatesystem") {
    a.displacementBoundSpace = text;
  } else if (key == "dice:binary") {
    a.binaryDice = on;
  } else if (key == "dice:rasterorient") {
    a.rasterOrient = on;
  } else if (key == "dice:strategy") {
    if (const auto strategy = diceStrategyOf(text))
      a.diceStrategy = *strategy;
    else
      run_.diag.error("rib-bad-argument", at(),
                      reyes::format("\"dice\" \"strategy\": '{}' is none of planarprojection, sphericalprojection, "
                                    "worlddistance, objectdistance",
                                    text));
  } else if (key == "dice:micropolygonlength") {
    if (!(number > 0))
      return run_.diag.error("rib-bad-argument", at(), "\"dice\" \"micropolygonlength\" must be positive");
    a.micropolygonLength = number;
  } else if (key == "cull:hidden") {
    a.cullHidden = on;
  } else if (key == "cull:backfacing") {
    a.cullBackfacing = on;
  } else if (key == "visibility:camera") {
    a.visibleToCamera = on;
  } else if (key == "render:visibility") {
    a.visibleToCamera = (static_cast<int>(number) & 1) != 0;
  } else if (key == "lighting:subset") {
    a.lightSubset = nameList(text);
  } else if (key == "lighting:excludesubset") {
    a.lightExclude = nameList(text);
  } else if (key == "trimcurve:sense") {
    if (text != "inside" && text != "outside")
      return run_.diag.error("rib-bad-argument", at(),
                             reyes::format("the sense of a trim curve is inside or outside, not '{}'", text));
    state_.trimInside = text == "inside";
  } else if (key == "Ri:Orientation") {
    orientation(text);
  } else if (key == "Ri:Sides") {
    sides(static_cast<int>(number));
  } else if (key == "Ri:Matte") {
    matte(on);
  } else if (key == "Ri:ShadingRate") {
    shadingRate(number);
  }
}

}  // namespace reyes::session
