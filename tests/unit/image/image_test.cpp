// SPDX-License-Identifier: Apache-2.0
// Pictures written by Reyes, read back by our reader and by both libraries on their own.
#include "reyes/image/image.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfVecAttribute.h>
#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "reyes/base/format.h"
#include "reyes/base/half.h"
#include "reyes/image/exr_builder.h"

using namespace reyes;
using namespace reyes::image;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_image_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

Image picture(PixelRect data, PixelRect display, std::vector<Channel> channels) {
  Image im;
  im.dataWindow = data, im.displayWindow = display, im.channels = std::move(channels);
  im.allocate();
  for (size_t i = 0; i < im.pixels.size(); ++i) im.pixels[i] = static_cast<float>(i % 251) / 250.0f;
  return im;
}

std::vector<Channel> rgba(PixelType t) { return {{"R", t}, {"G", t}, {"B", t}, {"A", t}}; }

}  // namespace

TEST_CASE("exr round trip with overscan, mixed types, every compression") {
  const TempFolder tmp;
  std::vector<Channel> channels = rgba(PixelType::kHalf);
  channels.push_back({"Z", PixelType::kFloat});
  channels.push_back({"diffuse.R", PixelType::kHalf});
  Image im = picture({-3, -2, 70, 41}, {0, 0, 64, 40}, channels);
  for (const char* compression : {"none", "rle", "zip", "zips", "piz"}) {
    CAPTURE(compression);
    im.compression = compression;
    const std::string path = tmp.file(format("a_{}.exr", compression));
    CHECK(writeImage(path, "exr", im, 2) == "");
    Image back;
    REQUIRE(readImage(path, back) == "");
    CHECK(back.dataWindow == im.dataWindow);
    CHECK(back.displayWindow == im.displayWindow);
    CHECK(back.compression == compression);
    REQUIRE(back.channels.size() == 6);
    // The file keeps names in alphabetical order; they come back as a picture's.
    for (size_t c = 0; c < 6; ++c) CHECK(back.channels[c].name == im.channels[c].name);
    for (const auto& [x, y] : {std::pair{-3, -2}, std::pair{69, 40}, std::pair{10, 7}}) {
      const float* a = im.pixel(x, y);
      const float* b = back.pixel(x, y);
      CHECK(b[0] == doctest::Approx(a[0]).epsilon(0.001));
      CHECK(b[3] == doctest::Approx(a[3]).epsilon(0.001));
      CHECK(b[4] == a[4]);
    }
  }
  for (const char* lossy : {"pxr24", "b44", "b44a", "dwaa", "dwab"}) {
    im.compression = lossy;
    CHECK(writeImage(tmp.file("lossy.exr"), "exr", im, 1) == "");
  }
  im.compression = "gzip";
  CHECK(writeImage(tmp.file("bad.exr"), "exr", im, 1).find("gzip") != std::string::npos);
  CHECK_FALSE(fs::exists(tmp.file("bad.exr")));
}

TEST_CASE("stored pixels give the file that floats give") {
  const TempFolder tmp;
  const std::vector<Channel> channels = {
      {"R", PixelType::kHalf}, {"A", PixelType::kHalf}, {"Z", PixelType::kFloat}, {"id", PixelType::kUint32}};
  Image im = picture({-3, 5, 70, 41}, {0, 0, 64, 40}, channels);
  for (size_t i = 3; i < im.pixels.size(); i += 4) im.pixels[i] = static_cast<float>(i);
  std::vector<std::byte> stored;
  const auto put = [&](auto value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    stored.insert(stored.end(), bytes, bytes + sizeof value);
  };
  for (size_t i = 0; i < im.pixels.size(); i += 4) {
    put(toHalf(im.pixels[i]).bits), put(toHalf(im.pixels[i + 1]).bits), put(im.pixels[i + 2]);
    put(static_cast<uint32_t>(im.pixels[i + 3]));
  }
  REQUIRE(stored.size() == pixelBytes(channels) * static_cast<size_t>(im.width() * im.height()));
  for (const char* compression : {"none", "rle", "zips", "zip", "piz"}) {
    CAPTURE(compression);
    im.compression = compression;
    CHECK(writeImage(tmp.file("floats"), "exr", im, 2) == "");
    // Rows that come a few at a time, and a header that is longer at the end than at the start.
    ExrBuilder builder(im, stored.data());
    for (const int rows : {0, 3, 1, 20}) builder.rows(rows);
    Image last = im;
    last.attributes["reyes/status"] = std::string(300, 's');
    last.attributes["a name of more than thirty-one characters"] = 1;
    CHECK(builder.finish(tmp.file("stored"), last) == "");
    Image fromFloats, fromStored;
    REQUIRE(readImage(tmp.file("floats"), fromFloats) == "");
    REQUIRE(readImage(tmp.file("stored"), fromStored) == "");
    CHECK(fromFloats.pixels == fromStored.pixels);
    CHECK(fromFloats.dataWindow == fromStored.dataWindow);
    CHECK(fromStored.attributes.count("reyes/status") == 1);
    auto in = OIIO::ImageInput::open(tmp.file("stored"));
    CHECK(in);
  }
  CHECK(ExrBuilder(im, stored.data()).finish("/nowhere/at/all.exr", im) != "");
}

TEST_CASE("stored integers go to other files") {
  const TempFolder tmp;
  Image im = picture({0, 0, 30, 20}, {0, 0, 30, 20}, rgba(PixelType::kUint16));
  std::vector<std::byte> stored;
  for (float& v : im.pixels) {
    v = std::floor(v * 60000);
    const auto value = static_cast<uint16_t>(v);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    stored.insert(stored.end(), bytes, bytes + sizeof value);
  }
  CHECK(writeImage(tmp.file("floats"), "tiff", im, 2) == "");
  CHECK(writeStored(tmp.file("stored"), "tiff", im, 2, stored.data()) == "");
  Image fromFloats, fromStored;
  REQUIRE(readImage(tmp.file("floats"), fromFloats) == "");
  REQUIRE(readImage(tmp.file("stored"), fromStored) == "");
  CHECK(fromFloats.pixels == fromStored.pixels);
}

TEST_CASE("exr header attributes carry their standard types") {
  const TempFolder tmp;
  Image im = picture({2, 3, 6, 7}, {0, 0, 8, 8}, rgba(PixelType::kHalf));
  im.pixelAspect = 1.5f;
  Matrix4 m = Matrix4::translate({1, 2, 3});
  im.attributes["worldToCamera"] = m;
  im.attributes["worldToNDC"] = m;
  im.attributes["screenWindowCenter"] = Vec2{0.5f, 0};
  im.attributes["screenWindowWidth"] = 2;
  im.attributes["framesPerSecond"] = std::string("24/1");
  im.attributes["capDate"] = std::string("2024:01:02 03:04:05");
  im.attributes["comments"] = std::string("caf\xc3\xa9");
  im.attributes["reyes/samples"] = 16;
  im.attributes["direction"] = Vec3{1, 2, 3};
  im.attributes["dataWindow"] = 7;  // the file's own business: ignored
  const std::string path = tmp.file("h.exr");
  REQUIRE(writeImage(path, "exr", im, 1) == "");

  Imf::InputFile file(path.c_str());
  const Imf::Header& h = file.header();
  CHECK(h.typedAttribute<Imf::M44fAttribute>("worldToCamera").value()[3][2] == 3);
  CHECK(h.typedAttribute<Imf::V2fAttribute>("screenWindowCenter").value().x == 0.5f);
  CHECK(h.screenWindowWidth() == 2);
  CHECK(h.typedAttribute<Imf::RationalAttribute>("framesPerSecond").value().n == 24);
  CHECK(h.typedAttribute<Imf::RationalAttribute>("framesPerSecond").value().d == 1);
  CHECK(h.typedAttribute<Imf::StringAttribute>("capDate").value() == "2024:01:02 03:04:05");
  CHECK(h.dataWindow().min.x == 2);
  CHECK(h.pixelAspectRatio() == 1.5f);

  auto in = OIIO::ImageInput::open(path);
  REQUIRE(in);
  CHECK(in->spec().x == 2);
  CHECK(in->spec().full_width == 8);
  CHECK(in->spec().get_string_attribute("ImageDescription") == "caf\xc3\xa9");
  CHECK(in->spec().find_attribute("worldtocamera", OIIO::TypeMatrix) != nullptr);

  Image back;
  REQUIRE(readImage(path, back) == "");
  CHECK(std::get<Matrix4>(back.attributes.at("worldToNDC")) == m);
  CHECK(std::get<int>(back.attributes.at("reyes/samples")) == 16);
  CHECK(std::get<Vec3>(back.attributes.at("direction")) == Vec3{1, 2, 3});
}

TEST_CASE("half saturates and NaN is never written") {
  const TempFolder tmp;
  Image im = picture({0, 0, 4, 1}, {0, 0, 4, 1}, {{"R", PixelType::kHalf}, {"Z", PixelType::kFloat}});
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  im.pixels = {1e9f, inf, -inf, nan, nan, -nan, 0.25f, 1e30f};
  REQUIRE(writeImage(tmp.file("n.exr"), "exr", im, 1) == "");
  Image back;
  REQUIRE(readImage(tmp.file("n.exr"), back) == "");
  CHECK(back.pixels == std::vector<float>{65504, inf, -65504, 0, 0, 0, 0.25f, 1e30f});
}

TEST_CASE("tiff and png keep quantised integers, tiff keeps crop and matrices") {
  const TempFolder tmp;
  Image im = picture({2, 3, 34, 19}, {0, 0, 40, 30}, rgba(PixelType::kUint8));
  for (size_t i = 0; i < im.pixels.size(); ++i) im.pixels[i] = i % 4 == 3 ? 255.0f : static_cast<float>(i % 256);
  Matrix4 ndc = Matrix4::translate({0.25f, 0.5f, 1});
  im.attributes["worldToCamera"] = Matrix4::translate({1, 2, 3});
  im.attributes["worldToNDC"] = ndc;
  im.attributes["software"] = std::string("Reyes");
  for (const char* type : {"tiff", "png", "tif"}) {
    CAPTURE(type);
    const std::string path = tmp.file(format("q.{}", type));
    REQUIRE(writeImage(path, type, im, 1) == "");
    Image back;
    REQUIRE(readImage(path, back) == "");
    CHECK(back.width() == 32);
    CHECK(back.pixels == im.pixels);
    CHECK(back.channels[0].type == PixelType::kUint8);
  }
  Image back;
  REQUIRE(readImage(tmp.file("q.tiff"), back) == "");
  CHECK(back.dataWindow == im.dataWindow);
  CHECK(back.displayWindow == im.displayWindow);
  CHECK(std::get<Matrix4>(back.attributes.at("worldToCamera")).m[3][2] == 3);
  CHECK(std::get<Matrix4>(back.attributes.at("worldToNDC")).m[3][0] == doctest::Approx(0.25f));
  CHECK(std::get<std::string>(back.attributes.at("software")).find("Reyes") == 0);

  // 16 bits and float.
  Image deep = picture({0, 0, 9, 5}, {0, 0, 9, 5}, rgba(PixelType::kUint16));
  for (size_t i = 0; i < deep.pixels.size(); ++i) deep.pixels[i] = i % 4 == 3 ? 65535.0f : static_cast<float>(i * 300);
  for (const char* type : {"tiff", "png"}) {
    REQUIRE(writeImage(tmp.file("d"), type, deep, 1) == "");
    REQUIRE(readImage(tmp.file("d"), back) == "");
    CHECK(back.pixels == deep.pixels);
  }
  Image floats = picture({0, 0, 9, 5}, {0, 0, 9, 5}, rgba(PixelType::kFloat));
  floats.pixels[0] = 1234.5f, floats.pixels[1] = -2;
  REQUIRE(writeImage(tmp.file("f.tif"), "tiff", floats, 1) == "");
  REQUIRE(readImage(tmp.file("f.tif"), back) == "");
  CHECK(back.pixels == floats.pixels);
  // JPEG has no alpha: it is left out.
  CHECK(writeImage(tmp.file("j.jpg"), "jpg", im, 1) == "");
  REQUIRE(readImage(tmp.file("j.jpg"), back) == "");
  CHECK(back.channels.size() == 3);
}

TEST_CASE("names of formats") {
  CHECK(writableFormat("jpg") == "jpeg");
  CHECK(writableFormat(".TIF") == "tiff");
  CHECK(writableFormat("openexr") == "exr");
  CHECK(writableFormat("xyz").empty());
  CHECK(isExrCompression("zips"));
  CHECK_FALSE(isExrCompression("lzw"));
}

TEST_CASE("errors are text and leave nothing behind") {
  const TempFolder tmp;
  const Image im = picture({0, 0, 64, 64}, {0, 0, 64, 64}, rgba(PixelType::kHalf));
  Image bytes = picture({0, 0, 64, 64}, {0, 0, 64, 64}, rgba(PixelType::kUint8));
  // A folder that is a file; only the last folder is made; the name of a folder; an unknown type.
  REQUIRE(writeImage(tmp.file("plain"), "exr", im, 1) == "");
  CHECK(writeImage(tmp.file("plain/x.exr"), "exr", im, 1).find("not a folder") != std::string::npos);
  CHECK(writeImage(tmp.file("new/x.exr"), "exr", im, 1) == "");
  CHECK(writeImage(tmp.file("no/such/x.exr"), "exr", im, 1).find("no such folder") != std::string::npos);
  CHECK(writeImage(tmp.file("new"), "exr", im, 1).find("is a folder") != std::string::npos);
  CHECK(writeImage(tmp.file("x.abc"), "abc", im, 1).find("abc") != std::string::npos);
  CHECK(writeImage("", "exr", im, 1) != "");
  // A full disk, for both writers; the device is written in place and stays one.
  for (const char* type : {"exr", "tiff", "png"}) {
    CAPTURE(type);
    CHECK(writeImage("/dev/full", type, type[0] == 'e' ? im : bytes, 1).find("No space left") != std::string::npos);
  }
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(writeImage("/proc/x.exr", "exr", im, 1) != "");
  if (geteuid() != 0) {
    fs::create_directory(tmp.file("ro"));
    fs::permissions(tmp.file("ro"), fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(writeImage(tmp.file("ro/x.exr"), "exr", im, 1).find("Permission") != std::string::npos);
    fs::permissions(tmp.file("ro"), fs::perms::owner_all);
  }
  // Nothing to write, two channels of a name.
  CHECK(writeImage(tmp.file("e.exr"), "exr", Image(), 1) != "");
  const Image twice = picture({0, 0, 2, 2}, {0, 0, 2, 2}, {{"R", PixelType::kHalf}, {"R", PixelType::kHalf}});
  CHECK(writeImage(tmp.file("t.exr"), "exr", twice, 1).find("named R") != std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(tmp.path)) CHECK(entry.path().extension() != ".part");
  // Reading.
  Image back;
  CHECK(readImage(tmp.file("absent.exr"), back).find("no such file") != std::string::npos);
  CHECK(readImage(tmp.file("new"), back).find("folder") != std::string::npos);
}

TEST_CASE("truncated and damaged files are errors") {
  const TempFolder tmp;
  const Image im = picture({0, 0, 64, 64}, {0, 0, 64, 64}, rgba(PixelType::kHalf));
  REQUIRE(writeImage(tmp.file("t.exr"), "exr", im, 1) == "");
  const auto size = fs::file_size(tmp.file("t.exr"));
  for (const double part : {0.0, 0.001, 0.05, 0.3, 0.9}) {
    fs::copy_file(tmp.file("t.exr"), tmp.file("u.exr"), fs::copy_options::overwrite_existing);
    fs::resize_file(tmp.file("u.exr"), static_cast<uintmax_t>(static_cast<double>(size) * part));
    Image back;
    CHECK(readImage(tmp.file("u.exr"), back) != "");
  }
}
