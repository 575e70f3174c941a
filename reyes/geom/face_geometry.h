// SPDX-License-Identifier: Apache-2.0
// What all kinds of geometry share: the shell of dice() around a surface's own points and derivatives, u v s t, and
// primitive variables. Each kind derives from this and gives one grid at a time, never one point at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "reyes/geom/factory.h"
#include "reyes/geom/geometry.h"
#include "reyes/geom/primvars.h"

namespace reyes::geom {

/// A face's own parameters at the columns and rows of a grid.
struct GridParams {
  std::span<const float> u, v;
  int points() const { return static_cast<int>(u.size() * v.size()); }
};

/// Where a surface writes; du, dv and ng are null where positions alone are wanted.
struct SurfacePlanes {
  float* p[3] = {};
  float* du[3] = {};
  float* dv[3] = {};
  float* ng[3] = {};
};

/// Variables of a primitive and its texture coordinates; of several geometries, where those are the same.
struct FaceVariables {
  std::vector<PrimvarData> data;
  std::vector<VarSpec> specs;
  float st[8] = {0, 0, 1, 0, 0, 1, 1, 1};
  float range[4] = {0, 1, 0, 1};
};

class FaceGeometry : public Geometry {
 public:
  void dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const override;
  std::span<const VarSpec> primvars() const override { return variables().specs; }

 protected:
  void setPrimvars(std::vector<PrimvarData> data);
  void setTextureCoordinates(const float st[8]);
  /// u and v of the primitive's corners (umin, umax, vmin, vmax), where they are not those of the unit square.
  void setParameterRange(const float range[4]);
  void shareVariables(std::shared_ptr<FaceVariables> of) { variables_ = std::move(of); }

  /// P, and unless du is null the derivatives (with respect to the primitive's parameters) and unit Ng.
  virtual void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const = 0;
  virtual FaceInfo faceInfo(int face) const = 0;
  /// surface() for DiceRequest::cells, where hasCells().
  virtual void cellSurface(std::span<const uint32_t>, int, const SurfacePlanes&) const {}
  /// Fills a variable of class vertex; the default treats it as varying.
  virtual void fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const;
  /// Fills a variable of class facevarying; the default is bilinear between the face's corners.
  virtual void fillFaceVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const;
  /// Fills a variable of class varying; the default is bilinear between the face's corners.
  virtual void fillVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const;
  /// Derivatives of P at one place, for normals where the usual ones vanish.
  virtual void derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const;

  /// True where s and t are x and y of P unless given (polygons).
  virtual bool textureFromP() const { return false; }

  /// Replaces the zero normals that the kernel left, by those a little further inside the face.
  void repairNormals(int face, const GridParams& at, int key, const SurfacePlanes& out) const;

  const std::vector<PrimvarData>& primvarData() const { return variables().data; }

 private:
  void diceCells(const DiceRequest& request, VarBlock& grid, Arena& arena) const;
  void addCellParameters(std::span<const uint32_t> cells, VarBlock& grid, Arena& arena) const;
  bool copyCellTexture(Name name, int component, std::span<const uint32_t> cells, const VarBlock& grid, Arena& arena,
                       float* out) const;
  void fillCells(size_t primvar, std::span<const uint32_t> cells, Var& var) const;
  void fillPrimvar(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const;
  void addParameters(int face, const GridParams& at, VarBlock& grid, Arena& arena) const;
  bool copyTexture(Name name, int component, int face, const GridParams& at, Arena& arena, float* out) const;
  Vec3 normalInside(int face, float u, float v, int key) const;

  const FaceVariables& variables() const;
  FaceVariables& ownVariables();

  std::shared_ptr<FaceVariables> variables_;  ///< null: none, and texture coordinates of the unit square
};

}  // namespace reyes::geom
