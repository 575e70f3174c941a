// SPDX-License-Identifier: Apache-2.0
// Renders RIB text through the whole program's library and reads the picture back, for tests on pixels.
#pragma once

#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/isa.h"
#include "reyes/image/image.h"
#include "reyes/render/render_frame.h"

namespace reyes::test {

/// How to render; the picture must not depend on any of these but gridSize.
struct Setup {
  int threads = 2;
  int bucketWidth = 0, bucketHeight = 0;  ///< 0: as the scene or the default says
  int gridSize = 0;
  Isa isa = bestIsa();
  std::string options;  ///< more RIB text before WorldBegin
};

struct Picture {
  image::Image image;
  std::vector<Diagnostic> messages;
  render::RenderResult result;

  int channel(const std::string& name) const;
  /// Value of a pixel of the frame (0 outside the data window); of whole numbers the bits.
  float at(int x, int y, const std::string& name) const;
  /// Mean of a channel over the data window.
  double mean(const std::string& name) const;
  bool hasCode(const std::string& code) const;
};

/// Renders `rib` (options, world; without Display) to a float EXR of `mode` and reads it.
Picture picture(const std::string& rib, const Setup& setup = {}, const std::string& mode = "rgba");

/// Bits that differ: number of unequal floats, or -1 where the shapes differ.
int64_t differences(const image::Image& a, const image::Image& b);
/// As above, of the pixels both hold (a crop against the whole).
int64_t differencesWhereBoth(const image::Image& a, const image::Image& b);

}  // namespace reyes::test
