// SPDX-License-Identifier: Apache-2.0
// A display that files deep samples: blocks are kept as they come, in the file's own types, until all of a row are
// there; then the row is compressed, and blocks of which no row is left go. Made by makeDisplay() for render/.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "reyes/base/format.h"
#include "reyes/display/display_types.h"
#include "reyes/image/deep_builder.h"

namespace reyes::display {
namespace {

class DeepDisplay final : public Display {
 public:
  explicit DeepDisplay(const DisplayRequest& request) : path_(request.name) {
    header_.dataWindow = request.dataWindow;
    header_.displayWindow = request.displayWindow.empty() ? request.dataWindow : request.displayWindow;
    header_.pixelAspect = request.pixelAspect;
    header_.compression = request.compression;
    header_.attributes = request.attributes;
    header_.tidy = true;
    for (const ChannelSpec& c : request.channels) header_.channels.push_back({c.name, c.type});
    rows_.resize(static_cast<size_t>(std::max(header_.height(), 0)));
    cannotWrite_ = image::tryToWrite(path_);
    builder_ = std::make_unique<image::DeepBuilder>(header_);
  }

  Impact problem(std::string& text) const override {
    if (!image::isDeepCompression(header_.compression)) {
      text = format("{}: a deep EXR cannot be compressed with \"{}\" (none, rle and zips can be)", path_,
                    header_.compression);
      return Impact::kInput;
    }
    text = cannotWrite_;
    return text.empty() ? Impact::kNone : Impact::kEnvironment;
  }

  void tile(const PixelRect&, std::span<const float>) override {}
  void deepTile(DeepBlock block) override;
  int64_t heldBytes() const override {
    return waitingBytes_.load(std::memory_order_relaxed) + static_cast<int64_t>(builder_ ? builder_->bytes() : 0);
  }
  void setAttribute(const std::string& name, image::Attribute value) override {
    const std::lock_guard lock(mutex_);
    header_.attributes[name] = std::move(value);
  }
  std::string finish() override;
  std::string wrote() const override { return wrote_; }

 private:
  /// A block, which of its samples are the first of its rows, and how many rows are not compressed yet.
  struct Kept {
    DeepBlock block;
    std::vector<size_t> rowStarts;
    int rowsLeft = 0;
    int64_t bytes = 0;
  };
  /// Blocks of a row, and how many of its pixels they have.
  struct Row {
    std::vector<std::shared_ptr<Kept>> blocks;
    int pixels = 0;
  };
  /// True where a row is whole now.
  bool keep(DeepBlock block);
  /// Compresses `count` rows from the next one on, without the lock: nobody else touches rows that are whole.
  void compress(int count);
  void row(int y, image::DeepRow& out);
  Row& rowAt(int y) { return rows_[static_cast<size_t>(y - header_.dataWindow.y0)]; }

  std::string path_, wrote_, cannotWrite_;
  image::DeepImage header_;
  std::vector<Row> rows_;  ///< of the data window
  std::unique_ptr<image::DeepBuilder> builder_;
  int compressed_ = 0;  ///< rows
  bool busy_ = false;   ///< some thread compresses
  bool finished_ = false;
  std::atomic<int64_t> waitingBytes_{0};
  std::mutex mutex_;
};

bool DeepDisplay::keep(DeepBlock block) {
  // What comes late for a file that is written already is dropped.
  if (finished_) return false;
  auto kept = std::make_shared<Kept>();
  Kept& k = *kept;
  k.block = std::move(block);
  const PixelRect& r = k.block.rect;
  k.bytes = static_cast<int64_t>(k.block.counts.size() * sizeof(uint32_t));
  for (const std::vector<std::byte>& plane : k.block.planes) k.bytes += static_cast<int64_t>(plane.size());
  waitingBytes_ += k.bytes;
  bool whole = false;
  size_t sample = 0, pixel = 0;
  for (int y = r.y0; y < r.y1; ++y) {
    k.rowStarts.push_back(sample);
    for (int x = r.x0; x < r.x1; ++x) sample += k.block.counts[pixel++];
    if (y < header_.dataWindow.y0 || y >= header_.dataWindow.y1) continue;
    Row& row = rowAt(y);
    row.blocks.push_back(kept), row.pixels += r.width();
    ++k.rowsLeft;
    whole |= row.pixels >= header_.width();
  }
  k.rowStarts.push_back(sample);
  return whole;
}

/// Rows that are whole, and have whole ones alone above them, are compressed by one thread at a time. A thread that
/// finds another at it leaves its rows to that one.
void DeepDisplay::deepTile(DeepBlock block) {
  std::unique_lock lock(mutex_);
  if (!keep(std::move(block)) || busy_) return;
  busy_ = true;
  for (;;) {
    int end = compressed_;
    while (end < header_.height() && rows_[static_cast<size_t>(end)].pixels >= header_.width()) ++end;
    if (end == compressed_) break;
    const int count = end - compressed_;
    lock.unlock();
    compress(count);
    lock.lock();
    compressed_ = end;
  }
  busy_ = false;
}

void DeepDisplay::compress(int count) {
  builder_->rows(count, [this](int y, image::DeepRow& out) { row(y, out); });
}

void DeepDisplay::row(int y, image::DeepRow& out) {
  Row& from = rowAt(y);
  std::sort(from.blocks.begin(), from.blocks.end(),
            [](const auto& a, const auto& b) { return a->block.rect.x0 < b->block.rect.x0; });
  int x = header_.dataWindow.x0;
  for (const std::shared_ptr<Kept>& k : from.blocks) {
    const PixelRect& r = k->block.rect;
    // What no tile brought (a frame that was given up) is empty.
    out.counts.resize(out.counts.size() + static_cast<size_t>(std::max(r.x0 - x, 0)), 0);
    const size_t at = static_cast<size_t>(y - r.y0), width = static_cast<size_t>(r.width());
    const auto counts = k->block.counts.begin() + static_cast<ptrdiff_t>(at * width);
    out.counts.insert(out.counts.end(), counts, counts + static_cast<ptrdiff_t>(width));
    for (size_t c = 0; c < out.planes.size(); ++c) {
      const size_t bytes = image::bytesOf(header_.channels[c].type);
      const auto begin = k->block.planes[c].begin();
      out.planes[c].insert(out.planes[c].end(), begin + static_cast<ptrdiff_t>(k->rowStarts[at] * bytes),
                           begin + static_cast<ptrdiff_t>(k->rowStarts[at + 1] * bytes));
    }
    x = r.x1;
    if (--k->rowsLeft == 0) waitingBytes_ -= k->bytes;
  }
  out.counts.resize(static_cast<size_t>(header_.width()), 0);
  from.blocks.clear(), from.blocks.shrink_to_fit();
}

std::string DeepDisplay::finish() {
  if (finished_) return "";
  finished_ = true;
  addHeaderDefaults(header_.attributes);
  compress(header_.height() - compressed_);
  const std::string error = builder_->finish(path_, header_);
  if (error.empty()) wrote_ = path_;
  builder_.reset();
  rows_.clear();
  waitingBytes_ = 0;
  return error;
}

}  // namespace

std::unique_ptr<Display> makeDeepDisplay(const DisplayRequest& request) {
  return std::make_unique<DeepDisplay>(request);
}

}  // namespace reyes::display
