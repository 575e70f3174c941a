// SPDX-License-Identifier: Apache-2.0
// Options: camera, sampling, displays, hider, and the Option request with its table.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/parameter_tables.h"

namespace reyes::session {
namespace {

/// A Warning for each parameter that a request does not have.
void warnUnknown(Diagnostics& diag, const SourceLoc& at, const char* request, const ParamList& params,
                 std::initializer_list<std::string_view> known) {
  for (const Param& p : params.all())
    if (std::find(known.begin(), known.end(), p.spec.name.str()) == known.end() &&
        !p.spec.name.str().starts_with("exrheader_"))
      diag.warning("rib-unknown-parameter", at,
                   reyes::format("{} has no parameter \"{}\": it is ignored", request, p.spec.name.str()));
}

}  // namespace

bool SceneBuilder::optionAllowed(const char* request) {
  if (!world_) return true;
  run_.diag.error("rib-option-in-world", at(), reyes::format("{} inside a world is ignored", request));
  return false;
}

void SceneBuilder::format(int xResolution, int yResolution, float pixelAspectRatio) {
  if (!optionAllowed("Format")) return;
  constexpr int kMost = 1 << 17;
  // Negative or zero sizes mean the display's own: the default stays.
  if (xResolution > kMost || yResolution > kMost)
    run_.diag.error("rib-bad-argument", at(),
                    reyes::format("Format: {} x {} pixels; {} a side are the most", xResolution, yResolution, kMost));
  if (xResolution > 0) options_.xResolution = std::min(xResolution, kMost);
  if (yResolution > 0) options_.yResolution = std::min(yResolution, kMost);
  if (!(pixelAspectRatio > 0)) return;
  // What files can hold.
  if (pixelAspectRatio < 1e-6f || pixelAspectRatio > 1e6f)
    return run_.diag.error("rib-bad-argument", at(),
                           reyes::format("Format: a pixel aspect ratio of {}", pixelAspectRatio));
  options_.pixelAspect = pixelAspectRatio;
}

void SceneBuilder::frameAspectRatio(float aspect) {
  if (!optionAllowed("FrameAspectRatio")) return;
  if (!(aspect > 0) || !std::isfinite(aspect))
    return run_.diag.error("rib-bad-argument", at(), "FrameAspectRatio must be positive");
  options_.frameAspect = aspect;
}

void SceneBuilder::screenWindow(float left, float right, float bottom, float top) {
  if (!optionAllowed("ScreenWindow")) return;
  if (!(left != right) || !(bottom != top) || !std::isfinite(left + right + bottom + top))
    return run_.diag.error("rib-bad-argument", at(), "ScreenWindow is empty");
  options_.screenWindow = std::array<float, 4>{left, right, bottom, top};
}

void SceneBuilder::cropWindow(float xMin, float xMax, float yMin, float yMax) {
  if (!optionAllowed("CropWindow")) return;
  // Beyond the frame is overscan: data windows then reach out of display windows.
  const auto inside = [](float v) { return v >= -0.5f && v <= 1.5f; };
  if (!inside(xMin) || !inside(xMax) || !inside(yMin) || !inside(yMax) || !(xMin < xMax) || !(yMin < yMax))
    return run_.diag.error("rib-bad-argument", at(), "CropWindow must grow within -0.5..1.5 (0..1 is the frame)");
  options_.crop = {xMin, xMax, yMin, yMax};
}

void SceneBuilder::projection(const std::string& name, const ParamList& params) {
  if (!optionAllowed("Projection")) return;
  warnUnknown(run_.diag, at(), "Projection", params, {"fov"});
  if (name == "perspective") {
    options_.projection = scene::ProjectionType::kPerspective;
    const float fov = params.floatOr("fov", 90);
    // Below a thousandth of a degree floats cannot tell neighbouring points of a surface apart.
    if (fov >= 1e-3f && fov < 180)
      options_.fov = fov;
    else
      run_.diag.error("rib-bad-argument", at(), reyes::format("a field of view of {} degrees", fov));
  } else if (name == "orthographic" || name.empty() || name == "null") {
    options_.projection = scene::ProjectionType::kOrthographic;
  } else {
    run_.notBuilt(at(), reyes::format("Projection \"{}\"", name), "orthographic is used");
    options_.projection = scene::ProjectionType::kOrthographic;
  }
  // What came before acts on the screen: scale and shift of its window can be kept.
  const Matrix4& m = state_.ctm.matrices.front();
  const bool plain = state_.ctm.still() && isAffine(m) && m.m[0][1] == 0 && m.m[0][2] == 0 && m.m[1][0] == 0 &&
                     m.m[1][2] == 0 && m.m[2][0] == 0 && m.m[2][1] == 0 && m.m[0][0] != 0 && m.m[1][1] != 0;
  if (plain)
    options_.screenTransform = {m.m[0][0], m.m[1][1], m.m[3][0], m.m[3][1]};
  else
    run_.notBuilt(at(), "a rotation before Projection", "it is ignored");
  state_.ctm = scene::AnimatedTransform();
}

void SceneBuilder::clipping(float near, float far) {
  if (!optionAllowed("Clipping")) return;
  if (!(near < far)) return run_.diag.error("rib-bad-argument", at(), "Clipping: near must be before far");
  options_.near = near;
  options_.far = far;
}

void SceneBuilder::clippingPlane(Vec3 point, Vec3 normal) {
  if (!optionAllowed("ClippingPlane")) return;
  if (!(length(normal) > 0)) return run_.diag.error("rib-bad-argument", at(), "ClippingPlane has no normal");
  const Matrix4& m = state_.ctm.matrices.front();
  options_.clippingPlanes.push_back({transformPoint(m, point), normalize(transformNormal(inverse(m), normal))});
}

void SceneBuilder::depthOfField(float fStop, float focalLength, float focalDistance) {
  if (!optionAllowed("DepthOfField")) return;
  constexpr float kInfinity = 1e30f;
  const bool pinhole = !(fStop > 0) || fStop >= kInfinity || !(focalLength > 0) || !(focalDistance > 0);
  options_.fStop = pinhole ? 0 : fStop;
  options_.focalLength = pinhole ? 0 : focalLength;
  options_.focalDistance = pinhole ? 0 : focalDistance;
}

void SceneBuilder::shutter(float open, float close) {
  if (!optionAllowed("Shutter")) return;
  if (close < open) run_.diag.error("rib-bad-argument", at(), "Shutter closes before it opens");
  options_.shutterOpen = open;
  options_.shutterClose = std::max(open, close);
}

void SceneBuilder::pixelVariance(float /*variance*/) { run_.hint(at(), "PixelVariance (PixelSamples decides)"); }

void SceneBuilder::pixelSamples(float x, float y) {
  if (!optionAllowed("PixelSamples")) return;
  static constexpr int kMost = 128;
  const auto whole = [](float v) { return std::clamp(static_cast<int>(std::lround(v)), 1, kMost); };
  if (!(x > 0) || !(y > 0)) return run_.diag.error("rib-bad-argument", at(), "PixelSamples must be positive");
  if (x > kMost || y > kMost)
    run_.diag.warning("rib-limit", at(), reyes::format("PixelSamples {} {}: {} a side are the most", x, y, kMost));
  options_.xSamples = whole(std::min(x, float(kMost)));
  options_.ySamples = whole(std::min(y, float(kMost)));
}

void SceneBuilder::pixelFilter(const rib::FilterArg& filter) {
  if (!optionAllowed("PixelFilter")) return;
  static constexpr const char* kKnown[] = {"box",    "triangle", "catmull-rom",     "gaussian", "sinc",
                                           "disk",   "mitchell", "blackman-harris", "bessel",   "separable-catmull-rom",
                                           "lanczos"};
  bool known = false;
  for (const char* k : kKnown) known = known || filter.name == k;
  if (!(filter.xWidth > 0) || !(filter.yWidth > 0) || !(filter.xWidth <= 64) || !(filter.yWidth <= 64))
    return run_.diag.error("rib-bad-argument", at(), "PixelFilter: a width is not sensible");
  if (!known)
    return run_.notBuilt(at(), reyes::format("PixelFilter \"{}\"", filter.name), "the filter stays as it was");
  options_.filter = {filter.name, filter.xWidth, filter.yWidth};
}

void SceneBuilder::exposure(float gain, float gamma) {
  if (!optionAllowed("Exposure")) return;
  if (!(gamma > 0)) return run_.diag.error("rib-bad-argument", at(), "Exposure: gamma must be positive");
  options_.gain = gain;
  options_.gamma = gamma;
}

void SceneBuilder::imager(const std::string& name, const ParamList& params) {
  // Imagers run when all is drawn, so one given inside a world means what it says; many published scenes do it.
  if (world_)
    run_.diag.warning("rib-option-in-world", at(),
                      "Imager inside a world: it is an option, and holds for the whole picture");
  options_.imager =
      name.empty() || name == "null" ? nullptr : makeShader("Imager", vm::ShaderType::kImager, name, params);
}

void SceneBuilder::quantize(const std::string& type, int one, int min, int max, float dither) {
  if (!optionAllowed("Quantize")) return;
  const bool colour = type == "rgb" || type == "rgba" || type == "a" || type == "rgbaz";
  const scene::Quantize q{one, min, max, dither};
  options_.quantize[colour ? "rgba" : type] = q;
  if (type == "rgbaz") options_.quantize["z"] = q;
}

void SceneBuilder::display(const std::string& name, const std::string& type, const std::string& mode,
                           const ParamList& params) {
  if (!optionAllowed("Display")) return;
  warnUnknown(run_.diag, at(), "Display", params,
              {"quantize",    "dither",      "exposure",       "gain",         "gamma",          "filter",
               "filterwidth", "compression", "exrcompression", "exrpixeltype", "pixeltype",      "type",
               "levels",      "preview",     "curve",          "tolerance",    "depthtolerance", "deepshadowerror",
               "comment",     "matte",       "storage",        "exrlineorder", "autocrop",       "subset",
               "exclusive",   "remap",       "associatealpha"});
  const bool adds = !name.empty() && name[0] == '+';
  if (!adds) options_.displays.clear();
  options_.displays.push_back({adds ? name.substr(1) : name, type, mode, params, at()});
}

void SceneBuilder::displayChannel(const std::string& declaration, const ParamList& params) {
  if (!optionAllowed("DisplayChannel")) return;
  VarSpec spec = run_.declarations.lookUp(declaration);
  if (spec.name.empty()) return run_.diag.error("rib-bad-argument", at(), "DisplayChannel has no name");
  warnUnknown(
      run_.diag, at(), "DisplayChannel", params,
      {"quantize", "dither", "exposure", "gain", "gamma", "filter", "filterwidth", "exrpixeltype", "pixeltype", "type",
       "source", "opacity", "matte", "statistics", "remap", "relativepixelvariance", "shadowthreshold"});
  options_.channels[spec.name.str()] = {spec, params};
}

void SceneBuilder::hider(const std::string& name, const ParamList& params) {
  if (!optionAllowed("Hider")) return;
  static constexpr const char* kOurs[] = {"hidden", "stochastic", "zbuffer", "null", "none"};
  bool ours = false;
  for (const char* k : kOurs) ours = ours || name == k;
  options_.hider = name;
  if (name == "photon")
    run_.notBuilt(at(), "Hider \"photon\"", "its world is not rendered");
  else if (!ours)
    run_.notBuilt(at(), reyes::format("Hider \"{}\"", name), "the hidden-surface hider is used");
  for (const Param& p : params.all()) {
    const std::string& key = p.spec.name.str();
    if (key == "jitter" || key == "depthfilter" || key == "aperture" || key == "dofaspect" || key == "shutteropening")
      setOption("hider:" + key, p);
    else if ((key == "sigma" || key == "depthmask") && !p.floats.empty() && p.floats[0] != 0)
      run_.notBuilt(at(), reyes::format("Hider parameter \"{}\"", key), "it is ignored");
    else
      run_.hint(at(), reyes::format("Hider parameter \"{}\"", key));
    options_.named["hider:" + key] = typed(p, nullptr);
  }
}

void SceneBuilder::colorSamples(rib::Floats nRgb, rib::Floats rgbN) {
  if (nRgb.empty() || nRgb.size() % 3 != 0 || nRgb.size() != rgbN.size())
    return run_.diag.error("rib-bad-argument", at(), "ColorSamples needs two matrices of n x 3 numbers");
  options_.nRgb.assign(nRgb.begin(), nRgb.end());
  options_.rgbN.assign(rgbN.begin(), rgbN.end());
}

void SceneBuilder::relativeDetail(float relative) {
  if (!optionAllowed("RelativeDetail")) return;
  if (!(relative >= 0)) return run_.diag.error("rib-bad-argument", at(), "RelativeDetail is negative");
  options_.relativeDetail = relative;
}

void SceneBuilder::option(const std::string& name, const ParamList& params) {
  // Search paths serve archives too, which come inside worlds.
  if (name != "searchpath" && name != "user" && !optionAllowed("Option")) return;
  frozen_.reset();
  for (const Param& p : params.all()) {
    const std::string key = name + ":" + p.spec.name.str();
    const KnownParameter* known = findOption(name, p.spec.name.str());
    const Param value = typed(p, known);
    options_.named[key] = value;
    if (world_ && name != "searchpath") world_->options[key] = value;
    if (known && known->tier == Tier::kHonoured)
      setOption(key, value);
    else if (known && known->tier == Tier::kMissing && !isHarmless(value, *known))
      run_.notBuilt(at(), reyes::format("Option \"{}\" \"{}\" ({})", name, p.spec.name.str(), known->note),
                    "it is ignored");
    else if (known)
      run_.hint(at(), reyes::format("Option \"{}\" \"{}\"", name, p.spec.name.str()));
    else if (name != "user" && run_.firstTime("option " + key))
      run_.diag.warning("rib-unknown-option", at(),
                        reyes::format("Option \"{}\" \"{}\" is unknown and has no effect", name, p.spec.name.str()));
  }
}

void SceneBuilder::setOption(const std::string& key, const Param& p) {
  const float number = p.floats.empty() ? 0 : p.floats[0];
  const auto whole = [&](size_t i, int least, int most) {
    const float f = i < p.floats.size() ? p.floats[i] : number;
    return std::clamp(static_cast<int>(std::clamp(f, -1e9f, 1e9f)), least, most);
  };
  const std::string text = p.strings.empty() ? "" : p.strings[0];
  if (p.count() == 0) return;
  if (key == "limits:bucketsize") {
    options_.bucketWidth = whole(0, 1, 1024), options_.bucketHeight = whole(1, 1, 1024);
  } else if (key == "limits:gridsize") {
    options_.gridSize = whole(0, 1, 1 << 16);
  } else if (key == "limits:texturememory") {
    options_.textureMemoryKb = whole(0, 1, 1 << 30);
  } else if (key == "texture:texturefilter") {
    options_.textureFilter = text;
  } else if (key == "texture:enable_lerp") {
    options_.textureLerp = number != 0;
  } else if (key == "texture:enable_gaussian") {
    if (number == 0 && options_.textureFilter.empty()) options_.textureFilter = "box";
  } else if (key == "texture:defaultwrap") {
    setTextureWrap(text);
  } else if (key == "texture:missingcolor") {
    if (p.floats.size() >= 3) options_.textureMissing = {p.floats[0], p.floats[1], p.floats[2]};
  } else if (key == "limits:zthreshold") {
    options_.zThreshold = number;
  } else if (key == "limits:othreshold") {
    options_.opacityThreshold = number;
  } else if (key == "limits:deepshadowerror") {
    options_.deepError = number;
  } else if (key == "shutter:offset") {
    options_.shutterOffset = number;
  } else if (key == "hider:jitter") {
    options_.jitter = number != 0;
  } else if (key == "hider:depthfilter") {
    using scene::DepthFilter;
    if (text == "min")
      options_.depthFilter = DepthFilter::kMin;
    else if (text == "max")
      options_.depthFilter = DepthFilter::kMax;
    else if (text == "average")
      options_.depthFilter = DepthFilter::kAverage;
    else if (text == "midpoint")
      options_.depthFilter = DepthFilter::kMidpoint;
    else
      run_.diag.error("rib-bad-argument", at(), reyes::format("unknown depthfilter '{}'", text));
  } else if (key == "hider:aperture") {
    setAperture(p);
  } else if (key == "hider:dofaspect") {
    if (!(number > 0)) return run_.diag.error("rib-bad-argument", at(), "dofaspect must be above 0");
    options_.aperture.aspect = number;
  } else if (key == "hider:shutteropening") {
    setShutterOpening(p);
  } else if (key == "ribparse:varsubst" || key == "rib:varsubst") {
    if (!text.empty()) options_.variableMark = text[0];
  } else if (key.compare(0, 11, "searchpath:") == 0) {
    setSearchPath(key.substr(11), p);
  }
}

/// One word for both ways, or two with a comma.
void SceneBuilder::setTextureWrap(const std::string& text) {
  const size_t comma = text.find(',');
  const std::string words[2] = {text.substr(0, comma), comma == std::string::npos ? text : text.substr(comma + 1)};
  for (const std::string& w : words)
    if (w != "black" && w != "periodic" && w != "clamp" && w != "mirror")
      return run_.diag.error("rib-bad-argument", at(),
                             reyes::format("defaultwrap \"{}\": black, periodic, clamp or mirror", text));
  options_.textureWrap[0] = words[0], options_.textureWrap[1] = words[1];
}

void SceneBuilder::setAperture(const Param& p) {
  const auto inside = [](float v) { return v >= -1 && v <= 1; };
  const std::vector<float>& f = p.floats;
  if (f.size() != 4 || !(f[0] >= 0 && f[0] <= 1000) || !(std::fabs(f[1]) < 1e6f) || !inside(f[2]) || !inside(f[3]))
    return run_.diag.error("rib-bad-argument", at(),
                           "aperture is [sides angle roundness density], the last two within -1..1");
  scene::Aperture& a = options_.aperture;
  a.sides = static_cast<int>(f[0]), a.angle = f[1], a.roundness = f[2], a.density = f[3];
}

void SceneBuilder::setShutterOpening(const Param& p) {
  const std::vector<float>& f = p.floats;
  if ((f.size() != 2 && f.size() != 10) || !(f[0] >= 0) || !(f[1] >= f[0]) || !(f[1] <= 1))
    return run_.diag.error("rib-bad-argument", at(),
                           "shutteropening is two numbers that rise within 0..1, or those and four points of curves");
  scene::ShutterOpening opening{{f[0], f[1]}, {}};
  if (f.size() == 10) {
    // Points from (0, 0) to (a, 1), then from (b, 1) to (1, 0).
    const auto inside = [&](size_t i, float from, float to) {
      return f[i] >= from && f[i] <= to && f[i + 1] >= 0 && f[i + 1] <= 1;
    };
    if (!inside(2, 0, f[0]) || !inside(4, 0, f[0]) || !inside(6, f[1], 1) || !inside(8, f[1], 1))
      return run_.diag.error(
          "rib-bad-argument", at(),
          reyes::format("shutteropening [a b and four points]: the first two points lie within 0..{:g} and 0..1, the "
                        "others within {:g}..1 and 0..1",
                        f[0], f[1]));
    std::copy(f.begin() + 2, f.end(), opening.curve.emplace().begin());
  }
  options_.shutterOpening = opening;
}

void SceneBuilder::setSearchPath(const std::string& which, const Param& p) {
  SearchPaths& paths = options_.paths;
  if (which == "dirmap") return paths.dirMap.add(p.strings);
  // Several strings are one path; the flags' and installed folders are still looked at, last.
  std::string text;
  for (const std::string& s : p.strings) text += (text.empty() ? "" : ":") + s;
  const SearchPaths standard = run_.defaultPaths();
  const auto set = [&](Folders& folders, const Folders& fallback, bool keep) {
    Folders now = parseSearchPath(text, fallback, folders);
    if (keep) now.insert(now.begin(), folders.begin(), folders.end());
    for (const std::string& f : fallback)
      if (std::find(now.begin(), now.end(), f) == now.end()) now.push_back(f);
    folders = std::move(now);
  };
  if (which == "shader") set(paths.shader, standard.shader, false);
  if (which == "texture") set(paths.texture, standard.texture, false);
  if (which == "archive") set(paths.archive, standard.archive, false);
  if (which == "procedural") set(paths.procedural, standard.procedural, false);
  if (which == "resource") set(paths.archive, standard.archive, true), set(paths.texture, standard.texture, true);
}

void SceneBuilder::camera(const std::string& name, const ParamList& params) {
  spaces_[name] = state_.ctm;
  for (const Param& p : params.all()) {
    const std::string& key = p.spec.name.str();
    if (key == "shutteropening" || key == "aperture" || key == "dofaspect")
      setOption("hider:" + key, p);
    else
      run_.notBuilt(at(), reyes::format("Camera parameter \"{}\"", key), "it is ignored");
  }
  run_.hint(at(), "Camera (the last camera transformation is the camera)");
}

}  // namespace reyes::session
