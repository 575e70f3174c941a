// SPDX-License-Identifier: Apache-2.0
// The loop over requests: find the name in the table, read, call, go on at the next request whatever happened.
#include "reyes/rib/reader.h"

#include <fstream>

#include "reyes/base/format.h"
#include "reyes/rib/arguments.h"
#include "reyes/rib/request_table.h"

namespace reyes::rib {
namespace {

constexpr int kMaxUnknown = 100;  ///< in a row; then the stream is something else

class Reader {
 public:
  Reader(std::istream& in, const ReaderOptions& options, Declarations& declarations, Ri& ri, Diagnostics& diag)
      : options_(options),
        lexer_(in, options.file, diag, options.stopAtMarker, options.parallel),
        arguments_(lexer_, declarations, diag),
        ri_(ri),
        diag_(diag) {}

  bool run() {
    while (step()) {
    }
    return !lexer_.failed() && !garbage_;
  }

 private:
  /// One request. False at the end.
  bool step() {
    const TokenKind kind = arguments_.peek().kind;
    passComments();
    if (kind == TokenKind::kEnd) return false;
    if (kind == TokenKind::kWord) return request(arguments_.take());
    if (kind != TokenKind::kBad)
      diag_.error("rib-no-request", arguments_.peek().loc, "values that belong to no request");
    arguments_.take();
    arguments_.skipToRequest();
    return true;
  }

  bool request(const Token& token) {
    const RequestEntry* entry = findRequest(token.text);
    arguments_.begin(entry ? entry->name : "", token.loc);
    if (!entry) {
      if (++unknown_ > kMaxUnknown) return giveUp(token.loc);
      const std::string nearest = nearestRequest(token.text);
      diag_.error("rib-unknown-request", token.loc,
                  format("unknown request {}{}", token.text.substr(0, 80),
                         nearest.empty() ? "" : format("; did you mean {}?", nearest)));
      arguments_.skipToRequest();
      return true;
    }
    unknown_ = 0;
    ri_.setAt(token.loc);
    if (!entry->read(arguments_, ri_)) arguments_.skipToRequest();
    return !(options_.stopAtWorldEnd && token.text == "WorldEnd");
  }

  bool giveUp(const SourceLoc& loc) {
    diag_.error("rib-garbage", loc, "too many words that are no requests: this is no RIB, reading stops here",
                Impact::kInput);
    garbage_ = true;
    return false;
  }

  void passComments() {
    for (const Comment& c : arguments_.takeComments()) {
      ri_.setAt(c.loc);
      ri_.archiveRecord(c.structure ? "structure" : "comment", c.text);
    }
  }

  ReaderOptions options_;
  Lexer lexer_;
  Arguments arguments_;
  Ri& ri_;
  Diagnostics& diag_;
  int unknown_ = 0;  ///< unknown requests since the last known one
  bool garbage_ = false;
};

}  // namespace

bool readRib(std::istream& in, const ReaderOptions& options, Declarations& declarations, Ri& ri, Diagnostics& diag) {
  return Reader(in, options, declarations, ri, diag).run();
}

bool readRibFile(const std::string& path, Declarations& declarations, Ri& ri, Diagnostics& diag, const SourceLoc& from,
                 Parallel* parallel) {
  std::vector<char> buffer(64 * 1024);
  std::ifstream in;
  in.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  in.open(path, std::ios::binary);
  // A folder opens but cannot be read.
  if (in && in.peek() == std::char_traits<char>::eof() && !in.eof()) in.close();
  in.clear(in.is_open() ? std::ios::goodbit : std::ios::failbit);
  if (!in) {
    diag.error("rib-cannot-open", from, format("cannot open {}", path), Impact::kInput);
    return false;
  }
  ReaderOptions options;
  options.file = Name(path);
  options.parallel = parallel;
  return readRib(in, options, declarations, ri, diag);
}

}  // namespace reyes::rib
