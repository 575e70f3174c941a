// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/bound_box.h"

#include <algorithm>

namespace reyes::geom {
namespace {

class BoundBox final : public Geometry {
 public:
  explicit BoundBox(const Bound3& box) : box_(box) {}
  int faceCount() const override { return 1; }
  Bound3 bound(int, int, int) const override { return box_; }
  Bound3 bound(int, const UvRect&, int) const override { return box_; }
  void pointsAt(int, std::span<const Vec2> uv, int, Vec3* out) const override {
    std::fill_n(out, uv.size(), (box_.min + box_.max) * 0.5f);
  }
  void dice(const DiceRequest&, VarBlock&, Arena&) const override {}
  FaceEdge edge(int, Side) const override { return {}; }
  FaceVertex vertex(int, int) const override { return {}; }
  void edgePoints(int, Side, std::span<const float> t, int, Vec3* out) const override {
    std::fill_n(out, t.size(), (box_.min + box_.max) * 0.5f);
  }
  std::span<const VarSpec> primvars() const override { return {}; }

 private:
  Bound3 box_;
};

}  // namespace

GeometryPtr makeBoundBox(const Bound3& box) { return std::make_shared<BoundBox>(box); }

}  // namespace reyes::geom
