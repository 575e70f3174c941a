// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/blobby_repel.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/blobby_field.h"

namespace reyes::geom {
namespace {

constexpr double kLeastHeight = 1e-6;  ///< below it and inside the ground the field is that of this height

/// 0 at 0 and 2, 1 at 1.
double bump(double r) { return r <= 0 || r >= 2 ? 0.0 : (((6 - r) * r - 12) * r + 8) * r * r * r; }
double bumpSlope(double r) { return r <= 0 || r >= 2 ? 0.0 : (((30 - 6 * r) * r - 48) * r + 24) * r * r; }
double ease(double r) { return r <= 0 ? 0.0 : r >= 1 ? 1.0 : r * r * (3 - 2 * r); }
double easeSlope(double r) { return r <= 0 || r >= 1 ? 0.0 : 6 * r * (1 - r); }

}  // namespace

double Repulsion::value(double z) const {
  if (z >= a) return 0;
  z = std::max(z, kLeastHeight);
  return (d * bump(z / c) - b / z) * (1 - ease(z / a));
}

double Repulsion::slope(double z) const {
  if (z >= a || z <= kLeastHeight) return 0;
  return (d * bumpSlope(z / c) / c + b / (z * z)) * (1 - ease(z / a)) -
         (d * bump(z / c) - b / z) * easeSlope(z / a) / a;
}

void Repulsion::range(double z0, double z1, double& least, double& greatest) const {
  if (z0 >= a) {
    least = greatest = 0;
    return;
  }
  z0 = std::max(z0, kLeastHeight), z1 = std::clamp(z1, z0, a);
  // The bulge rises to c and falls from there; the rest rises; what they are faded by falls to 0.
  const double b0 = bump(z0 / c), b1 = bump(z1 / c), top = z0 <= c && z1 >= c ? 1 : std::max(b0, b1);
  const double low = std::min(d * std::min(b0, b1), d * top) + std::min(-b / z0, -b / z1);
  const double high = std::max(d * std::min(b0, b1), d * top) + std::max(-b / z0, -b / z1);
  const double most = 1 - ease(z0 / a), fewest = 1 - ease(z1 / a);
  least = std::min(low * most, low * fewest), greatest = std::max(high * most, high * fewest);
}

DepthPlane::DepthPlane(int width, int height, std::vector<float> depths, const Matrix4& cameraFromObject,
                       const Matrix4& pixelFromObject)
    : width_(width), height_(height), depths_(std::move(depths)), camera_(cameraFromObject), pixel_(pixelFromObject) {
  for (int w = width, h = height; w > 1 || h > 1;) {
    const Level* below = levels_.empty() ? nullptr : &levels_.back();
    Level next{(w + 1) / 2, (h + 1) / 2, {}, {}};
    for (int y = 0; y < next.height; ++y)
      for (int x = 0; x < next.width; ++x) {
        float least = Bound3::kInf, greatest = 0;
        for (int k = 0; k < 4; ++k) {
          const int i = std::min(2 * x + (k & 1), w - 1), j = std::min(2 * y + (k >> 1), h - 1);
          const size_t from = static_cast<size_t>(j) * static_cast<size_t>(w) + static_cast<size_t>(i);
          least = std::min(least, below ? below->least[from] : depths_[from]);
          greatest = std::max(greatest, below ? below->greatest[from] : depths_[from]);
        }
        next.least.push_back(least), next.greatest.push_back(greatest);
      }
    w = next.width, h = next.height;
    levels_.push_back(std::move(next));
  }
}

float DepthPlane::at(int x, int y) const {
  x = std::clamp(x, 0, width_ - 1), y = std::clamp(y, 0, height_ - 1);
  return depths_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
}

bool DepthPlane::height(Double3 p, double& z, Double3* gradient) const {
  const auto row = [&](const Matrix4& m, int c) {
    return p.x * m.m[0][c] + p.y * m.m[1][c] + p.z * m.m[2][c] + m.m[3][c];
  };
  const double w = row(pixel_, 3);
  if (!(w > 1e-12)) return false;
  const double x = row(pixel_, 0) / w, y = row(pixel_, 1) / w;
  if (!(x >= 0 && y >= 0 && x <= width_ && y <= height_)) return false;
  // Bilinear between the middles of four pixels, all of which must show something.
  const double fx = std::floor(x - 0.5), fy = std::floor(y - 0.5), s = x - 0.5 - fx, t = y - 0.5 - fy;
  const int i = static_cast<int>(fx), j = static_cast<int>(fy);
  const double a = at(i, j), b = at(i + 1, j), c = at(i, j + 1), d = at(i + 1, j + 1);
  if (!std::isfinite(a + b + c + d)) return false;
  const double low = a + (b - a) * s, high = c + (d - c) * s;
  z = low + (high - low) * t - row(camera_, 2);
  if (!gradient) return true;
  const double alongX = (b - a) + ((d - c) - (b - a)) * t, alongY = high - low;
  double* g[3] = {&gradient->x, &gradient->y, &gradient->z};
  for (int k = 0; k < 3; ++k) {
    const double dx = (pixel_.m[k][0] - x * pixel_.m[k][3]) / w, dy = (pixel_.m[k][1] - y * pixel_.m[k][3]) / w;
    *g[k] = alongX * dx + alongY * dy - camera_.m[k][2];
  }
  return true;
}

void DepthPlane::range(int x0, int y0, int x1, int y1, float& least, float& greatest) const {
  // From the level where the rectangle is a few blocks.
  size_t level = 0;
  while (level < levels_.size() && std::max(x1 - x0, y1 - y0) >> level > 4) ++level;
  least = Bound3::kInf, greatest = 0;
  for (int y = y0 >> level; y <= y1 >> level; ++y)
    for (int x = x0 >> level; x <= x1 >> level; ++x) {
      const int width = level == 0 ? width_ : levels_[level - 1].width;
      const size_t k = static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
      least = std::min(least, level == 0 ? depths_[k] : levels_[level - 1].least[k]);
      greatest = std::max(greatest, level == 0 ? depths_[k] : levels_[level - 1].greatest[k]);
    }
}

void DepthPlane::heights(const Bound3& box, double& least, double& greatest) const {
  float x0 = Bound3::kInf, x1 = -Bound3::kInf, y0 = x0, y1 = x1, z0 = x0, z1 = x1;
  bool ahead = true;
  for (int k = 0; k < 8; ++k) {
    const Vec3 p = box.corner(k);
    const Vec4 q = transformHomogeneous(pixel_, {p.x, p.y, p.z, 1});
    ahead = ahead && q.w > 1e-12f;
    x0 = std::min(x0, q.x / q.w), x1 = std::max(x1, q.x / q.w);
    y0 = std::min(y0, q.y / q.w), y1 = std::max(y1, q.y / q.w);
    const float z = transformHomogeneous(camera_, {p.x, p.y, p.z, 1}).z;
    z0 = std::min(z0, z), z1 = std::max(z1, z);
  }
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  if (!ahead) x0 = y0 = 0, x1 = w, y1 = h;
  least = greatest = Bound3::kInf;
  // Two pixels around: the interpolation, and rounding.
  if (!(x1 >= -2 && y1 >= -2 && x0 <= w + 2 && y0 <= h + 2)) return;
  const auto pixel = [](float x, int n) { return std::clamp(static_cast<int>(std::clamp(x, -4.0f, 1e6f)), 0, n - 1); };
  float nearest, farthest;
  range(pixel(x0 - 2, width_), pixel(y0 - 2, height_), pixel(x1 + 2, width_), pixel(y1 + 2, height_), nearest,
        farthest);
  const float slack = 1e-5f * std::max(std::fabs(z0), std::fabs(z1));
  least = nearest - z1 - slack;
  greatest = x0 < 0 || y0 < 0 || x1 > w || y1 > h ? Bound3::kInf : farthest - z0 + slack;
}

}  // namespace reyes::geom
