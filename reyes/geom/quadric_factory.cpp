// SPDX-License-Identifier: Apache-2.0
// makeSphere() and its kin: checks the numbers of a quadric and makes it.
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/quadric.h"

namespace reyes::geom {
namespace {

bool finite(const QuadricKey& key) {
  for (const float f : key.dims)
    if (!std::isfinite(f) || std::abs(f) > 1e18f) return false;
  return std::isfinite(key.sweep) && std::abs(key.sweep) < 1e9f;
}

/// A paraboloid lives on one side of its apex: zmin is brought there.
void clipParaboloid(const Context& context, QuadricKey& key) {
  float& low = key.dims[1];
  if (key.dims[2] == 0 || low * key.dims[2] >= 0) return;
  low = 0;
  if (context.diag)
    context.diag->warning("geom-bad-range", context.loc,
                          "Paraboloid: zmin lies beyond the apex; it is drawn from the apex");
}

GeometryPtr make(const Context& context, QuadricKind kind, const char* request, std::vector<QuadricKey> keys,
                 Keys lists) {
  if (keys.empty()) return nullptr;
  for (QuadricKey& key : keys) {
    if (!finite(key)) {
      if (context.diag)
        context.diag->error("geom-not-finite", context.loc,
                            format("{}: a number is not finite; nothing is drawn", request));
      return nullptr;
    }
    if (kind == QuadricKind::kParaboloid) clipParaboloid(context, key);
  }
  static const ParamList kNone;
  std::vector<PrimvarData> primvars =
      readPrimvars(lists.empty() ? kNone : lists[0], ClassCounts(), context.diag, context.loc, request);
  auto quadric = std::make_shared<Quadric>(kind, std::move(keys), std::move(primvars), context.st);
  if (!quadric->empty()) return quadric;
  if (context.diag)
    context.diag->warning("geom-degenerate", context.loc, format("{}: has no area; nothing is drawn", request));
  return nullptr;
}

/// The last number of each array is the sweep.
template <size_t N>
std::vector<QuadricKey> keysOf(std::span<const std::array<float, N>> arrays) {
  std::vector<QuadricKey> keys;
  for (const std::array<float, N>& a : arrays) {
    QuadricKey key;
    for (size_t i = 0; i + 1 < N; ++i) key.dims[i] = a[i];
    key.sweep = a[N - 1];
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

GeometryPtr makeSphere(const Context& c, std::span<const std::array<float, 4>> dims, Keys keys) {
  return make(c, QuadricKind::kSphere, "Sphere", keysOf(dims), keys);
}
GeometryPtr makeCone(const Context& c, std::span<const std::array<float, 3>> dims, Keys keys) {
  return make(c, QuadricKind::kCone, "Cone", keysOf(dims), keys);
}
GeometryPtr makeCylinder(const Context& c, std::span<const std::array<float, 4>> dims, Keys keys) {
  return make(c, QuadricKind::kCylinder, "Cylinder", keysOf(dims), keys);
}
GeometryPtr makeHyperboloid(const Context& c, std::span<const std::array<float, 7>> dims, Keys keys) {
  return make(c, QuadricKind::kHyperboloid, "Hyperboloid", keysOf(dims), keys);
}
GeometryPtr makeParaboloid(const Context& c, std::span<const std::array<float, 4>> dims, Keys keys) {
  return make(c, QuadricKind::kParaboloid, "Paraboloid", keysOf(dims), keys);
}
GeometryPtr makeDisk(const Context& c, std::span<const std::array<float, 3>> dims, Keys keys) {
  return make(c, QuadricKind::kDisk, "Disk", keysOf(dims), keys);
}
GeometryPtr makeTorus(const Context& c, std::span<const std::array<float, 5>> dims, Keys keys) {
  return make(c, QuadricKind::kTorus, "Torus", keysOf(dims), keys);
}

}  // namespace reyes::geom
