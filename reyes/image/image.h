// SPDX-License-Identifier: Apache-2.0
// Pictures as plain data, and their way in and out of files. Errors are values: an empty string is success.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/matrix.h"

namespace reyes::image {

enum class PixelType { kHalf, kFloat, kUint8, kUint16, kUint32 };

struct Channel {
  std::string name;  ///< full EXR name: "R", "diffuse.R", "Z"
  PixelType type = PixelType::kHalf;
};

using Attribute = std::variant<int, float, std::string, Matrix4, Vec2, Vec3>;

/// Interleaved floats over dataWindow, with what its header says. Colours are premultiplied by their alpha, whatever
/// the file stores (PNG is converted on the way in and out).
struct Image {
  PixelRect dataWindow;     ///< pixels present
  PixelRect displayWindow;  ///< the full format
  std::vector<Channel> channels;
  std::vector<float> pixels;  ///< [(y * width + x) * channels + c], row y of dataWindow first
  float pixelAspect = 1;
  std::map<std::string, Attribute> attributes;  ///< EXR header names: worldToCamera, software, reyes/version, ...
  std::string compression = "zips";
  bool wholeBits = false;  ///< floats of kUint32 channels are the bits of numbers that a float cannot hold

  int width() const { return dataWindow.width(); }
  int height() const { return dataWindow.height(); }
  void allocate() { pixels.assign(static_cast<size_t>(width()) * height() * channels.size(), 0.0f); }
  float* pixel(int x, int y) {
    return &pixels[(static_cast<size_t>(y - dataWindow.y0) * width() + (x - dataWindow.x0)) * channels.size()];
  }
  const float* pixel(int x, int y) const { return const_cast<Image*>(this)->pixel(x, y); }
};

/// A file being written: bytes go to `PATH.HOST.PID.part` in the same folder and take the final name in commit().
/// Makes the last missing folder only. The destructor of an uncommitted file removes the temporary.
class SafeFile {
 public:
  /// open() must succeed before temporaryPath() is used; error text or empty.
  std::string open(const std::string& finalPath);
  const std::string& temporaryPath() const { return temporary_; }
  std::string commit();
  ~SafeFile();

 private:
  std::string final_, temporary_;
};
/// Why a file of this name could not be written now ("" where it could). Makes the last folder of its path.
std::string tryToWrite(const std::string& path);
/// Unlinks every temporary of this process. Async-signal-safe enough for a TERM handler.
void removeTemporaries();

/// Writes through SafeFile. `format`: "exr", "tiff", "png", or anything OpenImageIO knows; integer types hold values
/// already quantised to their range (0..255, 0..65535). Half values beyond range saturate, NaN becomes 0. A crop is
/// dataWindow inside displayWindow where the format can say so. Returns error text or "".
std::string writeImage(const std::string& path, const std::string& format, const Image& image, int threads);

/// Gives row y of the data window as interleaved floats.
using RowSource = std::function<void(int y, float* row)>;
/// As writeImage, for pixels kept elsewhere: `header.pixels` is not used, rows are asked for once each, top down.
std::string writeRows(const std::string& path, const std::string& format, const Image& header, int threads,
                      const RowSource& rows);

/// As writeImage, for pixels kept as the file stores them: each channel of header.channels in its own type, a pixel
/// after the other, rows of the data window top down.
std::string writeStored(const std::string& path, const std::string& format, const Image& header, int threads,
                        const std::byte* pixels);
/// Bytes of a stored value; of a stored pixel.
size_t bytesOf(PixelType type);
size_t pixelBytes(const std::vector<Channel>& channels);

/// "none" "rle" "zip" "zips" "piz" "pxr24" "b44" "b44a" "dwaa" "dwab": what an EXR can be compressed with.
bool isExrCompression(const std::string& name);
/// OpenImageIO's name of a format or file extension it can write ("jpg" -> "jpeg", "tif" -> "tiff"); "exr" for EXR;
/// empty for what cannot be written.
std::string writableFormat(const std::string& nameOrExtension);

/// Reads EXR with OpenEXR and any other file that OpenImageIO reads, as stored numbers (integers keep their range, no
/// colour conversion). Channels are R G B A Z, then others, a layer at a time. Attributes have their EXR names. Error
/// text or "".
std::string readImage(const std::string& path, Image& out);
/// The same; of an EXR with `wholeBits`, which writeImage() to EXR gives back as they were.
std::string readExact(const std::string& path, Image& out);

/// The channel of depths ("Z", "z", "layer.Z"), or the only one; -1 without.
int depthChannel(const Image& picture);

/// World to the -1..1 screen (y up) that RenderMan's tools expect, from EXR's worldToNDC (0..1, y down); and back.
Matrix4 screenFromNdc(const Matrix4& worldToNdc);
Matrix4 ndcFromScreen(const Matrix4& worldToScreen);

}  // namespace reyes::image
