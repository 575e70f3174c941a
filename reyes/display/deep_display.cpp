// SPDX-License-Identifier: Apache-2.0
// A display that files deep samples: blocks are kept as they come, in the file's own types, until finish() writes them
// row by row. Made by makeDisplay() for render/.
#include <algorithm>
#include <mutex>

#include "reyes/base/format.h"
#include "reyes/display/display_types.h"
#include "reyes/image/deep.h"

namespace reyes::display {
namespace {

class DeepDisplay final : public Display {
 public:
  explicit DeepDisplay(const DisplayRequest& request) : path_(request.name), threads_(request.threads) {
    header_.dataWindow = request.dataWindow;
    header_.displayWindow = request.displayWindow.empty() ? request.dataWindow : request.displayWindow;
    header_.pixelAspect = request.pixelAspect;
    header_.compression = request.compression;
    header_.attributes = request.attributes;
    header_.tidy = true;
    for (const ChannelSpec& c : request.channels) header_.channels.push_back({c.name, c.type});
    cannotWrite_ = image::tryToWrite(path_);
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
  void deepTile(DeepBlock block) override {
    const std::lock_guard lock(mutex_);
    blocks_.push_back({std::move(block), {}});
  }
  void setAttribute(const std::string& name, image::Attribute value) override {
    const std::lock_guard lock(mutex_);
    header_.attributes[name] = std::move(value);
  }
  std::string finish() override;
  std::string wrote() const override { return wrote_; }

 private:
  /// A block, and which of its samples are the first of its rows.
  struct Kept {
    DeepBlock block;
    std::vector<size_t> rowStarts;
  };
  void indexRows();
  void row(int y, image::DeepRow& out) const;

  std::string path_, wrote_, cannotWrite_;
  int threads_;
  image::DeepImage header_;
  std::vector<Kept> blocks_;
  std::vector<std::vector<const Kept*>> rows_;  ///< of the data window: blocks from left to right
  bool finished_ = false;
  std::mutex mutex_;
};

void DeepDisplay::indexRows() {
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Kept& a, const Kept& b) { return a.block.rect.x0 < b.block.rect.x0; });
  rows_.assign(static_cast<size_t>(header_.height()), {});
  for (Kept& k : blocks_) {
    const PixelRect& r = k.block.rect;
    size_t sample = 0, pixel = 0;
    for (int y = r.y0; y < r.y1; ++y) {
      k.rowStarts.push_back(sample);
      for (int x = r.x0; x < r.x1; ++x) sample += k.block.counts[pixel++];
      if (y >= header_.dataWindow.y0 && y < header_.dataWindow.y1)
        rows_[static_cast<size_t>(y - header_.dataWindow.y0)].push_back(&k);
    }
    k.rowStarts.push_back(sample);
  }
}

void DeepDisplay::row(int y, image::DeepRow& out) const {
  int x = header_.dataWindow.x0;
  for (const Kept* k : rows_[static_cast<size_t>(y - header_.dataWindow.y0)]) {
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
  }
  out.counts.resize(static_cast<size_t>(header_.width()), 0);
}

std::string DeepDisplay::finish() {
  if (finished_) return "";
  finished_ = true;
  addHeaderDefaults(header_.attributes);
  indexRows();
  const std::string error =
      image::writeDeepRows(path_, header_, threads_, [this](int y, image::DeepRow& out) { row(y, out); });
  if (error.empty()) wrote_ = path_;
  blocks_.clear(), rows_.clear();
  return error;
}

}  // namespace

std::unique_ptr<Display> makeDeepDisplay(const DisplayRequest& request) {
  return std::make_unique<DeepDisplay>(request);
}

}  // namespace reyes::display
