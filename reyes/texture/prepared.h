// SPDX-License-Identifier: Apache-2.0
// Pictures that nobody made into maps: a tiled, mip-mapped copy in the cache folder, known by the picture's content, so
// that it is made once for all runs and machines that share the folder. Called by TextureSystem for every file that
// the sampler cannot read as it is. Thread-safe; safe among processes.
#pragma once

#include <mutex>
#include <string>

namespace reyes::texture {

struct PreparedCopy {
  std::string path;     ///< of the map; empty where it could not be made
  std::string error;    ///< why
  bool made = false;    ///< now, and not found
  bool lasting = true;  ///< false: in a folder that goes with the run
};

class PreparedMaps {
 public:
  PreparedMaps() = default;
  /// Removes the temporary folder.
  ~PreparedMaps();
  PreparedMaps(const PreparedMaps&) = delete;
  PreparedMaps& operator=(const PreparedMaps&) = delete;

  /// Finds or makes the map of `picture`. `again`: what is there is no good. Its name is a hash of 128 bits over the
  /// picture's bytes and their number; neither the picture's name nor its time counts.
  PreparedCopy find(const std::string& picture, const std::string& cacheFolder, int threads, bool again);

 private:
  std::string make(const std::string& picture, const std::string& folder, const std::string& name, int threads,
                   bool again, PreparedCopy& copy);

  std::mutex mutex_;
  std::string temporary_;
};

}  // namespace reyes::texture
