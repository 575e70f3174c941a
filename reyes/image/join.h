// SPDX-License-Identifier: Apache-2.0
// Joins crop tiles of one frame into the picture that one run would have written. Called by tools/merge.cpp.
#pragma once

#include <string>
#include <vector>

#include "reyes/image/deep.h"
#include "reyes/image/image.h"

namespace reyes::image {

/// Puts `tile` (read from `name`) into `whole`, which is empty for the first one. Refused with a text that names what
/// differs: other channels, types, windows, or any header attribute (scene, camera, instruction set ...) but the date
/// and the statistics. `covered` counts the tiles at each pixel of the display window; overlaps must agree to the bit.
class Joiner {
 public:
  /// Error text or "".
  std::string add(const std::string& name, Image tile);
  /// The picture over the rectangle that the tiles cover; an error where they leave a gap in it.
  std::string finish(Image& out);

 private:
  std::string joinManifests(Image& out) const;

  std::vector<Image> tiles_;
  std::vector<std::string> names_;
};

/// The same of deep tiles.
class DeepJoiner {
 public:
  std::string add(const std::string& name, DeepImage tile);
  std::string finish(DeepImage& out);

 private:
  std::string own(std::vector<int>& owner, const DeepImage& out) const;

  std::vector<DeepImage> tiles_;
  std::vector<std::string> names_;
};

}  // namespace reyes::image
