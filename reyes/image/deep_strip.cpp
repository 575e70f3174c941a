// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/deep_strip.h"

#include <OpenEXR/ImfDeepImageState.h>
#include <OpenEXR/ImfDeepImageStateAttribute.h>
#include <OpenEXR/ImfIDManifest.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include <numeric>

#include "reyes/base/format.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/id_manifest.h"

namespace reyes::image {
namespace {

constexpr size_t kStripBytes = size_t{32} << 20;  ///< of samples, from which a strip takes no further row

/// Ids in channels NAME.id, told as OpenEXR's idManifest, too: from the manifests of Cryptomatte.
void addIdManifest(Imf::Header& header, const DeepImage& image) {
  constexpr std::string_view kEnd = "manifest";
  Imf::IDManifest all;
  for (const auto& [key, value] : image.attributes) {
    const std::string* json = isIdManifest(key) ? std::get_if<std::string>(&value) : nullptr;
    const auto name = image.attributes.find(key.substr(0, key.size() - std::min(key.size(), kEnd.size())) + "name");
    if (!json || name == image.attributes.end() || !std::get_if<std::string>(&name->second)) continue;
    const std::string& layer = std::get<std::string>(name->second);
    std::map<uint32_t, std::string> names;
    if (image.channel(layer + ".id") < 0 || !readIdManifest(*json, names)) continue;
    Imf::IDManifest::ChannelGroupManifest group;
    group.setChannel(layer + ".id");
    group.setComponent(layer);
    group.setLifetime(Imf::IDManifest::LIFETIME_STABLE);
    // MurmurHash3_32 but for exponents of numbers that are none.
    group.setHashScheme(Imf::IDManifest::CUSTOMHASH);
    group.setEncodingScheme(Imf::IDManifest::ID_SCHEME);
    for (const auto& [id, text] : names) group.insert(id, text);
    all.add(group);
  }
  if (all.size() > 0) Imf::addIDManifest(header, Imf::CompressedIDManifest(all));
}

}  // namespace

bool DeepStrip::fits(const DeepRow& row) const {
  if (row.counts.size() != width_ || row.planes.size() != header_.channels.size()) return false;
  const size_t samples = std::accumulate(row.counts.begin(), row.counts.end(), size_t{0});
  for (size_t c = 0; c < row.planes.size(); ++c)
    if (row.planes[c].size() != samples * bytesOf(header_.channels[c].type)) return false;
  return true;
}

int DeepStrip::fill(int y, int most, const DeepRowSource& source) {
  rows_.clear(), counts_.clear();
  pointers_.assign(header_.channels.size(), {});
  size_t bytes = 0;
  for (int n = 0; n < most && bytes < kStripBytes; ++n) {
    DeepRow row;
    row.planes.resize(header_.channels.size());
    source(y + n, row);
    if (!fits(row)) return -1;
    for (const std::vector<std::byte>& plane : row.planes) bytes += plane.size();
    counts_.insert(counts_.end(), row.counts.begin(), row.counts.end());
    rows_.push_back(std::move(row));
  }
  for (size_t c = 0; c < pointers_.size(); ++c)
    for (DeepRow& row : rows_) {
      char* at = reinterpret_cast<char*>(row.planes[c].data());
      for (const uint32_t n : row.counts) {
        pointers_[c].push_back(at);
        at += n * bytesOf(header_.channels[c].type);
      }
    }
  return static_cast<int>(rows_.size());
}

Imf::DeepFrameBuffer DeepStrip::frame(int y0) {
  Imf::DeepFrameBuffer fb;
  const ptrdiff_t before = header_.dataWindow.x0 + static_cast<ptrdiff_t>(y0) * static_cast<ptrdiff_t>(width_);
  fb.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts_.data() - before), sizeof(uint32_t),
                                       sizeof(uint32_t) * width_));
  for (size_t c = 0; c < pointers_.size(); ++c) {
    const Channel& channel = header_.channels[c];
    fb.insert(channel.name, Imf::DeepSlice(exrType(channel.type), reinterpret_cast<char*>(pointers_[c].data() - before),
                                           sizeof(char*), sizeof(char*) * width_, bytesOf(channel.type)));
  }
  return fb;
}

Imf::Header deepHeader(const DeepImage& image) {
  Imf::Header header = makeHeader(image.dataWindow, image.displayWindow, image.pixelAspect, image.channels,
                                  image.compression, image.attributes);
  header.setType(Imf::DEEPSCANLINE);
  // Depths hardly shrink: more effort makes files two parts in a hundred smaller and takes a third of the time more.
  header.zipCompressionLevel() = 1;
  header.insert("deepImageState", Imf::DeepImageStateAttribute(image.tidy ? Imf::DIS_TIDY : Imf::DIS_MESSY));
  addIdManifest(header, image);
  return header;
}

std::string checkDeep(const DeepImage& header) {
  if (header.dataWindow.empty()) return "no pixels to write";
  if (header.channels.empty()) return "no channels to write";
  if (std::string error = checkChannels(header.channels); !error.empty()) return error;
  for (const Channel& c : header.channels)
    if (c.type != PixelType::kHalf && c.type != PixelType::kFloat && c.type != PixelType::kUint32)
      return format("channel {} has a type that EXR has not", c.name);
  if (!isDeepCompression(header.compression))
    return format("a deep EXR cannot be compressed with {} (none, rle and zips can be)", header.compression);
  return "";
}

}  // namespace reyes::image
