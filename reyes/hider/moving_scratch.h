// SPDX-License-Identifier: Apache-2.0
// What the kernels of moving and defocused grids work in: the boxes of a tile of pieces, and the samples near them by
// cell. One a bucket hider; private to hider/.
#pragma once

#include <cstdint>

namespace reyes::hider {

struct RasterContext;

/// Pieces (micropolygons, discs) of a tile: 16 x 16 micropolygons, or 256 discs; piece [row * kTileSide + column].
inline constexpr int kTileSide = 16, kTilePieces = kTileSide * kTileSide;
/// Samples that are sorted at a time, and cells at most.
inline constexpr int kBinned = 4096, kMostCells = 2048;

struct MovingScratch {
  // Boxes at both ends of the segment: corners in units, circles of confusion.
  alignas(32) float x0[2][kTilePieces], y0[2][kTilePieces], x1[2][kTilePieces], y1[2][kTilePieces];
  alignas(32) float c0[2][kTilePieces], c1[2][kTilePieces];
  alignas(32) float zNear[kTilePieces];        ///< nothing of a piece is nearer
  alignas(32) float reach[kTilePieces];        ///< farthest coordinate, lens and all
  uint16_t live[kTileSide], large[kTileSide];  ///< a bit a column: may reach the bucket; wider than floats hold
  // Boxes as samples see them whose motion and lens are taken back: units from the bucket's corner, then cells.
  alignas(32) float sheared[4][kTilePieces];
  alignas(32) int32_t cells[4][kTilePieces];
  // Samples as found, and cell by cell; eight more, for whole vectors.
  int found = 0;
  alignas(32) uint32_t foundSample[kBinned + 8], foundCell[kBinned + 8];
  uint32_t ends[kMostCells + 2];  ///< of cell c at c + 1
  alignas(32) float x[kBinned + 8], y[kBinned + 8], time[kBinned + 8], lensX[kBinned + 8], lensY[kBinned + 8];
  alignas(32) uint32_t sample[kBinned + 8];
  /// Lattice index of [(pixel row * width + column) * strata + stratum]; null until a kernel wants it of `order`, which
  /// is false where there are too many.
  const uint32_t* byStratum = nullptr;
  bool (*order)(RasterContext&) = nullptr;
};

}  // namespace reyes::hider
