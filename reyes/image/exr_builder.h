// SPDX-License-Identifier: Apache-2.0
// A flat EXR that is compressed while its picture is being made, so that little is left to do at its end. What its
// header says may change until then. Used by display/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

class ExrBuilder {
 public:
  /// `stored` are the pixels, as writeStored() takes them; they are read as rows() says that they are there, and must
  /// live until finish(). Windows, channels and compression are those of `header`; its attributes do not matter yet.
  ExrBuilder(const Image& header, const std::byte* stored);
  ~ExrBuilder();
  ExrBuilder(const ExrBuilder&) = delete;
  ExrBuilder& operator=(const ExrBuilder&) = delete;

  /// The next `count` rows, top down, have their final pixels: they are compressed into memory, by the calling thread.
  void rows(int count);
  /// Compresses the rows that are left and writes the file through SafeFile, with the attributes of `header`. Error
  /// text or "".
  std::string finish(const std::string& path, const Image& header);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes::image
