// SPDX-License-Identifier: Apache-2.0
// Deep pictures written by Reyes, read back by our reader and by both libraries on their own; files that are broken.
#include "reyes/image/deep.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepImageState.h>
#include <OpenEXR/ImfDeepImageStateAttribute.h>
#include <OpenEXR/ImfDeepScanLineInputFile.h>
#include <OpenEXR/ImfDeepTiledOutputFile.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIDManifest.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenImageIO/deepdata.h>
#include <OpenImageIO/imagebuf.h>
#include <OpenImageIO/imagebufalgo.h>
#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/deep_builder.h"
#include "reyes/image/join.h"

using namespace reyes;
using namespace reyes::image;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_deep_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

std::vector<Channel> deepChannels() {
  return {{"R", PixelType::kHalf}, {"G", PixelType::kHalf},  {"B", PixelType::kHalf},
          {"A", PixelType::kHalf}, {"Z", PixelType::kFloat}, {"ZBack", PixelType::kFloat}};
}

/// Pixel p has p % 4 samples, `most` the first; sample i of a pixel lies at depth 1 + i.
DeepImage picture(PixelRect data, PixelRect display, uint32_t most = 3) {
  DeepImage im;
  im.dataWindow = data, im.displayWindow = display, im.channels = deepChannels(), im.tidy = true;
  std::vector<uint32_t> counts(static_cast<size_t>(data.width()) * static_cast<size_t>(data.height()));
  for (size_t p = 0; p < counts.size(); ++p) counts[p] = p == 0 ? most : static_cast<uint32_t>(p % 4);
  im.allocate(counts);
  for (size_t p = 0; p < counts.size(); ++p)
    for (uint64_t i = im.starts[p]; i < im.starts[p + 1]; ++i) {
      const auto depth = static_cast<float>(1 + i - im.starts[p]);
      for (size_t c = 0; c < 4; ++c) im.set(c, i, static_cast<float>((p + c) % 5) / 8);
      im.set(4, i, depth), im.set(5, i, depth + 0.25f);
    }
  return im;
}

bool sameSamples(const DeepImage& a, const DeepImage& b) {
  if (a.starts != b.starts || a.channels.size() != b.channels.size()) return false;
  for (size_t c = 0; c < a.channels.size(); ++c) {
    const int d = b.channel(a.channels[c].name);
    if (d < 0 || b.channels[static_cast<size_t>(d)].type != a.channels[c].type) return false;
    if (a.planes[c] != b.planes[static_cast<size_t>(d)]) return false;
  }
  return true;
}

std::vector<char> bytesIn(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeBytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("deep round trip: every compression, overscan, crop, empty pixels and one of ten thousand samples") {
  const TempFolder tmp;
  for (const char* compression : {"none", "rle", "zips"})
    for (const PixelRect data : {PixelRect{-3, -2, 70, 141}, PixelRect{5, 7, 6, 8}, PixelRect{10, 20, 40, 30}}) {
      CAPTURE(compression);
      DeepImage im = picture(data, {0, 0, 64, 140}, 10000);
      im.compression = compression;
      im.attributes["reyes/scene"] = std::string("a scene");
      im.attributes["clipNear"] = 0.5f;
      const std::string path = tmp.file("a.exr");
      REQUIRE(writeDeep(path, im, 2) == "");
      CHECK(isDeepFile(path));
      DeepImage back;
      REQUIRE(readDeep(path, back, 2) == "");
      CHECK(back.tidy);
      CHECK(back.compression == compression);
      CHECK(back.dataWindow.x0 == data.x0);
      CHECK(back.dataWindow.y1 == data.y1);
      CHECK(back.displayWindow.x1 == 64);
      CHECK(std::get<std::string>(back.attributes["reyes/scene"]) == "a scene");
      CHECK(std::get<float>(back.attributes["clipNear"]) == 0.5f);
      CHECK(sameSamples(im, back));
      CHECK(back.count(data.x0, data.y0) == 10000);
    }
}

TEST_CASE("the bytes of a deep file do not depend on threads") {
  const TempFolder tmp;
  const DeepImage im = picture({0, 0, 200, 300}, {0, 0, 200, 300}, 5000);
  REQUIRE(writeDeep(tmp.file("one.exr"), im, 1) == "");
  REQUIRE(writeDeep(tmp.file("four.exr"), im, 4) == "");
  CHECK(bytesIn(tmp.file("one.exr")) == bytesIn(tmp.file("four.exr")));
}

TEST_CASE("a file that is built row by row is the file that is written at once, with the header of its end") {
  const TempFolder tmp;
  for (const char* compression : {"none", "rle", "zips"}) {
    DeepImage im = picture({-3, -2, 70, 141}, {0, 0, 64, 140}, 3000);
    im.compression = compression;
    im.attributes["reyes/scene"] = std::string("known from the start");
    DeepBuilder builder(im), cut(im);
    im.attributes["reyes/status"] = std::string("known at the end: longer than the header was, so that blocks move");
    REQUIRE(writeDeep(tmp.file("once.exr"), im, 1) == "");
    const auto row = [&](int y, DeepRow& out) {
      const uint64_t first = im.first(-3, y), last = im.starts[im.pixelAt(69, y) + 1];
      for (int x = -3; x < 70; ++x) out.counts.push_back(static_cast<uint32_t>(im.count(x, y)));
      for (size_t c = 0; c < out.planes.size(); ++c) {
        const size_t bytes = bytesOf(im.channels[c].type);
        out.planes[c].assign(im.planes[c].begin() + static_cast<ptrdiff_t>(first * bytes),
                             im.planes[c].begin() + static_cast<ptrdiff_t>(last * bytes));
      }
    };
    for (const int count : {1, 7, 100, 1000}) builder.rows(count, row);
    CHECK(builder.bytes() > 0);
    REQUIRE(builder.finish(tmp.file("built.exr"), im) == "");
    CHECK(bytesIn(tmp.file("built.exr")) == bytesIn(tmp.file("once.exr")));
    // Rows that never came are empty.
    cut.rows(5, row);
    REQUIRE(cut.finish(tmp.file("cut.exr"), im) == "");
    DeepImage back;
    REQUIRE(readDeep(tmp.file("cut.exr"), back) == "");
    CHECK(back.samples() == im.first(-3, 3));
    CHECK(std::get<std::string>(back.attributes["reyes/status"]).substr(0, 5) == "known");
  }
  DeepImage wrong = picture({0, 0, 4, 4}, {0, 0, 4, 4});
  DeepBuilder builder(wrong);
  builder.rows(1, [](int, DeepRow& out) { out.counts.assign(3, 0); });
  CHECK(builder.finish(tmp.file("wrong.exr"), wrong) != "");
  CHECK_FALSE(fs::exists(tmp.file("wrong.exr")));
}

TEST_CASE("ids are told as OpenEXR's idManifest, too") {
  const TempFolder tmp;
  DeepImage im = picture({0, 0, 8, 8}, {0, 0, 8, 8});
  im.channels.push_back({"CryptoObject.id", PixelType::kUint32});
  im.planes.emplace_back(im.samples() * 4);
  for (uint64_t i = 0; i < im.samples(); ++i) {
    const uint32_t id = i % 2 ? 0x12345678u : 0xfedcba98u;
    std::memcpy(im.planes.back().data() + 4 * i, &id, 4);
  }
  im.attributes["cryptomatte/abcdef0/name"] = std::string("CryptoObject");
  im.attributes["cryptomatte/abcdef0/manifest"] = std::string(R"({"a \"b\"":"12345678","c":"fedcba98"})");
  REQUIRE(writeDeep(tmp.file("ids.exr"), im, 1) == "");
  Imf::DeepScanLineInputFile file(tmp.file("ids.exr").c_str());
  REQUIRE(Imf::hasIDManifest(file.header()));
  const Imf::IDManifest manifest(Imf::idManifest(file.header()));
  REQUIRE(manifest.size() == 1);
  CHECK(manifest[0].getChannels().count("CryptoObject.id") == 1);
  CHECK(manifest[0].find(0x12345678u).text()[0] == "a \"b\"");
  CHECK(manifest[0].find(0xfedcba98u).text()[0] == "c");
  DeepImage back;
  REQUIRE(readDeep(tmp.file("ids.exr"), back) == "");
  CHECK(sameSamples(im, back));
  // Tiles joined: what either names.
  DeepImage a = im, b = im;
  b.attributes["cryptomatte/abcdef0/manifest"] = std::string(R"({"d":"00000001"})");
  DeepJoiner joiner;
  REQUIRE(joiner.add("a", a) == "");
  REQUIRE(joiner.add("b", b) == "");
  REQUIRE(joiner.finish(back) == "");
  CHECK(std::get<std::string>(back.attributes["cryptomatte/abcdef0/manifest"]) ==
        R"({"a \"b\"":"12345678","c":"fedcba98","d":"00000001"})");
  b.attributes["cryptomatte/abcdef0/manifest"] = std::string(R"({"c":"00000001"})");
  DeepJoiner odd;
  REQUIRE(odd.add("a", a) == "");
  REQUIRE(odd.add("b", b) == "");
  CHECK(odd.finish(back).find("cannot be joined") != std::string::npos);
}

TEST_CASE("OpenEXR and OpenImageIO read what was written, and flatten it alike") {
  const TempFolder tmp;
  const PixelRect data{2, 1, 30, 20};
  const DeepImage im = picture(data, {0, 0, 32, 24}, 7);
  const std::string path = tmp.file("b.exr");
  REQUIRE(writeDeep(path, im, 1) == "");
  Imf::DeepScanLineInputFile file(path.c_str());
  const auto* state = file.header().findTypedAttribute<Imf::DeepImageStateAttribute>("deepImageState");
  REQUIRE(state);
  CHECK(state->value() == Imf::DIS_TIDY);
  CHECK(file.header().compression() == Imf::ZIPS_COMPRESSION);
  CHECK(file.header().channels().findChannel("Z")->type == Imf::FLOAT);
  CHECK(file.header().channels().findChannel("A")->type == Imf::HALF);

  OIIO::ImageBuf deep(path);
  REQUIRE(deep.read());
  CHECK(deep.deep());
  CHECK(deep.deepdata()->samples(0) == 7);
  OIIO::ImageBuf flat = OIIO::ImageBufAlgo::flatten(deep);
  const auto& names = flat.spec().channelnames;
  const auto red = std::find(names.begin(), names.end(), "R") - names.begin();
  for (int y = data.y0; y < data.y1; ++y)
    for (int x = data.x0; x < data.x1; ++x) {
      float expected = 0, through = 1;
      for (uint64_t i = im.first(x, y); i < im.first(x, y) + im.count(x, y); ++i) {
        expected += through * im.value(0, i);
        through *= 1 - im.value(3, i);
      }
      CHECK(flat.getchannel(x, y, 0, static_cast<int>(red)) == doctest::Approx(expected).epsilon(1e-5));
    }
}

TEST_CASE("other readers' habits: half depths, ids, names in layers") {
  const TempFolder tmp;
  DeepImage im;
  im.dataWindow = im.displayWindow = {0, 0, 3, 2};
  im.channels = {{"Z", PixelType::kHalf}, {"id", PixelType::kUint32}, {"diffuse.R", PixelType::kFloat}};
  im.allocate({1, 0, 2, 0, 0, 1});
  for (uint64_t i = 0; i < im.samples(); ++i) {
    im.set(0, i, static_cast<float>(i)), im.set(1, i, 70000 + static_cast<float>(i)), im.set(2, i, 1e9f);
  }
  REQUIRE(writeDeep(tmp.file("c.exr"), im, 1) == "");
  DeepImage back;
  REQUIRE(readDeep(tmp.file("c.exr"), back) == "");
  CHECK_FALSE(back.tidy);
  CHECK(sameSamples(im, back));
  CHECK(back.value(static_cast<size_t>(back.channel("id")), 3) == 70003);
}

TEST_CASE("deep tiles are read") {
  const TempFolder tmp;
  const DeepImage im = picture({0, 0, 50, 40}, {0, 0, 50, 40}, 9);
  Imf::Header header(50, 40);
  header.setType(Imf::DEEPTILE);
  header.setTileDescription(Imf::TileDescription(16, 8, Imf::ONE_LEVEL));
  header.compression() = Imf::ZIPS_COMPRESSION;
  for (const Channel& c : im.channels)
    header.channels().insert(c.name, Imf::Channel(c.type == PixelType::kHalf ? Imf::HALF : Imf::FLOAT));
  {
    Imf::DeepTiledOutputFile file(tmp.file("t.exr").c_str(), header);
    std::vector<uint32_t> counts;
    for (size_t p = 0; p + 1 < im.starts.size(); ++p)
      counts.push_back(static_cast<uint32_t>(im.starts[p + 1] - im.starts[p]));
    Imf::DeepFrameBuffer fb;
    fb.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), 4, 200));
    std::vector<std::vector<const std::byte*>> at(im.channels.size());
    for (size_t c = 0; c < at.size(); ++c) {
      const size_t bytes = bytesOf(im.channels[c].type);
      for (size_t p = 0; p < counts.size(); ++p) at[c].push_back(im.planes[c].data() + im.starts[p] * bytes);
      fb.insert(im.channels[c].name, Imf::DeepSlice(bytes == 2 ? Imf::HALF : Imf::FLOAT,
                                                    reinterpret_cast<char*>(at[c].data()), 8, 400, bytes));
    }
    file.setFrameBuffer(fb);
    file.writeTiles(0, file.numXTiles() - 1, 0, file.numYTiles() - 1);
  }
  DeepImage back;
  REQUIRE(readDeep(tmp.file("t.exr"), back) == "");
  CHECK(sameSamples(im, back));
}

TEST_CASE("compressions that deep files have not are refused before anything is written") {
  const TempFolder tmp;
  DeepImage im = picture({0, 0, 8, 8}, {0, 0, 8, 8});
  for (const char* compression : {"zip", "piz", "pxr24", "b44", "dwaa", "lzw"}) {
    im.compression = compression;
    const std::string error = writeDeep(tmp.file("no.exr"), im, 1);
    CHECK(error.find("none, rle and zips") != std::string::npos);
    CHECK(fs::is_empty(tmp.path));
  }
  im.compression = "zips", im.channels[1].name = "R";
  CHECK(writeDeep(tmp.file("no.exr"), im, 1).find("two channels are named R") != std::string::npos);
  CHECK(writeDeep(tmp.file("none/of/these/x.exr"), picture({0, 0, 2, 2}, {}), 1) != "");
  im = picture({0, 0, 8, 8}, {}), im.planes[2].pop_back();
  CHECK(writeDeep(tmp.file("no.exr"), im, 1) != "");
  CHECK(fs::is_empty(tmp.path));
}

TEST_CASE("flat files, other files and cut files are errors") {
  const TempFolder tmp;
  DeepImage back;
  CHECK(readDeep(tmp.file("missing.exr"), back).find("no such file") != std::string::npos);
  writeBytes(tmp.file("text.exr"), std::vector<char>(1000, 'x'));
  CHECK(readDeep(tmp.file("text.exr"), back).find("is no deep EXR") != std::string::npos);
  REQUIRE(writeDeep(tmp.file("d.exr"), picture({0, 0, 20, 30}, {}), 1) == "");
  const std::vector<char> whole = bytesIn(tmp.file("d.exr"));
  for (size_t n = 0; n < whole.size(); n += n < 600 ? 7 : 97) {
    CAPTURE(n);
    writeBytes(tmp.file("cut.exr"), {whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)});
    CHECK(readDeep(tmp.file("cut.exr"), back) != "");
    CHECK(back.samples() == 0);
  }
}

TEST_CASE("sizes that cannot be true are refused by a sentence, before memory is taken") {
  const TempFolder tmp;
  DeepImage im = picture({0, 0, 12, 9}, {}, 40);
  im.attributes["comments"] = std::string("a picture");
  REQUIRE(writeDeep(tmp.file("good.exr"), im, 1) == "");
  const std::vector<char> good = bytesIn(tmp.file("good.exr"));
  const auto placeOf = [&](const std::string& text) {
    return static_cast<size_t>(std::search(good.begin(), good.end(), text.begin(), text.end()) - good.begin()) +
           text.size();
  };
  // The table of nine blocks lies in front of the first, whose place it begins with.
  size_t block = 8 * 9;
  for (uint64_t p = 0; p != block; ++block) std::memcpy(&p, &good[block + 1 - 8 * 9], 8);
  const auto refuses = [&](size_t at, uint64_t value, size_t bytes, const std::string& why) {
    std::vector<char> bad = good;
    std::memcpy(&bad[at], &value, bytes);
    writeBytes(tmp.file("bad.exr"), bad);
    DeepImage back;
    const std::string error = readDeep(tmp.file("bad.exr"), back);
    CAPTURE(error);
    CHECK(error.find(tmp.file("bad.exr")) == 0);
    CHECK(error.find(why) != std::string::npos);
    CHECK(back.planes.empty());
  };
  const uint64_t huge = uint64_t{1} << 63;
  refuses(block + 4, huge, 8, "longer than what is left");
  refuses(block + 12, huge, 8, "longer than what is left");
  refuses(block + 20, huge, 8, "cannot become");
  refuses(block - 8 * 9, huge, 8, "outside of it");
  refuses(placeOf(std::string("chunkCount\0int\0", 15)) + 4, 0x7fffffff, 4, "more than the file can hold");
  refuses(placeOf(std::string("comments\0string\0", 16)), 0xffffffff, 4, "has -1 bytes");
  refuses(placeOf(std::string("dataWindow\0box2i\0", 17)) + 12, 0x7ffffff0, 4, "more than the file can hold");
}

TEST_CASE("mutated deep files never crash the reader") {
  const TempFolder tmp;
  for (const char* compression : {"none", "rle", "zips"}) {
    DeepImage im = picture({0, 0, 12, 9}, {}, 40);
    im.compression = compression;
    REQUIRE(writeDeep(tmp.file("m.exr"), im, 1) == "");
    const std::vector<char> whole = bytesIn(tmp.file("m.exr"));
    for (uint64_t n = 0; n < 400; ++n) {
      std::vector<char> bytes = whole;
      const uint64_t changes = 1 + hashCombine(n, 1) % 6;
      for (uint64_t k = 0; k < changes; ++k) {
        const uint64_t h = hashCombine(n, 100 + k);
        char& b = bytes[h % bytes.size()];
        const char values[] = {0, 1, 127, -128, -1, static_cast<char>(h >> 40)};
        b = values[(h >> 32) % 6];
      }
      writeBytes(tmp.file("x.exr"), bytes);
      DeepImage back;
      if (readDeep(tmp.file("x.exr"), back) == "") {
        REQUIRE(back.planes.size() == back.channels.size());
        for (size_t c = 0; c < back.planes.size(); ++c)
          CHECK(back.planes[c].size() == back.samples() * bytesOf(back.channels[c].type));
      }
    }
  }
}
