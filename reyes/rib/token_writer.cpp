// SPDX-License-Identifier: Apache-2.0
#include "reyes/rib/token_writer.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

namespace reyes::rib {
namespace {
constexpr size_t kFlushBytes = 64 * 1024;
constexpr size_t kLineBytes = 110;     ///< arrays go on in a new line from here
constexpr size_t kMaxDefined = 65536;  ///< codes of defined strings
constexpr size_t kMaxDefinedBytes = 64;
}  // namespace

struct TokenWriter::Deflater {
  z_stream stream{};
  std::vector<char> out = std::vector<char>(kFlushBytes);
  bool ready = false;
  Deflater() { ready = deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK; }
  ~Deflater() {
    if (ready) deflateEnd(&stream);
  }
};

TokenWriter::TokenWriter(std::ostream& out, const WriterOptions& options) : out_(out), options_(options) {
  if (options.gzip) deflater_ = std::make_unique<Deflater>();
}

TokenWriter::~TokenWriter() { flush(true); }

void TokenWriter::flush(bool end) {
  if (!deflater_) {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  } else if (deflater_->ready) {
    z_stream& z = deflater_->stream;
    z.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    z.avail_in = static_cast<uInt>(buffer_.size());
    do {
      z.next_out = reinterpret_cast<Bytef*>(deflater_->out.data());
      z.avail_out = static_cast<uInt>(deflater_->out.size());
      deflate(&z, end ? Z_FINISH : Z_NO_FLUSH);
      out_.write(deflater_->out.data(), static_cast<std::streamsize>(deflater_->out.size() - z.avail_out));
    } while (z.avail_out == 0);
  } else {
    out_.setstate(std::ios::badbit);
  }
  buffer_.clear();
  lineStart_ = 0;
}

/// A blank before a token, or a new line where the line is long.
void TokenWriter::separate() {
  if (buffer_.size() > kFlushBytes) flush(false);
  if (!ascii()) return;
  if (!spaced_) {
    const bool full = buffer_.size() - lineStart_ > kLineBytes;
    buffer_ += full ? '\n' : ' ';
    if (full) lineStart_ = buffer_.size();
  }
  spaced_ = false;
}

void TokenWriter::open() {
  separate();
  buffer_ += '[';
  spaced_ = true;
}

void TokenWriter::close() {
  buffer_ += ']';
  spaced_ = false;
}

void TokenWriter::beginRequest(const std::string& name, int indent) {
  if (buffer_.size() > kFlushBytes) flush(false);
  lineStart_ = buffer_.size();
  spaced_ = false;
  if (ascii()) {
    buffer_.append(static_cast<size_t>(std::max(0, indent)), ' ');
    buffer_ += name;
    return;
  }
  const auto [it, fresh] = requestCodes_.try_emplace(name, static_cast<int>(requestCodes_.size()));
  if (it->second > 255) {
    buffer_ += name + ' ';
    return;
  }
  if (fresh) {
    buffer_ += '\xcc';
    buffer_ += static_cast<char>(it->second);
    binaryString(name);
  }
  buffer_ += '\xa6';
  buffer_ += static_cast<char>(it->second);
}

void TokenWriter::endRequest() {
  if (ascii()) buffer_ += '\n';
}

void TokenWriter::comment(const char* mark, const std::string& text) {
  buffer_ += mark + text + '\n';
  if (buffer_.size() > kFlushBytes) flush(false);
}

void TokenWriter::breakLine(int indent) {
  if (!ascii()) return;
  buffer_ += '\n';
  lineStart_ = buffer_.size();
  buffer_.append(static_cast<size_t>(std::max(0, indent)), ' ');
  spaced_ = true;
}

void TokenWriter::bigEndian(uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) buffer_ += static_cast<char>(value >> (8 * i) & 0xff);
}

void TokenWriter::asciiFloat(float value, bool point) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  buffer_.append(text, result.ptr);
  if (point && std::all_of(text, result.ptr, [](char c) { return c == '-' || (c >= '0' && c <= '9'); }))
    buffer_ += ".0";
}

void TokenWriter::number(float value) {
  separate();
  if (ascii()) return asciiFloat(value, false);
  buffer_ += '\xa4';
  bigEndian(std::bit_cast<uint32_t>(value), 4);
}

void TokenWriter::integer(int value) {
  separate();
  if (ascii()) {
    char text[16];
    const auto result = std::to_chars(text, text + sizeof text, value);
    buffer_.append(text, result.ptr);
    return;
  }
  int bytes = 1;
  while (bytes < 4 && (value < -(1 << (8 * bytes - 1)) || value >= 1 << (8 * bytes - 1))) ++bytes;
  buffer_ += static_cast<char>(0x80 + bytes - 1);
  bigEndian(static_cast<uint32_t>(value), bytes);
}

void TokenWriter::asciiString(const std::string& text) {
  buffer_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      buffer_ += '\\';
      buffer_ += c;
    } else if (c == '\n') {
      buffer_ += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      buffer_ += '\\';
      for (int shift = 6; shift >= 0; shift -= 3) buffer_ += static_cast<char>('0' + (byte >> shift & 7));
    } else {
      buffer_ += c;
    }
  }
  buffer_ += '"';
}

void TokenWriter::binaryString(const std::string& text) {
  if (text.size() < 16) {
    buffer_ += static_cast<char>(0x90 + text.size());
  } else {
    int bytes = 1;
    while (bytes < 4 && text.size() >> (8 * bytes) != 0) ++bytes;
    buffer_ += static_cast<char>(0xa0 + bytes - 1);
    bigEndian(static_cast<uint32_t>(text.size()), bytes);
  }
  buffer_ += text;
}

void TokenWriter::string(const std::string& text) {
  separate();
  if (ascii()) return asciiString(text);
  // Short strings repeat: define each once and refer to it.
  const bool known = stringCodes_.contains(text);
  if (!known && (text.size() < 3 || text.size() > kMaxDefinedBytes || stringCodes_.size() >= kMaxDefined))
    return binaryString(text);
  const int code = stringCodes_.try_emplace(text, static_cast<int>(stringCodes_.size())).first->second;
  const int bytes = code < 256 ? 1 : 2;
  if (!known) {
    buffer_ += static_cast<char>(0xcd + bytes - 1);
    bigEndian(static_cast<uint32_t>(code), bytes);
    binaryString(text);
  }
  buffer_ += static_cast<char>(0xcf + bytes - 1);
  bigEndian(static_cast<uint32_t>(code), bytes);
}

void TokenWriter::floats(std::span<const float> values) {
  if (!ascii()) return untypedFloats(values);
  open();
  for (const float v : values) number(v);
  close();
}

void TokenWriter::untypedFloats(std::span<const float> values) {
  if (ascii()) {
    open();
    for (const float v : values) {
      separate();
      asciiFloat(v, true);
    }
    close();
    return;
  }
  int bytes = 1;
  while (bytes < 4 && values.size() >> (8 * bytes) != 0) ++bytes;
  buffer_ += static_cast<char>(0xc8 + bytes - 1);
  bigEndian(static_cast<uint32_t>(values.size()), bytes);
  for (const float v : values) {
    if (buffer_.size() > kFlushBytes) flush(false);
    bigEndian(std::bit_cast<uint32_t>(v), 4);
  }
}

void TokenWriter::integers(std::span<const int> values) {
  open();
  for (const int v : values) integer(v);
  close();
}

void TokenWriter::strings(std::span<const std::string> values) {
  open();
  for (const std::string& v : values) string(v);
  close();
}

}  // namespace reyes::rib
