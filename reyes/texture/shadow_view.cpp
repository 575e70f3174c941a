// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/shadow_view.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"

namespace reyes::texture {
namespace {

const Matrix4* matrixOf(const std::map<std::string, image::Attribute>& attributes, const std::string& name) {
  const auto it = attributes.find(name);
  return it == attributes.end() ? nullptr : std::get_if<Matrix4>(&it->second);
}

void finishFace(ShadowFace& f) {
  ShadowProjection& n = f.numbers;
  for (int r = 0; r < 4; ++r) {
    n.X[r] = f.ndc.m[r][0], n.Y[r] = f.ndc.m[r][1], n.W[r] = f.ndc.m[r][3];
    n.Z[r] = f.camera.m[r][2];
  }
  n.x0 = static_cast<float>(f.display.x0), n.y0 = static_cast<float>(f.display.y0);
  n.width = static_cast<float>(f.display.width()), n.height = static_cast<float>(f.display.height());
  // From the camera's own space a step across is a step of pixels over w, which depends on depth alone.
  f.worldFromCamera = inverse(f.camera);
  const Matrix4 own = f.ndcFromCamera = f.worldFromCamera * f.ndc;
  const float across = std::max(std::fabs(own.m[0][0] * n.width), std::fabs(own.m[1][1] * n.height));
  if (!(across > 0)) return;
  f.perPixel[0] = std::fabs(own.m[3][3]) / across;
  f.perPixel[1] = std::fabs(own.m[2][3]) / across;
}

/// Where lanes lie in the view that sees them.
struct Placed {
  explicit Placed(int n) : face(static_cast<size_t>(n), -1), x(face.size()), y(x), z(x) {}
  std::vector<int> face;
  std::vector<float> x, y, z;
};

/// The receiver's slope where its two extents span a plane that is not edge-on to the light. False: there is none.
bool findSlope(ShadowArea& a) {
  const float spanX = std::fabs(a.ux) + std::fabs(a.vx), spanY = std::fabs(a.uy) + std::fabs(a.vy);
  const float det = a.ux * a.vy - a.uy * a.vx;
  if (!(std::fabs(det) > 1e-3f * (spanX * spanX + spanY * spanY)) || !(std::fabs(det) > 1e-12f)) return false;
  a.slopeX = (a.uz * a.vy - a.vz * a.uy) / det;
  a.slopeY = (a.vz * a.ux - a.uz * a.vx) / det;
  a.uz = a.vz = 0;
  return true;
}

/// A plane nearly edge-on says little about the depths around it.
void limitSlope(ShadowArea& a) {
  const float reach = std::fabs(a.slopeX) * (a.halfX() + 0.5f) + std::fabs(a.slopeY) * (a.halfY() + 0.5f);
  const float most = 0.25f * a.z;
  if (reach > most) a.slopeX *= most / reach, a.slopeY *= most / reach;
}

/// The bias that a user need not choose: half a pixel of the receiver's slope, since a pixel holds the depth of some
/// place in it, a quarter of a pixel's size for what facets leave, and more with distance for receivers that bend.
void chooseBias(ShadowArea& a, float pixel, float slope) {
  a.bias0 = a.bias1 = 0.55f * slope + 0.25f * pixel + 1e-5f * a.z;
  a.near = 1.5f * pixel;
  a.cone = 0.1f * pixel;
}

}  // namespace

std::string ShadowViews::read(const std::map<std::string, image::Attribute>& attributes, const PixelRect& window,
                              const PixelRect& display) {
  const auto kind = attributes.find("reyes/mapType");
  const std::string* text = kind == attributes.end() ? nullptr : std::get_if<std::string>(&kind->second);
  const bool six = text && *text == "cubeshadow";
  faces_.assign(six ? 6 : 1, {});
  for (size_t i = 0; i < faces_.size(); ++i) {
    const std::string suffix = six ? format("{}", i) : "";
    const Matrix4* camera = matrixOf(attributes, "worldToCamera" + suffix);
    const Matrix4* ndc = matrixOf(attributes, "worldToNDC" + suffix);
    if (!camera || !ndc) return "has no worldToCamera and worldToNDC matrices";
    ShadowFace& f = faces_[i];
    f.camera = *camera, f.ndc = *ndc;
    f.window = window, f.display = display;
    if (six) {
      if (window.height() % 6) return "is no cube: its height is not six faces";
      f.window = f.display = {0, 0, window.width(), window.height() / 6};
    }
    finishFace(f);
  }
  return "";
}

void ShadowViews::areas(const ShadowBatch& batch, const ShadowOptions& options, std::vector<ShadowArea>& out) const {
  const ShadowKernels& kernels = shadowKernels(options.isa);
  const int n = batch.n;
  const size_t lanes = static_cast<size_t>(n);
  out.assign(lanes, ShadowArea{});
  // 1. The view of each lane, and its place there.
  Placed at(n), u(n), v(n);
  std::vector<float> x(lanes), y(lanes), z(lanes), w(lanes);
  for (size_t f = 0; f < faces_.size(); ++f) {
    kernels.project(faces_[f].numbers, n, batch.p, nullptr, x.data(), y.data(), z.data(), w.data());
    for (size_t i = 0; i < lanes; ++i) {
      // Of a cube, the face along whose axis the point is farthest away.
      if ((batch.active && !batch.active[i]) || !(w[i] > 1e-12f) || !(z[i] > 0)) continue;
      if (at.face[i] >= 0 && !(z[i] > at.z[i])) continue;
      at.face[i] = static_cast<int>(f), at.x[i] = x[i], at.y[i] = y[i], at.z[i] = z[i];
    }
  }
  // 2. The ends of its extents in the same view.
  const bool wide = batch.du && batch.dv;
  for (size_t f = 0; wide && f < faces_.size(); ++f) {
    if (std::find(at.face.begin(), at.face.end(), static_cast<int>(f)) == at.face.end()) continue;
    for (const bool first : {true, false}) {
      Placed& to = first ? u : v;
      kernels.project(faces_[f].numbers, n, batch.p, first ? batch.du : batch.dv, x.data(), y.data(), z.data(),
                      w.data());
      for (size_t i = 0; i < lanes; ++i)
        if (at.face[i] == static_cast<int>(f) && w[i] > 1e-12f)
          to.face[i] = at.face[i], to.x[i] = x[i], to.y[i] = y[i], to.z[i] = z[i];
    }
  }
  // 3. The areas.
  const float widthX = std::max(options.width, 0.0f), widthY = options.tWidth < 0 ? widthX : options.tWidth;
  for (size_t i = 0; i < lanes; ++i) {
    if (at.face[i] < 0) continue;
    const float blurX = std::max(0.0f, options.blurs ? options.blurs[i] : options.blur);
    const float blurY = options.tBlur < 0 ? blurX : options.tBlur;
    const float bias0 = options.biases ? options.biases[i] : options.bias0;
    const float bias1 = options.biases ? options.biases[i] : options.bias1;
    const ShadowFace& face = faces_[static_cast<size_t>(at.face[i])];
    ShadowArea& a = out[i];
    a = {};
    a.x = at.x[i], a.y = at.y[i], a.z = at.z[i];
    if (wide && u.face[i] >= 0 && v.face[i] >= 0) {
      a.ux = u.x[i] - a.x, a.uy = u.y[i] - a.y, a.uz = u.z[i] - a.z;
      a.vx = v.x[i] - a.x, a.vy = v.y[i] - a.y, a.vz = v.z[i] - a.z;
    }
    const bool sloped = findSlope(a);
    a.ux *= widthX, a.vx *= widthX, a.uy *= widthY, a.vy *= widthY;
    const float spanX = std::fabs(a.ux) + std::fabs(a.vx), spanY = std::fabs(a.uy) + std::fabs(a.vy);
    a.growX = std::max({blurX * static_cast<float>(face.display.width()), options.pixels - spanX, 0.0f});
    a.growY = std::max({blurY * static_cast<float>(face.display.height()), options.pixels - spanY, 0.0f});
    const float pixel = face.pixelAt(a.z);
    const float slope = sloped ? std::min(std::fabs(a.slopeX) + std::fabs(a.slopeY), 40 * pixel) : 4 * pixel;
    limitSlope(a);
    a.bias0 = std::min(bias0, bias1), a.bias1 = std::max(bias0, bias1);
    a.near = a.cone = 0;
    if (!(a.bias0 >= 0)) chooseBias(a, pixel, slope);
    a.face = at.face[i];
    const float left = a.x - a.halfX(), right = a.x + a.halfX(), top = a.y - a.halfY(), bottom = a.y + a.halfY();
    const bool beside = right < static_cast<float>(face.window.x0) || left > static_cast<float>(face.window.x1) ||
                        bottom < static_cast<float>(face.window.y0) || top > static_cast<float>(face.window.y1);
    if (beside || !(std::isfinite(left) && std::isfinite(right) && std::isfinite(top) && std::isfinite(bottom)))
      a.face = -1;
  }
}

bool ShadowViews::otherFace(int face, float x, float y, float z, int& other, float& ox, float& oy, float& oz) const {
  // Back to the world: faces of a cube are perspective views from one place.
  const ShadowFace& from = faces_[static_cast<size_t>(face)];
  const Matrix4& own = from.ndcFromCamera;
  const float nx = (x - from.numbers.x0) / from.numbers.width, ny = (y - from.numbers.y0) / from.numbers.height;
  const float w = z * own.m[2][3] + own.m[3][3];
  const Vec3 camera{(nx * w - z * own.m[2][0] - own.m[3][0]) / own.m[0][0],
                    (ny * w - z * own.m[2][1] - own.m[3][1]) / own.m[1][1], z};
  const Vec3 world = transformPoint(from.worldFromCamera, camera);
  other = -1;
  for (size_t f = 0; f < faces_.size(); ++f) {
    const Vec3 c = transformPoint(faces_[f].camera, world);
    if (other < 0 || c.z > oz) other = static_cast<int>(f), oz = c.z;
  }
  const ShadowFace& to = faces_[static_cast<size_t>(other)];
  const Vec4 h = transformHomogeneous(to.ndc, {world.x, world.y, world.z, 1});
  if (!(h.w > 1e-12f)) return false;
  ox = to.numbers.x0 + h.x / h.w * to.numbers.width, oy = to.numbers.y0 + h.y / h.w * to.numbers.height;
  return true;
}

}  // namespace reyes::texture
