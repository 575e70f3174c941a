// SPDX-License-Identifier: Apache-2.0
// Curves: ribbons around centre lines, cubic in any basis or linear. An element is one curve, in space order; v runs
// 0..1 along it, in equal parts over its segments. Drawn in batches by render/, which makes them as broad as they are:
// only a camera knows which way they face. The face interface of Geometry shows a curve as a face without breadth.
#pragma once

#include "reyes/geom/elements.h"
#include "reyes/geom/geometry.h"
#include "reyes/geom/primvars.h"
#include "reyes/geom/widths.h"

namespace reyes::geom {

/// What the factory hands over; arrays by the order of the request.
struct CurveData {
  bool linear = false, periodic = false;
  bool bezier = false;                         ///< control values are Bezier values (CurveSet finds out)
  bool joined = true;                          ///< segments begin where the one before ends
  double weights[4][4];                        ///< of a segment's Bezier values, from its control values
  int step = 1;                                ///< control values from a segment to the next
  int width = 3;                               ///< floats a position: 3, or 4 with the weight last
  std::vector<std::vector<float>> positions;   ///< a key
  std::vector<int> firstVertex, firstSegment;  ///< of each curve; one more at the end
  std::vector<uint32_t> original;              ///< an element: place in the request
  std::vector<Widths> widths;                  ///< a key
  std::vector<PrimvarData> primvars;
  std::vector<PrimvarData> laterNormals;  ///< N of the second motion key, ...; empty: that of the first
  float st[8] = {0, 0, 1, 0, 0, 1, 1, 1};
};

/// True for an N that turns ribbons.
bool isRibbonNormal(const PrimvarData& p);

/// Bezier control points of one segment; w is 1 unless the curve is rational.
struct CurveSegment {
  Vec4 p[4];
};

/// Where in an element a vertex lies.
struct CurvePlace {
  int element = 0, segment = 0;
  float t = 0;
};

class CurveSet final : public Geometry {
 public:
  /// A mitre between segments is at most this many times as broad as the ribbon; bounds count on it.
  static constexpr float kMitre = 2;
  explicit CurveSet(CurveData data);

  // Batches.
  int segments(int element) const {
    const size_t c = original(element);
    return data_.firstSegment[c + 1] - data_.firstSegment[c];
  }
  bool linear() const { return data_.linear; }
  bool joined() const { return data_.joined; }
  bool periodic() const { return data_.periodic; }
  bool rational() const { return data_.width == 4; }
  bool hasNormals() const;
  uint32_t original(int element) const { return data_.original[static_cast<size_t>(element)]; }
  CurveSegment segment(int element, int segment, int key) const;
  float width(const CurvePlace& at, int key) const;
  /// The widest place of a segment, or wider.
  float widest(int element, int segment, int key) const;
  /// Centre lines of elements [begin, end) between v0 and v1.
  ElementBound elementBound(int begin, int end, float v0, float v1, int key) const;
  /// Adds the wanted variable, if it is there, with its values at `places`; uniform ones vary from curve to curve.
  void addPrimvar(Name name, std::span<const CurvePlace> places, VarBlock& grid, Arena& arena) const;
  /// Adds N, which turns the ribbons, as a motion key has it.
  void addNormals(int key, std::span<const CurvePlace> places, VarBlock& grid, Arena& arena) const;
  /// Texture coordinate 0 (s) or 1 (t) of the graphics state at (u, v).
  float texture(int component, float u, float v) const;

  // Geometry.
  const CurveSet* asCurves() const override { return this; }
  int faceCount() const override { return static_cast<int>(data_.original.size()); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  void dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const override;
  FaceEdge edge(int face, Side side) const override;
  FaceVertex vertex(int face, int corner) const override;
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;
  std::span<const VarSpec> primvars() const override { return specs_; }

 private:
  size_t varyingItem(size_t curve, int segment, bool end) const;
  size_t vertexItem(size_t curve, int segment, int k) const;
  ElementBound partBound(int element, float v0, float v1, int key) const;
  void addData(const PrimvarData& data, std::span<const CurvePlace> places, VarBlock& grid, Arena& arena) const;
  float valueAt(const PrimvarData& data, size_t width, size_t component, const CurvePlace& at) const;

  CurveData data_;
  std::vector<VarSpec> specs_;
  std::vector<ElementTree> trees_;
};

/// Segment and parameter in it of v; a v that is meant for a joint is put there: the end of the segment before it with
/// `end`, else the start of the one after it.
CurvePlace curvePlace(int element, int segments, float v, bool end);

/// Cuts a segment to [t0, t1].
void cutSegment(CurveSegment& s, float t0, float t1);
/// Position and derivative by t.
Vec3 curvePoint(const CurveSegment& s, float t, Vec3* derivative = nullptr);

}  // namespace reyes::geom
