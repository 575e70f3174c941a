// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/deep_builder.h"

#include <OpenEXR/ImfDeepScanLineOutputFile.h>

#include <algorithm>
#include <atomic>

#include "reyes/base/format.h"
#include "reyes/image/deep_strip.h"
#include "reyes/image/exr_memory.h"
#include "reyes/image/image_io.h"

namespace reyes::image {

struct DeepBuilder::Impl : Attempts {
  DeepImage header;  ///< windows, channels and compression
  MemoryStream stream;
  std::unique_ptr<Imf::DeepScanLineOutputFile> file;
  std::unique_ptr<DeepStrip> strip;
  int next = 0;  ///< the row that comes next
  std::atomic<size_t> bytes{0};
};

DeepBuilder::DeepBuilder(const DeepImage& header) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.header = header;
  m.header.attributes.clear();
  m.next = header.dataWindow.y0;
  m.error = checkDeep(m.header);
  m.attempt([&] {
    m.file = std::make_unique<Imf::DeepScanLineOutputFile>(m.stream, deepHeader(m.header), 0);
    m.strip = std::make_unique<DeepStrip>(m.header);
  });
}

DeepBuilder::~DeepBuilder() = default;

void DeepBuilder::rows(int count, const DeepRowSource& source) {
  Impl& m = *impl_;
  const int end = std::min(m.next + count, m.header.dataWindow.y1);
  m.attempt([&] {
    while (m.next < end && m.error.empty()) {
      const int rows = m.strip->fill(m.next, end - m.next, source);
      if (rows < 0) {
        m.error = "a row has not the samples that its counts say";
        return;
      }
      m.file->setFrameBuffer(m.strip->frame(m.next));
      m.file->writePixels(rows);
      m.next += rows;
    }
  });
  m.bytes = m.stream.size();
}

size_t DeepBuilder::bytes() const { return impl_->bytes; }

std::string DeepBuilder::finish(const std::string& path, const DeepImage& header) {
  Impl& m = *impl_;
  const auto empty = [&](int, DeepRow& row) { row.counts.assign(static_cast<size_t>(m.header.width()), 0); };
  rows(m.header.height(), empty);
  SafeFile target;
  if (std::string error = target.open(path); !error.empty()) return error;
  std::string writing;
  m.attempt([&] {
    // The table of the file in memory is written as that file ends; the final header is that of an empty one.
    m.file.reset();
    MemoryStream last;
    { const Imf::DeepScanLineOutputFile none(last, deepHeader(header), 0); }
    writing = writeWithHeader(target.temporaryPath(), m.stream, last);
  });
  const std::string& error = m.error.empty() ? writing : m.error;
  return error.empty() ? target.commit() : format("{}: {}", path, error);
}

}  // namespace reyes::image
