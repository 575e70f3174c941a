// SPDX-License-Identifier: Apache-2.0
// What flat and deep EXR files share: header entries of the kinds that image::Attribute holds, names of compressions,
// the stream that files are written through. Private to image/: called by exr_*.cpp and deep_*.cpp.
#pragma once

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>

#include <cstdio>
#include <string>
#include <vector>

#include "reyes/image/image.h"

namespace reyes::image {

/// A stream that keeps the first error, because OpenEXR's closing writes swallow theirs.
class FileStream : public Imf::OStream {
 public:
  explicit FileStream(const std::string& path);
  ~FileStream() override { close(); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  void write(const char bytes[], int n) override;
  uint64_t tellp() override { return static_cast<uint64_t>(ftello(file_)); }
  void seekp(uint64_t position) override;
  /// Flushes and closes; the first error of the stream's life, or "".
  std::string close();
  const std::string& error() const { return error_; }

 private:
  void fail();
  std::FILE* file_;
  std::string error_;
};

/// Names and types that a file can hold; a text that says what it cannot.
std::string checkChannels(const std::vector<Channel>& channels);
Imf::PixelType exrType(PixelType type);
PixelType typeOfExr(Imf::PixelType type);
const char* compressionName(Imf::Compression compression);

/// A header of these windows, channels and attributes, with the types that OpenEXR's standard gives them. A
/// compression that has no such name is left as it is.
Imf::Header makeHeader(const PixelRect& data, const PixelRect& display, float pixelAspect,
                       const std::vector<Channel>& channels, const std::string& compression,
                       const std::map<std::string, Attribute>& attributes);
PixelRect rectOf(const Imath::Box2i& box);
void readAttributes(const Imf::Header& header, std::map<std::string, Attribute>& out);
/// What flat and deep pictures have alike: windows, compression, channels in their order, attributes. Error text or "".
template <class Picture>
std::string readHeader(const Imf::Header& header, Picture& out);
/// Files keep names in alphabetical order; pictures are R G B A Z, then others, a layer at a time.
void orderChannels(std::vector<Channel>& channels);

/// OpenEXR has one thread pool a process; it only ever grows.
void growThreadPool(int threads);

}  // namespace reyes::image
