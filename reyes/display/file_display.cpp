// SPDX-License-Identifier: Apache-2.0
// A display that files its picture: tiles are exposed, quantised and kept in the file's own types (two bytes for a
// half, one for a byte) until finish() writes them; rows of an EXR are compressed as they become whole. Made by
// makeDisplay() for render/.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>

#include "reyes/base/format.h"
#include "reyes/base/half.h"
#include "reyes/display/display.h"
#include "reyes/display/display_types.h"
#include "reyes/image/exr_builder.h"

namespace reyes::display {
namespace {

using image::PixelType;

using image::bytesOf;

/// Last part of a layered name: "A" of "diffuse.A".
std::string lastPart(const std::string& name) { return name.substr(name.rfind('.') + 1); }

void store(PixelType type, float v, std::byte* to) {
  const auto put = [to](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (type) {
    case PixelType::kHalf:
      put(toHalf(std::clamp(v, -65504.0f, 65504.0f)).bits);
      break;
    case PixelType::kFloat:
      put(v);
      break;
    case PixelType::kUint8:
      put(static_cast<uint8_t>(std::clamp(v, 0.0f, 255.0f)));
      break;
    case PixelType::kUint16:
      put(static_cast<uint16_t>(std::clamp(v, 0.0f, 65535.0f)));
      break;
    case PixelType::kUint32:
      put(static_cast<uint32_t>(std::clamp(static_cast<double>(v), 0.0, 4294967295.0)));
      break;
  }
}

std::string localTime(int& utcOffset) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  utcOffset = static_cast<int>(-local.tm_gmtoff);
  return format("{:04}:{:02}:{:02} {:02}:{:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                local.tm_hour, local.tm_min, local.tm_sec);
}

/// Type in which a format keeps a channel.
PixelType storedType(const std::string& fileFormat, const ChannelSpec& channel, const QuantizeSpec& quantize) {
  const bool small = channel.type == PixelType::kUint8 || channel.type == PixelType::kUint16;
  if (fileFormat == "exr") return small ? PixelType::kUint32 : channel.type;
  if (quantize.floating) return channel.whole ? PixelType::kFloat : channel.type;
  if (quantize.max <= 255) return PixelType::kUint8;
  return quantize.max <= 65535 ? PixelType::kUint16 : PixelType::kUint32;
}

class FileDisplay final : public Display {
 public:
  FileDisplay(const DisplayRequest& request, std::string fileFormat, std::string path)
      : request_(request), format_(std::move(fileFormat)), path_(std::move(path)) {
    header_.dataWindow = request.dataWindow;
    header_.displayWindow = request.displayWindow.empty() ? request.dataWindow : request.displayWindow;
    header_.pixelAspect = request.pixelAspect;
    header_.compression = request.compression;
    header_.attributes = request.attributes;
    chooseTypes();
    // Zeroed pages that no tile touches are never made by the system.
    const size_t bytes = pixelBytes_ * header_.width() * header_.height();
    data_.reset(static_cast<std::byte*>(std::calloc(std::max<size_t>(bytes, 1), 1)));
    cannotWrite_ = image::tryToWrite(path_);
    if (data_ && format_ == "exr" && !header_.dataWindow.empty() && pixelBytes_ > 0) rowsOfExr();
  }

  Impact problem(std::string& text) const override {
    text = data_ ? cannotWrite_ : noMemory();
    if (text.empty()) return Impact::kNone;
    return data_ ? Impact::kEnvironment : Impact::kMemory;
  }

  void tile(const PixelRect& rect, std::span<const float> pixels) override {
    const PixelRect in = intersect(rect, header_.dataWindow);
    const size_t n = request_.channels.size();
    if (!data_ || pixels.size() < n * rect.width() * rect.height()) return;
    for (int y = in.y0; y < in.y1; ++y) {
      const float* from = &pixels[(static_cast<size_t>(y - rect.y0) * rect.width() + (in.x0 - rect.x0)) * n];
      if (plainHalves_)
        storeHalves(static_cast<size_t>(in.width()) * n, from, at(in.x0, y));
      else
        for (int x = in.x0; x < in.x1; ++x, from += n) storePixel(x, y, from);
    }
    if (exr_) compressRows(in);
  }

  void setAttribute(const std::string& name, image::Attribute value) override {
    const std::lock_guard lock(mutex_);
    header_.attributes[name] = std::move(value);
  }

  std::string finish() override {
    if (finished_) return "";
    finished_ = true;
    if (!data_) return noMemory();
    addHeaderDefaults(header_.attributes);
    std::string error = exr_ ? exr_->finish(path_, header_)
                             : image::writeStored(path_, format_, header_, request_.threads, data_.get());
    exr_.reset();
    data_.reset();
    if (error.empty()) wrote_ = path_;
    return error;
  }

  std::string wrote() const override { return wrote_; }
  std::string lost() const override;

 private:
  /// How a channel's values become stored ones.
  struct Stored {
    QuantizeSpec quantize;
    bool exposed = false;
    float gain = 1, inverseGamma = 1;
    bool srgb = false;
    bool whole = false;
  };
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  std::string noMemory() const {
    return format("{}: no memory for {} x {} pixels", path_, header_.width(), header_.height());
  }

  void chooseTypes() {
    // Formats other than EXR have one type for all channels: where they ask for several, they get the display's.
    std::set<PixelType> types;
    for (const ChannelSpec& c : request_.channels) types.insert(storedType(format_, c, quantizeOf(c)));
    if (format_ != "exr" && types.size() > 1)
      for (ChannelSpec& c : request_.channels) c.quantize.reset();
    for (const ChannelSpec& c : request_.channels) {
      Stored s;
      s.quantize = quantizeOf(c);
      s.gain = c.gain.value_or(request_.gain);
      const float gamma = c.gamma.value_or(request_.gamma);
      s.inverseGamma = gamma > 0 ? 1 / gamma : 1;
      const std::string part = lastPart(c.name);
      s.srgb = request_.srgb, s.whole = c.whole;
      s.exposed = c.colour && part != "A" && part != "Z" && (s.gain != 1 || s.inverseGamma != 1 || s.srgb);
      PixelType type = storedType(format_, c, s.quantize);
      if (part == "Z" && s.quantize.floating) type = PixelType::kFloat;
      header_.channels.push_back({c.name, type});
      pixelBytes_ += bytesOf(type);
      stored_.push_back(s);
      plainHalves_ = plainHalves_ && type == PixelType::kHalf && s.quantize.floating && !s.exposed;
    }
  }

  QuantizeSpec quantizeOf(const ChannelSpec& c) const {
    const bool integersOnly = format_ != "exr" && format_ != "tiff" && format_ != "hdr" && format_ != "fits";
    QuantizeSpec q = c.quantize.value_or(request_.quantize);
    if (q.one == 0 || format_ == "exr") q.floating = true;
    if (q.floating && integersOnly) q = {false, 255, 0, 255, q.dither};
    // Numbers stay what they are unless the channel itself says otherwise.
    if (c.whole && !c.quantize) q.one = 1;
    if (c.whole) q.dither = 0;
    return q;
  }

  void rowsOfExr() {
    exr_ = std::make_unique<image::ExrBuilder>(header_, data_.get());
    missing_ = std::make_unique<std::atomic<int>[]>(static_cast<size_t>(header_.height()));
    for (int i = 0; i < header_.height(); ++i) missing_[static_cast<size_t>(i)] = header_.width();
  }

  /// After a tile is stored: rows that are whole now, and have whole ones alone above them, are compressed by one
  /// thread at a time. A thread that finds another at it leaves its rows to that one.
  void compressRows(const PixelRect& stored) {
    bool whole = false;
    for (int y = stored.y0; y < stored.y1; ++y)
      whole |= missing_[static_cast<size_t>(y - header_.dataWindow.y0)].fetch_sub(stored.width()) == stored.width();
    if (!whole || waiting_.fetch_add(1) > 0) return;
    for (int seen = 1; seen > 0; seen = waiting_.fetch_sub(seen) - seen) {
      seen = waiting_.load();
      int end = compressed_;
      while (end < header_.height() && missing_[static_cast<size_t>(end)] <= 0) ++end;
      if (end > compressed_) exr_->rows(end - compressed_);
      compressed_ = end;
    }
  }

  std::byte* at(int x, int y) const {
    const PixelRect& w = header_.dataWindow;
    return data_.get() + (static_cast<size_t>(y - w.y0) * header_.width() + (x - w.x0)) * pixelBytes_;
  }

  /// The most frequent kind of picture: as storePixel() does, without a look at each channel.
  static void storeHalves(size_t n, const float* from, std::byte* to) {
    for (size_t i = 0; i < n; ++i) {
      const Half h = toHalf(std::isnan(from[i]) ? 0.0f : from[i]);
      std::memcpy(to + i * sizeof h, &h, sizeof h);
    }
  }

  void storePixel(int x, int y, const float* from) {
    std::byte* to = at(x, y);
    for (size_t c = 0; c < stored_.size(); ++c) {
      const Stored& s = stored_[c];
      if (s.whole) {
        storeWhole(c, std::bit_cast<uint32_t>(from[c]), x, y, to);
        to += bytesOf(header_.channels[c].type);
        continue;
      }
      float v = std::isnan(from[c]) ? 0.0f : from[c];
      if (s.exposed) v = expose(v, s);
      if (!s.quantize.floating) v = quantizeValue(v, s.quantize, x, y, static_cast<int>(c));
      store(header_.channels[c].type, v, to);
      to += bytesOf(header_.channels[c].type);
    }
  }

  void storeWhole(size_t c, uint32_t number, int x, int y, std::byte* to) {
    const PixelType type = header_.channels[c].type;
    const QuantizeSpec& q = stored_[c].quantize;
    if (type == PixelType::kUint32 && q.floating) return static_cast<void>(std::memcpy(to, &number, sizeof number));
    const auto exact = static_cast<int32_t>(number);
    const float v = quantizeValue(static_cast<float>(exact), q, x, y, static_cast<int>(c));
    store(type, v, to);
    const bool kept = q.floating ? static_cast<int64_t>(v) == exact : q.one != 1 || static_cast<int64_t>(v) == exact;
    if (!kept) misfits_.store(true, std::memory_order_relaxed);
  }

  /// (v * gain)^(1/gamma), then the curve of sRGB; negative values keep their sign.
  static float expose(float v, const Stored& s) {
    float a = std::fabs(v * s.gain);
    if (s.inverseGamma != 1) a = std::pow(a, s.inverseGamma);
    if (s.srgb) a = a <= 0.0031308f ? 12.92f * a : 1.055f * std::pow(a, 1 / 2.4f) - 0.055f;
    return std::copysign(a, v);
  }

  DisplayRequest request_;
  std::string format_, path_, wrote_, cannotWrite_;
  image::Image header_;
  std::vector<Stored> stored_;
  bool finished_ = false;
  size_t pixelBytes_ = 0;
  bool plainHalves_ = true;  ///< every channel is half, and as it comes
  std::unique_ptr<std::byte[], Free> data_;
  std::unique_ptr<image::ExrBuilder> exr_;       ///< of EXR files
  std::unique_ptr<std::atomic<int>[]> missing_;  ///< of its rows: pixels that are not there yet
  std::atomic<bool> misfits_{false};             ///< whole numbers that their channel cannot hold
  std::atomic<int> waiting_{0};                  ///< threads that have made rows whole since the last look
  int compressed_ = 0;                           ///< rows; of the thread that compresses
  std::mutex mutex_;
};

std::string FileDisplay::lost() const {
  if (!misfits_) return "";
  return format(
      "{}: ids are there that its channel cannot hold, and were rounded or clamped: a float holds whole numbers up to "
      "16777216, all are held by an EXR's channel \"integer id\"",
      path_);
}

class NullDisplay final : public Display {
 public:
  void tile(const PixelRect&, std::span<const float>) override {}
  void setAttribute(const std::string&, image::Attribute) override {}
  std::string finish() override { return ""; }
  std::string wrote() const override { return ""; }
};

}  // namespace

void addHeaderDefaults(std::map<std::string, image::Attribute>& attributes) {
  int utcOffset = 0;
  const std::string now = localTime(utcOffset);
  if (attributes.emplace("capDate", now).second) attributes.emplace("utcOffset", static_cast<float>(utcOffset));
  attributes.emplace("software", std::string("Reyes"));
  attributes.emplace("framesPerSecond", std::string("24/1"));
}

std::unique_ptr<Display> makeDisplay(const DisplayRequest& request, Diagnostics& diag) {
  std::string fileFormat = formatOf(request.type, request.name);
  if (fileFormat == "null") return std::make_unique<NullDisplay>();
  if (fileFormat == "deepexr" || fileFormat == "deepshad") return makeDeepDisplay(request);
  DisplayRequest checked = request;
  if (fileFormat == "zfile" || fileFormat == "shadow") {
    // Depth for later passes: a float EXR whose header places it in the world.
    for (ChannelSpec& c : checked.channels) {
      if (c.name == "z") c.name = "Z";
      c.type = PixelType::kFloat;
      c.colour = false;
    }
    checked.attributes.emplace("reyes/mapType", fileFormat);
  }
  if (fileFormat.empty() || fileFormat == "zfile" || fileFormat == "shadow") fileFormat = "exr";
  if (fileFormat == "exr" && !image::isExrCompression(checked.compression)) {
    diag.warning("display-compression", request.loc,
                 format("{}: EXR has no compression \"{}\", zips is used", request.name, checked.compression));
    checked.compression = "zips";
  }
  return std::make_unique<FileDisplay>(checked, fileFormat, fileNameFor(request.type, request.name));
}

}  // namespace reyes::display
