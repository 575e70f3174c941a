// SPDX-License-Identifier: Apache-2.0
// Checkpoints: what was stopped goes on to the same bits; files that are cut, damaged or made by an enemy do no harm.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "render_fixture.h"
#include "reyes/image/deep.h"
#include "reyes/render/checkpoint.h"
#include "reyes/render/checkpoint_file.h"

using namespace reyes;
using namespace reyes::render;

namespace {

using Bytes = std::vector<std::byte>;

std::string temporary(const char* what) {
  return (std::filesystem::temp_directory_path() / format("reyes_checkpoint_{}_{}", ::getpid(), what)).string();
}

Bytes bytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}
void store(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<CheckpointRecord> recordsOf(const std::string& path, const std::string& words) {
  CheckpointReader reader;
  std::vector<CheckpointRecord> all;
  if (reader.open(path, words) != CheckpointReader::Found::kGood) return all;
  for (CheckpointRecord r; reader.next(r);) all.push_back(r);
  return all;
}

/// A small frame, flat and deep, with everything that a checkpoint can hold.
struct Frame : TestScene {
  std::string flat = temporary("flat.exr"), deep = temporary("deep.exr"), file = flat + ".checkpoint";
  float done = 0;

  Frame() : TestScene(40, 24) {
    view.bucketWidth = view.bucketHeight = 8;
    shading.opacity = 0.5f;
    auto named = attributes();
    named->identifierName = Name("ball");
    add(sphere(1), named, Matrix4::translate({0, 0, 3}));
    add(torus(1.2f, 0.3f), attributes({1, 0.5f, 0}), Matrix4::translate({0.4f, 0, 4}));
    scene::DisplaySpec d;
    d.name = flat, d.type = "openexr", d.quantize.one = 0;
    d.variables = {{"Ci", Type::kColor, ""}, {"a", Type::kFloat, ""}, {"cryptomatte:object", Type::kFloat, ""}};
    view.displays = {d};
    d.name = deep, d.type = "deepexr";
    d.variables = {{"Ci", Type::kColor, ""}, {"a", Type::kFloat, ""}};
    view.displays.push_back(d);
    options.progress = [this](float share) { done = share; };
  }
  ~Frame() {
    for (const std::string& f : {flat, deep, file}) std::filesystem::remove(f);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Renders until so much is done.
  void stopAt(float share) {
    options.checkpoint.seconds = 600;
    done = 0;
    options.stop = [this, share] { return done >= share; };
    render(1, true);
    options.stop = nullptr;
    options.checkpoint.seconds = 0;
    REQUIRE(result.stopped);
  }
  image::Image recovered(int threads = 1) {
    options.checkpoint.recover = true;
    image::Image r = render(threads, true);
    options.checkpoint.recover = false;
    return r;
  }
};

}  // namespace

TEST_CASE("records come back; of a file that is cut or changed only good ones do") {
  const std::string path = temporary("file");
  const std::string words = "frame 1\n";
  std::mt19937 dice(3);
  std::vector<CheckpointRecord> written;
  {
    CheckpointWriter writer(path, words);
    for (uint32_t i = 0; i < 12; ++i) {
      CheckpointRecord r{i % 3 ? RecordKind::kPart : RecordKind::kMessage, i, Bytes(dice() % 60)};
      for (std::byte& b : r.bytes) b = static_cast<std::byte>(dice());
      writer.add(r.kind, r.index, r.bytes);
      written.push_back(std::move(r));
      if (i % 4 == 3) CHECK(writer.save().empty());
    }
    CHECK(writer.saved());
  }
  const Bytes whole = bytesOf(path);
  const auto prefixOfWritten = [&](const std::vector<CheckpointRecord>& read) {
    for (size_t i = 0; i < read.size(); ++i)
      if (i >= written.size() || read[i].kind != written[i].kind || read[i].index != written[i].index ||
          read[i].bytes != written[i].bytes)
        return false;
    return true;
  };
  CHECK(recordsOf(path, words).size() == written.size());
  CHECK(recordsOf(path, "frame 2\n").empty());
  for (size_t i = 0; i < whole.size(); ++i) {
    Bytes changed = whole;
    changed[i] ^= static_cast<std::byte>(1 + dice() % 255);
    store(path, changed);
    const std::vector<CheckpointRecord> read = recordsOf(path, words);
    CHECK((read.size() < written.size() && prefixOfWritten(read)));
    changed.assign(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(i));
    store(path, changed);
    CHECK(prefixOfWritten(recordsOf(path, words)));
  }
  // A length that no file has asks for no memory.
  Bytes longer = whole;
  const uint64_t bytes = uint64_t(1) << 31, head[3] = {1, bytes, 0};
  const auto* p = reinterpret_cast<const std::byte*>(head);
  longer.insert(longer.end(), p, p + sizeof head);
  store(path, longer);
  CHECK(recordsOf(path, words).size() == written.size());
  std::filesystem::remove(path);
}

TEST_CASE("a folder that is not there, a folder in the file's place: said, and nothing lost") {
  CheckpointWriter nowhere("/nonexistent/folder/a.checkpoint", "frame 1\n");
  nowhere.add(RecordKind::kPart, 1, Bytes(100));
  CHECK(nowhere.save().find("no such folder") != std::string::npos);
  CHECK(!nowhere.saved());
  // The disk that is always full.
  CheckpointWriter full("/dev/full", "frame 1\n");
  for (uint32_t i = 0; i < 40; ++i) full.add(RecordKind::kPart, i, Bytes(4 << 20));
  CHECK(full.save().find("No space") != std::string::npos);
}

TEST_CASE("a frame that was stopped goes on to the same bits, with any number of threads") {
  Frame f;
  const image::Image whole = f.render(1, true);
  image::DeepImage deep, again;
  REQUIRE(image::readDeep(f.deep, deep).empty());
  REQUIRE(whole.pixels.size() > 0);
  for (const float share : {0.1f, 0.5f, 0.9f})
    for (const int threads : {1, 3}) {
      CAPTURE(share);
      f.stopAt(share);
      CHECK(std::filesystem::exists(f.file));
      const int64_t before = f.result.stats.get(Counter::kGridsShaded);
      CHECK(sameBits(whole, f.recovered(threads), f.view.crop));
      REQUIRE(image::readDeep(f.deep, again).empty());
      CHECK(again.starts == deep.starts);
      CHECK(again.planes == deep.planes);
      CHECK(!std::filesystem::exists(f.file));
      CHECK((share < 0.9f || f.result.stats.get(Counter::kGridsShaded) < before));
    }
}

TEST_CASE("messages of the part that is not rendered again count") {
  Frame f;
  f.stopAt(0.5f);
  const std::vector<CheckpointRecord> records = recordsOf(f.file, f.result.checkpointWords);
  const Diagnostic said{Severity::kError, Impact::kPicture, "some-fault", "a fault: of a pixel", {Name("a.rib"), 3, 0}};
  CHECK(markWhole(f.file, f.result.checkpointWords, {&said, 1}).empty());
  // Its files are not there: it is not whole, but what was said was said.
  CHECK(f.recovered().pixels.size() > 0);
  CHECK(f.diag.hasCode("some-fault"));
  CHECK(f.diag.has(Impact::kPicture));
}

TEST_CASE("bytes of an enemy, with lengths and hashes that are right, do no harm") {
  Frame f;
  f.stopAt(0.6f);
  const std::string words = f.result.checkpointWords;
  const std::vector<CheckpointRecord> good = recordsOf(f.file, words);
  REQUIRE(good.size() > 3);
  std::mt19937 dice(11);
  for (int attempt = 0; attempt < 150; ++attempt) {
    {
      CheckpointWriter writer(f.file, words);
      for (const CheckpointRecord& r : good) {
        CheckpointRecord m = r;
        switch (dice() % 8) {
          case 0:
            m.index = dice();
            break;
          case 1:
            m.kind = static_cast<RecordKind>(1 + dice() % 4);
            break;
          case 2:
            m.bytes.resize(dice() % (m.bytes.size() + 9));
            break;
          case 3:
            for (int i = 0; i < 4 && !m.bytes.empty(); ++i)
              m.bytes[dice() % m.bytes.size()] = static_cast<std::byte>(dice());
            break;
          case 4:
            writer.add(m.kind, m.index, m.bytes);  // twice
            break;
          default:
            break;
        }
        writer.add(m.kind, m.index, m.bytes);
      }
      REQUIRE(writer.save().empty());
    }
    CHECK(f.recovered(1 + attempt % 3).pixels.size() > 0);
  }
}
