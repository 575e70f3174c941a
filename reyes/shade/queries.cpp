// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/queries.h"

#include <string>

#include "reyes/base/version.h"

namespace reyes::shade {
namespace {
void fill(const Param& p, vm::QueryResult& out) {
  out.numbers = p.floats;
  out.strings = p.strings;
}

bool findNamed(const std::map<std::string, Param>& named, std::string_view name, vm::QueryResult& out) {
  const auto it = named.find(std::string(name));
  if (it == named.end()) return false;
  fill(it->second, out);
  return true;
}

float real(int i) { return static_cast<float>(i); }
}  // namespace

bool queryAttribute(const scene::Attributes& a, std::string_view name, vm::QueryResult& out) {
  if (name == "ShadingRate") {
    out.numbers = {a.shadingRate};
  } else if (name == "Sides") {
    out.numbers = {real(a.sides)};
  } else if (name == "Matte") {
    out.numbers = {a.matte ? 1.0f : 0.0f};
  } else if (name == "Color") {
    out.numbers = {a.color.x, a.color.y, a.color.z};
  } else if (name == "Opacity") {
    out.numbers = {a.opacity.x, a.opacity.y, a.opacity.z};
  } else if (name == "GeometricApproximation:motionfactor") {
    out.numbers = {a.motionFactor};
  } else if (name == "GeometricApproximation:focusfactor") {
    out.numbers = {a.focusFactor};
  } else if (name == "displacementbound:sphere") {
    out.numbers = {a.displacementBound};
  } else if (name == "displacementbound:coordinatesystem") {
    out.strings = {a.displacementBoundSpace.str()};
  } else if (name == "identifier:name" && !a.identifierName.empty()) {
    out.strings = {a.identifierName.str()};
  } else {
    return findNamed(a.named, name, out);
  }
  return true;
}

bool queryOption(const scene::World* world, const scene::View* view, std::string_view name, vm::QueryResult& out) {
  if (view) {
    const scene::View& v = *view;
    const float w = real(v.xResolution), h = real(v.yResolution);
    if (name == "Format") {
      out.numbers = {w, h, v.pixelAspect};
    } else if (name == "DeviceResolution") {
      out.numbers = {w, h};
    } else if (name == "CropWindow") {
      out.numbers = {real(v.crop.x0) / w, real(v.crop.x1) / w, real(v.crop.y0) / h, real(v.crop.y1) / h};
    } else if (name == "FrameAspectRatio") {
      out.numbers = {w * v.pixelAspect / h};
    } else if (name == "ScreenWindow") {
      out.numbers.assign(v.screenWindow, v.screenWindow + 4);
    } else if (name == "DepthOfField") {
      out.numbers = {v.fStop, v.focalLength, v.focalDistance};
    } else if (name == "Shutter") {
      out.numbers = {v.shutterOpen, v.shutterClose};
    } else if (name == "Clipping") {
      out.numbers = {v.near, v.far};
    } else if (name == "PixelSamples") {
      out.numbers = {real(v.xSamples), real(v.ySamples)};
    } else if (name == "Exposure") {
      out.numbers = {v.exposureGain, v.exposureGamma};
    } else if (name == "Frame") {
      out.numbers = {real(v.frame)};
    }
    if (!out.numbers.empty()) return true;
  }
  return world && findNamed(world->options, name, out);
}

bool queryRenderer(std::string_view name, vm::QueryResult& out) {
  if (name == "renderer") {
    out.strings = {"Reyes"};
  } else if (name == "version") {
    out.numbers = {real(kVersionNumbers[0]), real(kVersionNumbers[1]), real(kVersionNumbers[2]), 0};
  } else if (name == "versionstring") {
    out.strings = {kVersion};
  } else {
    return false;
  }
  return true;
}

bool queryRay(std::string_view name, vm::QueryResult& out) {
  if (name == "type") {
    out.strings = {"camera"};
    return true;
  }
  if (name == "depth" || name == "diffusedepth" || name == "speculardepth" || name == "shadowdepth") {
    out.numbers = {0};
    return true;
  }
  return false;
}

}  // namespace reyes::shade
