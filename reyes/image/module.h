// SPDX-License-Identifier: Apache-2.0
// What needs OpenImageIO lives in a module of its own (oiio/), loaded by the first picture that is not an EXR: the
// library brings some 250 others, 0.15 s and 130 MB, which most frames do without (docs/decisions/0014-*).
// Called by image/ and texture/; the module is never unloaded.
#pragma once

#include <memory>
#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

/// Address of a function that the module exports, null with the reason in `error` where there is no module.
/// Thread-safe.
void* moduleSymbol(const char* name, std::string& error);

/// Files of every format but EXR.
class PictureFiles {
 public:
  virtual ~PictureFiles() = default;
  /// Writes to `path` itself (the temporary); error text or "".
  virtual std::string write(const std::string& path, const std::string& format, const Image& header,
                            const RowSource& rows) = 0;
  virtual std::string read(const std::string& path, Image& out) = 0;
  /// OpenImageIO's name of a format or extension (lower case, without a dot) that can be written, else empty.
  virtual std::string writableFormat(const std::string& name) = 0;
};
/// Exported by the module.
constexpr const char* kPictureFilesSymbol = "reyesPictureFiles";
using PictureFilesFunction = PictureFiles* (*)();

}  // namespace reyes::image
