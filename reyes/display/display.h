// SPDX-License-Identifier: Apache-2.0
// Where finished pixels go. A Display takes float tiles in any order, quantises and writes its file at the end.
// Called by render/; made by makeDisplay() from what a scene asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/image/image.h"

namespace reyes::display {

struct QuantizeSpec {
  bool floating = true;
  int one = 255, min = 0, max = 255;
  float dither = 0.5f;
};

/// One image channel and how it becomes a stored value.
struct ChannelSpec {
  std::string name;    ///< R G B A Z, layer.R ...
  bool colour = true;  ///< gain and gamma apply (never to z, ids, P, N)
  image::PixelType type = image::PixelType::kHalf;
  /// Pixels have the bits of a whole number of 32 bits: kUint32 keeps it, other types its value, with a sign.
  bool whole = false;
  // What is not given is the display's.
  std::optional<QuantizeSpec> quantize = {};
  std::optional<float> gain = {}, gamma = {};
};

struct DisplayRequest {
  std::string name, type;  ///< resolved file name; RI display type
  std::vector<ChannelSpec> channels;
  QuantizeSpec quantize;
  float gain = 1, gamma = 1;  ///< v' = (v * gain)^(1/gamma), before quantising
  bool srgb = false;          ///< the curve of sRGB after that, for pictures that are only looked at
  PixelRect dataWindow, displayWindow;
  float pixelAspect = 1;
  std::string compression = "zips";
  std::map<std::string, image::Attribute> attributes;  ///< header
  SourceLoc loc;
  int threads = 1;
};

/// Deep samples of a rectangle: how many a pixel has, row by row, and planes of channels as requested, in their types.
struct DeepBlock {
  PixelRect rect;
  std::vector<uint32_t> counts;
  std::vector<std::vector<std::byte>> planes;
};

class Display {
 public:
  virtual ~Display() = default;
  /// Interleaved floats, channels as requested, of `rect`. Thread-safe; a pixel is given once.
  virtual void tile(const PixelRect& rect, std::span<const float> pixels) = 0;
  /// The same for deep displays, which take these instead.
  virtual void deepTile(DeepBlock /*block*/) {}
  /// Bytes of what was given and waits to be written, where that is much.
  virtual int64_t heldBytes() const { return 0; }
  /// Adds header attributes known at the end only (statistics, status).
  virtual void setAttribute(const std::string& name, image::Attribute value) = 0;
  /// Writes and closes: error text or "". `wrote()` then names the file ("" where none).
  virtual std::string finish() = 0;
  virtual std::string wrote() const = 0;
  /// After finish(): which whole numbers did not fit their channel, as text; "" where all did.
  virtual std::string lost() const { return ""; }
  /// What is known before the first tile to make writing impossible (no such folder, not allowed, no memory for the
  /// pixels): its text and what it means. kNone where nothing is.
  virtual Impact problem(std::string& /*text*/) const { return Impact::kNone; }
};

/// The file format ("exr" "tiff" "png" "zfile" "shadow" "deepexr" "deepshad" "null" ...) that an RI display type means
/// with this name; empty for an unknown type, so that the caller can say so and use "exr".
/// "file" goes by the name's extension, else TIFF. Viewers (framebuffer it piqsl animal ...) count as files: by the
/// name's extension, else EXR with ".exr" added to the name.
std::string formatOf(const std::string& displayType, const std::string& fileName);
/// Displays, of this and of other renderers, that open a window: their picture takes any format that its name asks for.
bool isViewer(const std::string& displayType);
/// True for types that hold depth for later passes (zfile shadow deepshad): never overridden by flags.
bool isPassType(const std::string& displayType);

/// Never null; an unknown type becomes EXR, an unknown compression ZIPS with a warning. Deep displays, whose files have
/// few compressions, have a problem() with others.
/// EXR, zfile and shadow hold floats whatever `quantize` says (depth always 32 bits); PNG, JPEG and other formats of
/// integers alone take 8 bits where `quantize.floating` is set; TIFF follows `quantize`. Gain and gamma apply to
/// channels marked `colour`, except alpha and depth by name. Header values that the caller leaves out are added:
/// capDate, software, framesPerSecond.
std::unique_ptr<Display> makeDisplay(const DisplayRequest& request, Diagnostics& diag);

/// Quantises one value: RI 3.2 section 4.1.2 with dither hashed from absolute pixel and channel.
float quantizeValue(float v, const QuantizeSpec& q, int x, int y, int channel);

}  // namespace reyes::display
