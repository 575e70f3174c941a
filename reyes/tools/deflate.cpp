// SPDX-License-Identifier: Apache-2.0
// zlib's compress2() and uncompress() of the program, and of the libraries that it loads, by libdeflate: OpenEXR calls
// them for each block of rows of a "zips" or "zip" picture, and they take two to four times as long in zlib. The bytes
// that they make are any zlib's to read. See docs/decisions/0030-rows-are-deflated-by-libdeflate.md.
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// libdeflate wants a few bytes more room than it fills, and zlib's callers give what zlib needs.
size_t compressApart(libdeflate_compressor* compressor, Bytef* to, size_t room, const Bytef* from, size_t size) {
  std::vector<Bytef> larger(libdeflate_zlib_compress_bound(compressor, size));
  const size_t written = libdeflate_zlib_compress(compressor, from, size, larger.data(), larger.size());
  if (written == 0 || written > room) return 0;
  std::copy_n(larger.data(), written, to);
  return written;
}

}  // namespace

extern "C" {

/// As zlib.h tells: `*size` is the room at `to`, then what was written. The same bytes on every processor.
ZEXTERN int ZEXPORT compress2(Bytef* to, uLongf* size, const Bytef* from, uLong fromSize, int level) {
  constexpr int kUsual = 6, kMost = 9;
  if (level > kMost || level < Z_DEFAULT_COMPRESSION) return Z_STREAM_ERROR;
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(level == Z_DEFAULT_COMPRESSION ? kUsual : level));
  if (!compressor) return Z_MEM_ERROR;
  size_t written = libdeflate_zlib_compress(compressor.get(), from, fromSize, to, *size);
  if (written == 0) written = compressApart(compressor.get(), to, *size, from, fromSize);
  if (written == 0) return Z_BUF_ERROR;
  *size = written;
  return Z_OK;
}

ZEXTERN int ZEXPORT compress(Bytef* to, uLongf* size, const Bytef* from, uLong fromSize) {
  return compress2(to, size, from, fromSize, Z_DEFAULT_COMPRESSION);
}

ZEXTERN int ZEXPORT uncompress(Bytef* to, uLongf* size, const Bytef* from, uLong fromSize) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) return Z_MEM_ERROR;
  size_t written = 0;
  switch (libdeflate_zlib_decompress(decompressor.get(), from, fromSize, to, *size, &written)) {
    case LIBDEFLATE_SUCCESS:
      *size = written;
      return Z_OK;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return Z_BUF_ERROR;
    default:
      return Z_DATA_ERROR;
  }
}

}  // extern "C"
