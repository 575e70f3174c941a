// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/exr_builder.h"

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfOutputFile.h>

#include "reyes/base/format.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/exr_memory.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

Imf::Header headerOf(const Image& image) {
  return makeHeader(image.dataWindow, image.displayWindow, image.pixelAspect, image.channels, image.compression,
                    image.attributes);
}

}  // namespace

struct ExrBuilder::Impl : Attempts {
  MemoryStream stream;
  std::unique_ptr<Imf::OutputFile> file;
  int rows = 0, height = 0;
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
    MemoryStream empty;
    { const Imf::OutputFile last(empty, headerOf(header), 0); }
    writing = writeWithHeader(target.temporaryPath(), impl_->stream, empty);
  });
  const std::string& error = impl_->error.empty() ? writing : impl_->error;
  if (!error.empty()) return format("{}: {}", path, error);
  return target.commit();
}

}  // namespace reyes::image
