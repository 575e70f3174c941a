// SPDX-License-Identifier: Apache-2.0
// compress2() and uncompress() by libdeflate, against zlib's own streams.
#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <vector>

namespace {

using Bytes = std::vector<Bytef>;

/// Noise of `kinds` different values: 256 cannot be compressed.
Bytes noise(size_t size, uint32_t kinds) {
  Bytes r(size);
  uint32_t state = 12345;
  for (Bytef& b : r) state = state * 1664525 + 1013904223, b = static_cast<Bytef>((state >> 24) % kinds);
  return r;
}

/// What zlib itself, which is asked for streams here, makes of bytes.
Bytes inflated(const Bytes& from, size_t size) {
  Bytes r(size + 1);
  z_stream s = {};
  REQUIRE(inflateInit(&s) == Z_OK);
  s.next_in = const_cast<Bytef*>(from.data()), s.avail_in = static_cast<uInt>(from.size());
  s.next_out = r.data(), s.avail_out = static_cast<uInt>(r.size());
  CHECK(inflate(&s, Z_FINISH) == Z_STREAM_END);
  r.resize(s.total_out);
  inflateEnd(&s);
  return r;
}

Bytes deflated(const Bytes& from) {
  Bytes r(compressBound(from.size()));
  z_stream s = {};
  REQUIRE(deflateInit(&s, 4) == Z_OK);
  s.next_in = const_cast<Bytef*>(from.data()), s.avail_in = static_cast<uInt>(from.size());
  s.next_out = r.data(), s.avail_out = static_cast<uInt>(r.size());
  CHECK(deflate(&s, Z_FINISH) == Z_STREAM_END);
  r.resize(s.total_out);
  deflateEnd(&s);
  return r;
}

}  // namespace

TEST_CASE("what compress2() writes is zlib's to read, in the room that zlib asks for") {
  for (const size_t size : {0, 1, 2, 3, 7, 16, 40, 99, 128, 300, 1000, 4096, 5121, 65535, 65536, 300000})
    for (const uint32_t kinds : {1u, 3u, 256u})
      for (const int level : {-1, 0, 1, 4, 9}) {
        CAPTURE(size);
        CAPTURE(kinds);
        CAPTURE(level);
        const Bytes plain = noise(size, kinds);
        Bytes packed(compressBound(size));
        uLongf room = packed.size();
        REQUIRE(compress2(packed.data(), &room, plain.data(), size, level) == Z_OK);
        packed.resize(room);
        CHECK(inflated(packed, size) == plain);
        if (kinds == 1 && size > 128 && level != 0) CHECK(room < size / 4);
      }
}

TEST_CASE("compress2() says where there is too little room, or no such level") {
  const Bytes plain = noise(1000, 256);
  Bytes packed(500);
  uLongf room = packed.size();
  CHECK(compress2(packed.data(), &room, plain.data(), plain.size(), 4) == Z_BUF_ERROR);
  CHECK(compress2(packed.data(), &room, plain.data(), plain.size(), 10) == Z_STREAM_ERROR);
}

TEST_CASE("uncompress() reads what zlib wrote") {
  for (const size_t size : {0, 1, 64, 5121, 300000}) {
    CAPTURE(size);
    const Bytes plain = noise(size, 5), packed = deflated(plain);
    Bytes back(size + 1);
    uLongf room = size;
    REQUIRE(uncompress(back.data(), &room, packed.data(), packed.size()) == Z_OK);
    CHECK(room == size);
    back.resize(size);
    CHECK(back == plain);
  }
}

TEST_CASE("uncompress() refuses what is cut short, damaged, or larger than its room") {
  const Bytes plain = noise(5000, 5);
  Bytes packed = deflated(plain), back(plain.size());
  uLongf room = 100;
  CHECK(uncompress(back.data(), &room, packed.data(), packed.size()) == Z_BUF_ERROR);
  for (size_t cut = 0; cut < packed.size(); cut += 97) {
    room = back.size();
    CHECK(uncompress(back.data(), &room, packed.data(), cut) == Z_DATA_ERROR);
  }
  packed[packed.size() / 2] ^= 0x55;
  room = back.size();
  CHECK(uncompress(back.data(), &room, packed.data(), packed.size()) == Z_DATA_ERROR);
}
