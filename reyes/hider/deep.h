// SPDX-License-Identifier: Apache-2.0
// Deep pixels: what every surface in front of a sample adds (events), and their way to the samples of a deep picture.
// Called by render/ where a view has deep displays; frames without pay nothing. docs/decisions/0018 tells the design.
//
// A pixel takes the events of all samples that its filter reaches, with the filter's weights, in order of depth (ties:
// source pixels in row order, samples, surfaces). With T(z) = 1 - the weighted mean of the opacity in front of z, and
// dC(z) the weighted mean of the colour that comes from z, a deep sample is alpha = 1 - T(z) / T(before z) and
// C = dC(z) / T(before z): composited they give the flat pixel, whatever surfaces move, are matte or coloured.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "reyes/hider/hider.h"

namespace reyes::hider {

class SampleWeights;

/// Events of a bucket's samples, those of a pixel by depth (equal ones by sample). They wait packed (deep_pack.h): 6 to
/// 34 bytes each. Unpacked an event is eventFloats(): opacity (the mean, then 3) and colour (3), all times what is seen
/// through the surfaces in front (opacity negative: matte, it hides and shows nothing); depth; with output variables
/// what is seen through in front (3), then their values.
class DeepTile {
 public:
  static constexpr int kOpacity = 0, kOi = 1, kCi = 4, kZ = 7, kThrough = 8, kAov = 11;
  /// Bytes lie in pieces as large as blocks of EntryPool are, so that lists of the next bucket lie where events were
  /// and the reverse; the last is as long as it is full.
  class Row {
   public:
    static constexpr size_t kSpare = 4, kPiece = 4096 * 12 - kSpare;  ///< kSpare: readable behind a pixel's bytes
    std::vector<size_t> starts;                                       ///< first byte of each pixel, and the end
    std::vector<uint32_t> events;                                     ///< of each pixel

    void set(const uint8_t* bytes, size_t count);
    /// Those of pixel x from the tile's first; in `scratch` where they lie in several pieces.
    std::span<const uint8_t> pixel(size_t x, std::vector<uint8_t>& scratch) const;
    /// Forgets all but the first and last `columns` pixels.
    void keepSides(size_t columns);
    size_t bytes() const;

   private:
    std::vector<std::unique_ptr<uint8_t[]>> pieces_;
    size_t inPieces_ = 0;
  };

  PixelRect rect;
  int samples = 1, aovFloats = 0;
  bool tags = false;  ///< events have MicroGrid::tag: SamplingSpec::tags
  std::vector<Row> rows;

  size_t eventFloats() const { return aovFloats > 0 ? static_cast<size_t>(kAov + aovFloats) : kThrough; }
  const Row& row(int y) const { return rows[static_cast<size_t>(y - rect.y0)]; }
  size_t bytes() const;
  /// Frees rows as SampleTile::drop() does; how many bytes.
  size_t drop(int band, int bandRows);
  /// Of the rows between, forgets all but the first and last `columns` pixels.
  void dropInside(int bandRows, int columns);
};

/// An output variable of a deep picture.
struct DeepVariable {
  int plane = 0, width = 1;  ///< in the output variables of the micropolygons
  bool composited = false;   ///< as Ci is; else a sample has the mean of the surfaces merged in it
  bool half = false;
};

/// What a deep picture holds, and how far merging may go.
struct DeepSpec {
  bool colour = true;            ///< R G B
  bool colouredOpacity = false;  ///< AR AG AB besides A
  bool matteHides = false;       ///< matte surfaces have opacity: what a light sees
  bool half = true;              ///< colours and opacities
  float gain = 1;                ///< of R G B
  /// Merged samples never differ from the true curve of what is seen through, or of accumulated colour, by more;
  float tolerance = 0.01f;
  /// besides, surfaces no further apart than this part of their depth are merged.
  float depthTolerance = 0.001f;
  bool tags = false;    ///< a sample is of one tag alone, and has it
  int wholePlane = -1;  ///< the same of the whole number (whole_number.h) in these output variables; -1: none
  std::vector<DeepVariable> variables;

  /// Floats of a deep sample: Z, ZBack, A, then AR AG AB, R G B and variables where there are any.
  int floats() const;
};

/// Merged samples of a rectangle of pixels, row by row; values of `half` channels are halves.
struct DeepPixels {
  PixelRect rect;
  size_t floats = 0;  ///< DeepSpec::floats()
  std::vector<uint32_t> counts;
  std::vector<float> values;     ///< `floats` a sample
  std::vector<uint32_t> tags;    ///< a sample, where they were asked for
  std::vector<uint32_t> wholes;  ///< a sample, where whole numbers were

  /// Rectangles of the same rows that lie side by side, as one.
  static DeepPixels joined(std::span<const DeepPixels* const> parts);
  size_t bytes() const;
};

/// True where a filter weighs anything negatively: no opacities can be made of such weights.
bool hasNegativeLobes(const Filter& filter);

/// Immutable, shared by all threads.
class DeepFilter {
 public:
  /// A filter with negative lobes is replaced by a box of one pixel.
  DeepFilter(const SamplingSpec& sampling, const Filter& filter, const DeepSpec& spec);
  int xReach() const { return filter_.xReach(); }
  int yReach() const { return filter_.yReach(); }
  /// As PixelFilter: the tile of a pixel, or null outside the sampled region. Pure: same bits for any tiling.
  DeepPixels operator()(const PixelRect& target, const std::function<const DeepTile*(int px, int py)>& tileAt) const;

 private:
  class Gatherer;  ///< known to hider/ only
  std::shared_ptr<const SampleWeights> weights_;
  Filter filter_;
  DeepSpec spec_;
};

}  // namespace reyes::hider
