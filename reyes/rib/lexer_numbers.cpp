// SPDX-License-Identifier: Apache-2.0
// Numbers without tokens: the inside of ASCII arrays, which are nearly all of a scene. Those of long arrays are read by
// all threads of a pool, a piece each.
#include <algorithm>
#include <cstring>

#include "reyes/base/parallel.h"
#include "reyes/rib/lexer.h"
#include "reyes/rib/lexer_chars.h"

namespace reyes::rib {

/// A float and its end; null where it is none, or one that is next()'s business.
inline const char* Lexer::parseFloat(const char* p, float& out) const {
  const char* end = parseShortFloat(p, out);
  return end && end + 2 < end_ && (*end == ' ' || *end == '\n') ? end : parseLongFloat(p, out);
}

const char* Lexer::parseLongFloat(const char* p, float& out) const {
  Number number;
  const char* end = parseNumber(p, number);
  if (!end || number.outOfRange) return nullptr;
  out = number.value;
  return end + 2 < end_ && isDelimiter(*end) && *end != '#' ? end : nullptr;
}

bool Lexer::readFloat(float& out) {
  if (inArray_ || !skipWhite() || !startsNumber(*p_)) return false;
  const char* const end = parseFloat(p_, out);
  if (!end) return false;
  p_ = end;
  return true;
}

void Lexer::readRun(const char* from, const char* to, NumberRun& run) const {
  run.values.clear();
  run.lines = 0, run.line = nullptr;
  const char* p = from;
  while (p < to) {
    if (isWhite(*p) || *p == '\n') {
      if (*p++ == '\n') ++run.lines, run.line = p;
      continue;
    }
    float value;
    const char* const end = startsNumber(*p) ? parseFloat(p, value) : nullptr;
    if (!end) break;
    p = end;
    run.values.push_back(value);
  }
  run.stopped = p;
}

/// What is at hand of a long array, in pieces. True where more may follow.
bool Lexer::readRuns(std::vector<float>& out) {
  constexpr size_t kPiece = 32 * 1024;  ///< bytes that are worth a task: 40 microseconds
  if (!parallel_) return false;
  const auto close = [&] { return static_cast<const char*>(std::memchr(p_, ']', static_cast<size_t>(end_ - p_))); };
  const char* to = close();
  if (!to) ensure(kBlock), to = close();
  const bool more = !to;
  if (!to) to = std::max(p_, end_ - kLookAhead);
  const auto bytes = static_cast<size_t>(to - p_);
  const size_t pieces = std::min(bytes / kPiece, static_cast<size_t>(parallel_->threads()));
  if (pieces < 2) return more && bytes >= kPiece;
  // 1. Cut between numbers.
  std::vector<const char*> cuts = {p_};
  for (size_t i = 1; i < pieces; ++i) {
    const char* cut = std::max(cuts.back(), p_ + bytes * i / pieces);
    while (cut < to && *cut != ' ' && *cut != '\n') ++cut;
    cuts.push_back(cut);
  }
  cuts.push_back(to);
  runs_.resize(std::max(runs_.size(), pieces));
  // 2. The first one here, the others wherever there is time.
  TaskGroup group(*parallel_);
  for (size_t i = 1; i < pieces; ++i) group.run([&, i] { readRun(cuts[i], cuts[i + 1], runs_[i]); });
  readRun(cuts[0], cuts[1], runs_[0]);
  group.wait();
  // 3. Up to the first that met something else.
  for (size_t i = 0; i < pieces; ++i) {
    const NumberRun& run = runs_[i];
    out.insert(out.end(), run.values.begin(), run.values.end());
    p_ = run.stopped;
    line_ += run.lines;
    if (run.line) lineOffset_ = base_ + (run.line - buffer_.get());
    if (run.stopped < cuts[i + 1]) return false;
  }
  return more;
}

void Lexer::readFloats(std::vector<float>& out) {
  if (inArray_) return bulkArrayFloats(out);
  constexpr int kChunk = 512;
  float chunk[kChunk];
  int n = 0;
  bool runs = readRuns(out);
  for (;;) {
    // One blank between two numbers, and enough of the text at hand: as skipWhite() would find.
    if (*p_ == ' ') ++p_;
    const bool ready = startsNumber(*p_) && static_cast<size_t>(end_ - p_) >= kLookAhead;
    if (!ready && !(skipWhite() && startsNumber(*p_))) break;
    float value;
    const char* const end = parseFloat(p_, value);
    if (!end) break;
    p_ = end;
    chunk[n++] = value;
    if (n == kChunk) {
      out.insert(out.end(), chunk, chunk + n);
      n = 0;
      if (runs) runs = readRuns(out);
    }
  }
  out.insert(out.end(), chunk, chunk + n);
}

void Lexer::readInts(std::vector<int32_t>& out) {
  if (inArray_) return;
  Number number;
  while (skipWhite() && startsNumber(*p_)) {
    const char* end = parseNumber(p_, number);
    if (!end || end + 2 >= end_ || !isDelimiter(*end) || *end == '#' || !number.isInteger) break;
    p_ = end;
    out.push_back(number.integer);
  }
}

}  // namespace reyes::rib
