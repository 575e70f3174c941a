// SPDX-License-Identifier: Apache-2.0
#include "reyes/rib/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <exception>

namespace reyes::rib {
namespace {
constexpr size_t kBufferBytes = 64 * 1024;
}

struct ByteSource::Inflater {
  z_stream stream{};
  bool ready = false;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  /// Starts a new member. False where there is no memory for it.
  bool start() {
    if (ready) return inflateReset(&stream) == Z_OK;
    ready = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;  // 16: gzip header and checksum
    return ready;
  }
};

ByteSource::ByteSource(std::istream& in, Name file, Diagnostics& diag)
    : in_(in), file_(file), diag_(diag), buffer_(kBufferBytes) {}
ByteSource::~ByteSource() = default;

/// Appends raw bytes, as many as the stream has at hand, waiting for one at least. False at its end.
bool ByteSource::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) return true;
  const size_t got = readRaw(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  ended_ = got == 0;
  return got > 0;
}

/// What the stream has at hand, one byte at least; 0 at its end and where it cannot be read.
size_t ByteSource::readRaw(char* to, size_t size) {
  std::streambuf* raw = in_.rdbuf();
  if (!raw) return 0;
  using Traits = std::char_traits<char>;
  // A stream buffer throws where the file system fails.
  try {
    if (Traits::eq_int_type(raw->sgetc(), Traits::eof())) return 0;
    const auto wanted = std::clamp<std::streamsize>(raw->in_avail(), 1, static_cast<std::streamsize>(size));
    return static_cast<size_t>(std::max<std::streamsize>(0, raw->sgetn(to, wanted)));
  } catch (const std::exception&) {
    fail("rib-read-error", "the file could not be read to its end", Impact::kEnvironment);
    return 0;
  }
}

void ByteSource::detect() {
  while (end_ - begin_ < 2 && fill()) {
  }
  const char* p = buffer_.data() + begin_;
  const bool gzip =
      end_ - begin_ >= 2 && static_cast<unsigned char>(p[0]) == 0x1f && static_cast<unsigned char>(p[1]) == 0x8b;
  mode_ = gzip ? Mode::kGzip : Mode::kPlain;
  if (!gzip) return;
  if (!inflater_) inflater_ = std::make_unique<Inflater>();
  if (!inflater_->start()) fail("rib-gzip-corrupt", "no memory to decompress the file");
}

bool ByteSource::restartAt(std::span<const char> bytes) {
  if (failed_ || (mode_ != Mode::kPlain && mode_ != Mode::kEnd)) return false;
  const size_t kept = end_ - begin_;
  std::vector<char> joined(std::max(kBufferBytes, bytes.size() + kept));
  std::copy(bytes.begin(), bytes.end(), joined.begin());
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), kept,
              joined.begin() + static_cast<std::ptrdiff_t>(bytes.size()));
  buffer_ = std::move(joined);
  begin_ = 0;
  end_ = bytes.size() + kept;
  mode_ = Mode::kDetect;
  return true;
}

void ByteSource::fail(const char* code, const char* text, Impact impact) {
  if (!failed_) diag_.error(code, {file_, 0, 0}, text, impact);
  failed_ = true;
  mode_ = Mode::kEnd;
}

size_t ByteSource::inflateSome(char* to, size_t size) {
  z_stream& z = inflater_->stream;
  z.next_out = reinterpret_cast<Bytef*>(to);
  z.avail_out = static_cast<uInt>(size);
  while (z.avail_out == size) {
    if (begin_ == end_ && !fill()) {
      fail("rib-gzip-truncated", "the gzip data ends in the middle: the file is truncated");
      break;
    }
    z.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
    z.avail_in = static_cast<uInt>(end_ - begin_);
    const int result = inflate(&z, Z_NO_FLUSH);
    begin_ = end_ - z.avail_in;
    if (result == Z_STREAM_END) {
      mode_ = Mode::kDetect;
      break;
    }
    if (result != Z_OK && result != Z_BUF_ERROR) {
      fail("rib-gzip-corrupt", "the gzip data is damaged");
      break;
    }
  }
  return size - z.avail_out;
}

size_t ByteSource::read(char* to, size_t size) {
  for (;;) {
    if (mode_ == Mode::kDetect) detect();
    if (mode_ == Mode::kEnd) return 0;
    if (mode_ == Mode::kGzip) {
      if (const size_t n = inflateSome(to, size)) return n;
      continue;
    }
    if (begin_ == end_ && !fill()) {
      mode_ = Mode::kEnd;
      return 0;
    }
    const size_t n = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.data() + begin_, n);
    begin_ += n;
    return n;
  }
}

}  // namespace reyes::rib
