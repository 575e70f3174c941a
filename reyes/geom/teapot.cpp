// SPDX-License-Identifier: Apache-2.0
// makeTeapot(): Newell's teapot, 32 bicubic Bezier patches with its bottom, z up, spout along +x, in his units (3.15
// high). Body, lid and bottom are quarter turns of profiles; handle and spout are halves and their mirror images. All
// copies have bit-equal borders, so the parts are joined wherever Newell joined them.
#include <cmath>

#include "reyes/geom/bicubic.h"

namespace reyes::geom {
namespace {

/// Newell's quarter circle of radius r has control points (r, 0), (r, k r), (k r, r), (0, r).
constexpr float kQuarter = 0.56f;

struct Ring {
  float radius, height;
};
/// Profiles along which v runs, outside to the right: bottom, body, rim, lid, knob.
constexpr Ring kProfiles[][4] = {{{0, 0}, {1.425f, 0}, {1.5f, 0.075f}, {1.5f, 0.15f}},
                                 {{1.5f, 0.15f}, {1.5f, 0.225f}, {2, 0.45f}, {2, 0.9f}},
                                 {{2, 0.9f}, {2, 1.35f}, {1.75f, 1.875f}, {1.5f, 2.4f}},
                                 {{1.5f, 2.4f}, {1.4375f, 2.53125f}, {1.3375f, 2.53125f}, {1.4f, 2.4f}},
                                 {{1.3f, 2.4f}, {1.3f, 2.55f}, {0.4f, 2.55f}, {0.2f, 2.7f}},
                                 {{0.2f, 2.7f}, {0, 2.85f}, {0.8f, 3.15f}, {0, 3.15f}}};

/// The half with y < 0: u from the plane of symmetry around to it again, v away from the body.
constexpr Vec3 kHalves[][16] = {
    // Handle, upper and lower part.
    {{-1.6f, 0, 2.025f},
     {-1.6f, -0.3f, 2.025f},
     {-1.5f, -0.3f, 2.25f},
     {-1.5f, 0, 2.25f},
     {-2.3f, 0, 2.025f},
     {-2.3f, -0.3f, 2.025f},
     {-2.5f, -0.3f, 2.25f},
     {-2.5f, 0, 2.25f},
     {-2.7f, 0, 2.025f},
     {-2.7f, -0.3f, 2.025f},
     {-3, -0.3f, 2.25f},
     {-3, 0, 2.25f},
     {-2.7f, 0, 1.8f},
     {-2.7f, -0.3f, 1.8f},
     {-3, -0.3f, 1.8f},
     {-3, 0, 1.8f}},
    {{-2.7f, 0, 1.8f},
     {-2.7f, -0.3f, 1.8f},
     {-3, -0.3f, 1.8f},
     {-3, 0, 1.8f},
     {-2.7f, 0, 1.575f},
     {-2.7f, -0.3f, 1.575f},
     {-3, -0.3f, 1.35f},
     {-3, 0, 1.35f},
     {-2.5f, 0, 1.125f},
     {-2.5f, -0.3f, 1.125f},
     {-2.65f, -0.3f, 0.9375f},
     {-2.65f, 0, 0.9375f},
     {-2, 0, 0.9f},
     {-2, -0.3f, 0.9f},
     {-1.9f, -0.3f, 0.6f},
     {-1.9f, 0, 0.6f}},
    // Spout, lower and upper part.
    {{1.7f, 0, 1.425f},
     {1.7f, -0.66f, 1.425f},
     {1.7f, -0.66f, 0.6f},
     {1.7f, 0, 0.6f},
     {2.6f, 0, 1.425f},
     {2.6f, -0.66f, 1.425f},
     {3.1f, -0.66f, 0.825f},
     {3.1f, 0, 0.825f},
     {2.3f, 0, 2.1f},
     {2.3f, -0.25f, 2.1f},
     {2.4f, -0.25f, 2.025f},
     {2.4f, 0, 2.025f},
     {2.7f, 0, 2.4f},
     {2.7f, -0.25f, 2.4f},
     {3.3f, -0.25f, 2.4f},
     {3.3f, 0, 2.4f}},
    {{2.7f, 0, 2.4f},
     {2.7f, -0.25f, 2.4f},
     {3.3f, -0.25f, 2.4f},
     {3.3f, 0, 2.4f},
     {2.8f, 0, 2.475f},
     {2.8f, -0.25f, 2.475f},
     {3.525f, -0.25f, 2.49375f},
     {3.525f, 0, 2.49375f},
     {2.9f, 0, 2.475f},
     {2.9f, -0.15f, 2.475f},
     {3.45f, -0.15f, 2.5125f},
     {3.45f, 0, 2.5125f},
     {2.8f, 0, 2.4f},
     {2.8f, -0.15f, 2.4f},
     {3.2f, -0.15f, 2.4f},
     {3.2f, 0, 2.4f}}};

/// Quarter `turn` of a ring, point k of 4, by exchanging and negating coordinates only.
Vec3 ringPoint(Ring ring, int turn, int k) {
  const float r = ring.radius, q = r * kQuarter;
  const Vec2 quarter[4] = {{r, 0}, {r, q}, {q, r}, {0, r}};
  Vec2 p = quarter[k];
  for (int i = 0; i < turn; ++i) p = {-p.y, p.x};
  return {p.x + 0.0f, p.y + 0.0f, ring.height};
}

void addPatch(BicubicData& data, const Vec3 (&cv)[16]) {
  const int patch = static_cast<int>(data.faces.size());
  std::array<int, 16> face;
  for (int k = 0; k < 16; ++k) {
    face[static_cast<size_t>(k)] = patch * 16 + k;
    for (int c = 0; c < 3; ++c) data.positions[0].push_back(cv[k][c]);
  }
  FaceInfo info;
  info.uniform = patch;
  for (int k = 0; k < 4; ++k) info.varying[k] = info.faceVarying[k] = patch * 4 + k;
  data.faces.push_back(face);
  data.infos.push_back(info);
}

}  // namespace

GeometryPtr makeTeapot(const Context& context, Keys keys) {
  BicubicData data;
  data.positions.resize(1);
  Vec3 cv[16];
  for (const auto& profile : kProfiles)
    for (int turn = 0; turn < 4; ++turn) {
      for (int k = 0; k < 16; ++k) cv[k] = ringPoint(profile[k / 4], turn, k % 4);
      addPatch(data, cv);
    }
  for (const auto& half : kHalves) {
    addPatch(data, half);
    // The mirror image, with u the other way so that it still faces outwards.
    for (int k = 0; k < 16; ++k) {
      const Vec3 p = half[k / 4 * 4 + 3 - k % 4];
      cv[k] = {p.x, -p.y + 0.0f, p.z};
    }
    addPatch(data, cv);
  }
  ClassCounts counts;
  counts.uniform = data.faces.size();
  counts.varying = counts.vertex = counts.faceVarying = data.faces.size() * 4;
  if (!keys.empty()) data.primvars = readPrimvars(keys[0], counts, context.diag, context.loc, "Geometry \"teapot\"");
  for (PrimvarData& d : data.primvars)
    if (d.spec.storage == Storage::kVertex) d.spec.storage = Storage::kVarying;
  return std::make_shared<BicubicGeometry>(std::move(data), context.st);
}

}  // namespace reyes::geom
