// SPDX-License-Identifier: Apache-2.0
// The file's three parts (header, table of the places of its blocks, blocks) are made apart: blocks in memory behind a
// header of that time; at the end a new header, the table moved by the difference of their lengths, and the blocks.
#include "reyes/image/exr_builder.h"

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfOutputFile.h>

#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

/// A file in memory.
class MemoryStream final : public Imf::OStream {
 public:
  MemoryStream() : OStream("memory") {}
  void write(const char from[], int n) override {
    const auto size = static_cast<size_t>(n);
    if (bytes.size() < at_ + size) bytes.resize(at_ + size);
    std::memcpy(bytes.data() + at_, from, size);
    at_ += size;
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t position) override { at_ = static_cast<size_t>(position); }

  std::vector<char> bytes;

 private:
  size_t at_ = 0;
};

/// Bytes from the start of a file to the end of its header: magic and version, then attributes (name, type, size,
/// value) up to an empty name.
size_t headerSize(const std::vector<char>& file) {
  size_t at = 8;
  const auto skipName = [&] { at += std::strlen(&file[at]) + 1; };
  while (file[at] != 0) {
    skipName();
    skipName();
    uint32_t size = 0;
    for (int b = 0; b < 4; ++b) size |= static_cast<uint32_t>(static_cast<uint8_t>(file[at++])) << (8 * b);
    at += size;
  }
  return at + 1;
}

Imf::Header headerOf(const Image& image) {
  return makeHeader(image.dataWindow, image.displayWindow, image.pixelAspect, image.channels, image.compression,
                    image.attributes);
}

}  // namespace

struct ExrBuilder::Impl {
  std::string error;
  MemoryStream stream;
  std::unique_ptr<Imf::OutputFile> file;
  int rows = 0, height = 0;

  /// Runs `work` unless something has gone wrong before.
  template <class Work>
  void attempt(const Work& work) {
    if (!error.empty()) return;
    try {
      work();
    } catch (const std::exception& e) {
      error = e.what();
    }
  }
};

ExrBuilder::ExrBuilder(const Image& image, const std::byte* stored) : impl_(std::make_unique<Impl>()) {
  impl_->height = image.height();
  impl_->error = checkChannels(image.channels);
  if (!isExrCompression(image.compression)) impl_->error = format("EXR has no compression {}", image.compression);
  impl_->attempt([&] {
    impl_->file = std::make_unique<Imf::OutputFile>(impl_->stream, headerOf(image), 0);
    const size_t pixel = pixelBytes(image.channels), row = pixel * static_cast<size_t>(image.width());
    Imf::FrameBuffer frame;
    // OpenEXR only reads from it; its slices start at pixel (0, 0), wherever the window is.
    auto* base = const_cast<char*>(reinterpret_cast<const char*>(stored));
    base -= static_cast<ptrdiff_t>(pixel) * image.dataWindow.x0 + static_cast<ptrdiff_t>(row) * image.dataWindow.y0;
    for (const Channel& c : image.channels) {
      frame.insert(c.name, Imf::Slice(exrType(c.type), base, pixel, row));
      base += bytesOf(c.type);
    }
    impl_->file->setFrameBuffer(frame);
  });
}

ExrBuilder::~ExrBuilder() = default;

void ExrBuilder::rows(int count) {
  const int n = std::min(count, impl_->height - impl_->rows);
  if (n <= 0) return;
  impl_->rows += n;
  impl_->attempt([&] { impl_->file->writePixels(n); });
}

std::string ExrBuilder::finish(const std::string& path, const Image& header) {
  rows(impl_->height);
  SafeFile target;
  if (std::string error = target.open(path); !error.empty()) return error;
  std::string writing;
  impl_->attempt([&] {
    // 1. The table of the file in memory is written as that file ends; the final header is that of an empty one.
    impl_->file.reset();
    std::vector<char>& bytes = impl_->stream.bytes;
    MemoryStream empty;
    { const Imf::OutputFile last(empty, headerOf(header), 0); }
    const size_t before = headerSize(bytes), after = headerSize(empty.bytes);
    const size_t blocks = before + (empty.bytes.size() - after);
    // 2. Places of blocks, little-endian.
    for (size_t at = before; at < blocks; at += 8) {
      uint64_t place = 0;
      for (int b = 0; b < 8; ++b) place |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + b])) << (8 * b);
      place += after - before;
      for (int b = 0; b < 8; ++b) bytes[at + b] = static_cast<char>(place >> (8 * b));
    }
    // 3. The file.
    FileStream stream(target.temporaryPath());
    writing = stream.error();
    if (!writing.empty()) return;
    stream.write(empty.bytes.data(), static_cast<int>(after));
    constexpr size_t kPiece = size_t{1} << 24;
    for (size_t at = before; at < bytes.size(); at += kPiece)
      stream.write(&bytes[at], static_cast<int>(std::min(kPiece, bytes.size() - at)));
    writing = stream.close();
  });
  const std::string& error = impl_->error.empty() ? writing : impl_->error;
  if (!error.empty()) return format("{}: {}", path, error);
  return target.commit();
}

}  // namespace reyes::image
