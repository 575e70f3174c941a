// SPDX-License-Identifier: Apache-2.0
// Makes textures and environments from pictures: the RIB requests MakeTexture, MakeLatLongEnvironment and
// MakeCubeFaceEnvironment, and `reyes maketx`. Files are tiled, mip-mapped TIFF (EXR where the name ends in .exr).
#pragma once

#include <array>
#include <string>

namespace reyes::texture {

struct MapOptions {
  std::string sWrap = "black", tWrap = "black";  ///< black periodic clamp
  std::string filter = "box";                    ///< for making smaller levels
  std::string fromColorSpace, toColorSpace;      ///< both empty: numbers as stored
  int threads = 1;
};

/// Error text or "".
std::string makeTexture(const std::string& picture, const std::string& texture, const MapOptions& options);
/// A picture whose top row is +z and whose middle column is +x; wraps are set by itself.
std::string makeLatLong(const std::string& picture, const std::string& texture, const MapOptions& options);
/// Faces in the order px nx py ny pz nz, each `fov` degrees wide, taken with the cameras of RI 3.2 (+z: no rotation).
/// The six become one latitude-longitude map four faces wide, so that environment() serves both kinds.
std::string makeCubeFace(const std::array<std::string, 6>& faces, const std::string& texture, float fov,
                         const MapOptions& options);

}  // namespace reyes::texture
