// SPDX-License-Identifier: Apache-2.0
// A deep EXR that is compressed while its picture is being made, as ExrBuilder does flat ones: of rows that are handed
// over nothing but compressed bytes stays. Used by display/.
#pragma once

#include <memory>
#include <string>

#include "reyes/image/deep.h"

namespace reyes::image {

class DeepBuilder {
 public:
  /// Windows, channels and compression are those of `header`; its attributes do not matter yet.
  explicit DeepBuilder(const DeepImage& header);
  ~DeepBuilder();
  DeepBuilder(const DeepBuilder&) = delete;
  DeepBuilder& operator=(const DeepBuilder&) = delete;

  /// Compresses the next `count` rows, top down, by the calling thread.
  void rows(int count, const DeepRowSource& source);
  /// Bytes of what is compressed.
  size_t bytes() const;
  /// Writes the file through SafeFile, with the attributes of `header`; rows that never came have no samples. Error
  /// text or "".
  std::string finish(const std::string& path, const DeepImage& header);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes::image
