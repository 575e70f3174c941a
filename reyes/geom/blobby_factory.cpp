// SPDX-License-Identifier: Apache-2.0
// makeBlobby(): the code of a request checked and read into a field a motion key, then its surface.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/blobby.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "Blobby";
constexpr int kConstant = 1000, kEllipsoid = 1001, kSegment = 1002, kRepeller = 1003, kPlugin = 1004;

void report(const Context& context, const char* code, std::string text) {
  if (context.diag) context.diag->error(code, context.loc, format("{}: {}", kRequest, text));
}

/// Reads the numbers of one key through the code; `quiet` after the first key.
class Reader {
 public:
  Reader(const Context& context, std::span<const int> code, std::span<const float> floats, bool quiet)
      : context_(context), code_(code), floats_(floats), quiet_(quiet) {}

  /// False where the code makes no field.
  bool read(BlobbyField& field) {
    while (at_ < code_.size()) {
      const int op = code_[at_++];
      if (op >= kConstant ? !readLeaf(op, field) : !readOperation(op, field)) return false;
    }
    if (field.program.empty()) return fail("geom-bad-code", "the code is empty; nothing is drawn");
    return true;
  }

 private:
  bool fail(const char* code, const std::string& text) {
    if (!quiet_) report(context_, code, text);
    return false;
  }
  bool next(int& value) {
    if (at_ >= code_.size()) return fail("geom-bad-code", "the code ends inside an instruction; nothing is drawn");
    value = code_[at_++];
    return true;
  }
  /// `count` finite floats from an index.
  const float* floatsAt(int index, size_t count) {
    if (index < 0 || static_cast<size_t>(index) + count > floats_.size()) {
      fail("geom-bad-code", format("instruction {} takes {} floats from {} on, of {}; nothing is drawn", number_, count,
                                   index, floats_.size()));
      return nullptr;
    }
    const float* p = &floats_[static_cast<size_t>(index)];
    for (size_t k = 0; k < count; ++k)
      if (!std::isfinite(p[k]) || std::abs(p[k]) > 1e15f) {
        fail("geom-not-finite", format("instruction {} has numbers that are not finite; nothing is drawn", number_));
        return nullptr;
      }
    return p;
  }

  bool readLeaf(int op, BlobbyField& field) {
    number_ = field.program.size();
    BlobbyLeaf leaf;
    int index = 0;
    if (op == kPlugin) {
      // A plug-in, and counted lists of numbers and strings.
      for (int k = 0; k < 5; ++k)
        if (!next(index)) return false;
      fail("not-built", "fields from plug-ins (1004) are not built: they are 0");
    } else if (op == kRepeller) {
      int file = 0;
      if (!next(file) || !next(index)) return false;
      const float* p = floatsAt(index, 4);
      if (!p) return false;
      if (file < 0 || static_cast<size_t>(file) >= context_.depthPlanes.size())
        return fail("geom-bad-code", format("instruction {} takes string {} of {}; nothing is drawn", number_, file,
                                            context_.depthPlanes.size()));
      leaf.plane = context_.depthPlanes[static_cast<size_t>(file)].get();
      leaf.repulsion = {p[0], p[1], p[2], p[3]};
      if (leaf.plane && (!(p[0] > 0) || !(p[2] > 0))) {
        fail("geom-degenerate", format("instruction {} has heights that are not above 0; it repels nothing", number_));
        leaf.plane = nullptr;
      }
    } else if (op == kConstant || op == kEllipsoid || op == kSegment) {
      const size_t count = op == kConstant ? 1 : op == kEllipsoid ? 16 : 23;
      if (!next(index)) return false;
      const float* p = floatsAt(index, count);
      if (!p) return false;
      if (op == kConstant)
        leaf.value = p[0];
      else
        makeBump(op == kSegment ? p : nullptr, p + count - 16, leaf);
    } else {
      return fail("geom-bad-code", format("instruction {}: there is no field {}; nothing is drawn", number_, op));
    }
    BlobbyInstruction i;
    i.leaf = static_cast<int>(field.leaves.size());
    field.leaves.push_back(leaf);
    field.program.push_back(std::move(i));
    return true;
  }

  bool readOperation(int op, BlobbyField& field) {
    number_ = field.program.size();
    static constexpr BlobbyOp kOps[8] = {BlobbyOp::kAdd,     BlobbyOp::kMultiply, BlobbyOp::kMaximum,
                                         BlobbyOp::kMinimum, BlobbyOp::kSubtract, BlobbyOp::kDivide,
                                         BlobbyOp::kNegate,  BlobbyOp::kIdentity};
    if (op < 0 || op > 7)
      return fail("geom-bad-code", format("instruction {}: there is no operation {}; nothing is drawn", number_, op));
    int count = op < 6 ? 2 : 1;
    if (op < 4 && !next(count)) return false;
    if (count < 1 || static_cast<size_t>(count) > code_.size() - at_)
      return fail(
          "geom-bad-code",
          format("instruction {} has {} operands, of which not all are there; nothing is drawn", number_, count));
    BlobbyInstruction i;
    i.op = kOps[op];
    for (int k = 0; k < count; ++k) {
      const int operand = code_[at_++];
      if (operand < 0 || static_cast<size_t>(operand) >= field.program.size())
        return fail("geom-bad-code", format("instruction {} takes the result of {}, which does not come before it; "
                                            "nothing is drawn",
                                            number_, operand));
      i.operands.push_back(operand);
    }
    field.program.push_back(std::move(i));
    return true;
  }

  /// Ellipsoid: no segment. Else ends and radius.
  void makeBump(const float* segment, const float* matrix, BlobbyLeaf& leaf) {
    Matrix4 m;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) m.m[r][c] = matrix[r * 4 + c];
    const double radius = segment ? std::abs(static_cast<double>(segment[6])) : 1.0;
    if (isSingular(m) || !(radius > 0)) {
      fail("geom-degenerate", format("instruction {} has a matrix that flattens, or no radius; it is 0", number_));
      return;
    }
    const Matrix4 back = inverse(m);
    leaf.constant = false;
    leaf.radius = radius;
    leaf.scale = 1 / (radius * radius);
    leaf.toObject = m;
    double norm = 0;
    for (int k = 0; k < 3; ++k) {
      leaf.row[k] = {back.m[0][k], back.m[1][k], back.m[2][k]};
      leaf.offset[k] = back.m[3][k];
      norm += dot(leaf.row[k], leaf.row[k]);
    }
    const Vec3 a = segment ? Vec3{segment[0], segment[1], segment[2]} : Vec3();
    const Vec3 b = segment ? Vec3{segment[3], segment[4], segment[5]} : a;
    leaf.start = toDouble(a), leaf.along = toDouble(b) - toDouble(a);
    leaf.length2 = dot(leaf.along, leaf.along);
    // No way in object space is shortened by more than the norm says.
    leaf.isoRadius = radius * 0.5 / std::sqrt(norm / 3);
    for (const Vec3& end : {a, b}) {
      const Vec3 p = transformPoint(m, end);
      Vec3 half;
      for (int c = 0; c < 3; ++c)
        half[c] = static_cast<float>(radius * std::sqrt(double(m.m[0][c]) * m.m[0][c] + double(m.m[1][c]) * m.m[1][c] +
                                                        double(m.m[2][c]) * m.m[2][c]));
      leaf.support.add(p - half);
      leaf.support.add(p + half);
    }
    const float size =
        std::max({std::abs(leaf.support.min.x), std::abs(leaf.support.max.x), std::abs(leaf.support.min.y),
                  std::abs(leaf.support.max.y), std::abs(leaf.support.min.z), std::abs(leaf.support.max.z)});
    leaf.support.grow(size * 1e-5f);
  }

  const Context& context_;
  std::span<const int> code_;
  std::span<const float> floats_;
  bool quiet_;
  size_t at_ = 0, number_ = 0;
};

/// Points of the first key taken along with the leaves that make them, then onto the surface of another key; normals.
void followLeaves(const BlobbyKey& first, double cell, BlobbyKey& key, std::vector<Double3>& normals) {
  std::vector<Bound3> boxes(first.points.size());
  for (size_t i = 0; i < boxes.size(); ++i) boxes[i].add(first.points[i]);
  std::vector<Double3> starts(boxes.size());
  std::vector<LeafWeight> weights;
  first.field.overRuns(boxes, cell, [&](const BlobbyField& part, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Vec3 p = first.points[i];
      part.weights(toDouble(p), weights);
      Double3 moved;
      double sum = 0;
      for (const LeafWeight& w : weights) {
        const BlobbyLeaf &from = first.field.leaves[static_cast<size_t>(w.leaf)],
                         &to = key.field.leaves[static_cast<size_t>(w.leaf)];
        if (from.constant || to.constant) continue;
        const Vec3 q = transformPoint(inverse(from.toObject), p);
        moved = moved + toDouble(transformPoint(to.toObject, q)) * w.weight;
        sum += w.weight;
      }
      starts[i] = sum > 0 ? moved * (1 / sum) : toDouble(p);
    }
  });
  for (size_t i = 0; i < boxes.size(); ++i) boxes[i] = {toFloat(starts[i]), toFloat(starts[i])};
  key.field.overRuns(boxes, 4 * cell, [&](const BlobbyField& part, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      key.points.push_back(toFloat(ontoSurface(part, starts[i], 2 * cell)));
      normals.push_back(outwards(part, toDouble(key.points.back())));
    }
  });
}

void setDirections(BlobbyKey& key, std::span<const Double3> normals) {
  for (const Double3& d : normals) key.directions.push_back(dot(d, d) > 0 ? toFloat(d) : Vec3{0, 0, 1});
}

std::vector<PrimvarData> blobbyPrimvars(const Context& context, size_t leaves, const ParamList& params) {
  ClassCounts counts;
  counts.uniform = 1;
  counts.varying = counts.vertex = counts.faceVarying = leaves;
  std::vector<PrimvarData> all = readPrimvars(params, counts, context.diag, context.loc, kRequest);
  for (PrimvarData& d : all)
    if (d.spec.type == Type::kString) d.spec.storage = Storage::kConstant;  // strings do not blend: the first one
  return all;
}

}  // namespace

GeometryPtr makeBlobby(const Context& context, int leaves, std::span<const int> code,
                       std::span<const std::vector<float>> floats, Keys keys) {
  // The field at every key.
  std::vector<BlobbyKey> all;
  for (size_t k = 0; k < keys.size() && k < floats.size(); ++k) {
    BlobbyKey key;
    if (!Reader(context, code, floats[k], k > 0).read(key.field)) {
      if (k == 0) return nullptr;
      report(context, "geom-motion-mismatch",
             format("key {} of the motion block makes no field; it does not move", k + 1));
      all.resize(1);
      break;
    }
    key.field.prepare();
    all.push_back(std::move(key));
  }
  if (all.empty()) return nullptr;
  const BlobbyField& field = all[0].field;
  if (static_cast<size_t>(std::max(leaves, 0)) != field.leaves.size())
    report(context, "geom-bad-count", format("{} leaves are announced, the code has {}", leaves, field.leaves.size()));

  // Its surface at the first key; the others follow.
  BlobbyMesh mesh = meshBlobby(field);
  if (!context.diag) {
  } else if (mesh.quads.empty()) {
    context.diag->warning("geom-degenerate", context.loc,
                          format("{}: the field is nowhere {}; nothing is drawn", kRequest, kBlobbyThreshold));
  } else if (mesh.coarse) {
    context.diag->warning("geom-blobby-coarse", context.loc,
                          format("{}: the smallest blobs are too small beside the whole; they may be lost", kRequest));
  }
  if (mesh.quads.empty()) return nullptr;
  all[0].points = std::move(mesh.points);
  setDirections(all[0], mesh.normals);
  for (size_t k = 1; k < all.size(); ++k) {
    std::vector<Double3> normals;
    followLeaves(all[0], mesh.cell, all[k], normals);
    setDirections(all[k], normals);
  }
  std::vector<PrimvarData> primvars = blobbyPrimvars(context, field.leaves.size(), keys[0]);
  return std::make_shared<BlobbyGeometry>(std::move(mesh.quads), mesh.cell, std::move(all), std::move(primvars),
                                          context.st, context.depthPlanes);
}

}  // namespace reyes::geom
