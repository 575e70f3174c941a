// SPDX-License-Identifier: Apache-2.0
// The arguments of one request: tokens to typed values, with the liberties that RIB files take (scalars in brackets,
// arrays of one without, any white space). Used by the request table; faults are reported here, and then the request
// is given up.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reyes/rib/lexer.h"
#include "reyes/rib/reader.h"

namespace reyes::rib {

struct Comment {
  bool structure = false;
  std::string text;
  SourceLoc loc;
};

class Arguments {
 public:
  Arguments(Lexer& lexer, Declarations& declarations, Diagnostics& diag)
      : lexer_(lexer), declarations_(declarations), diag_(diag) {}

  // All return false where the request must be given up; the fault is reported.
  bool read(float& out);
  bool read(int& out);
  bool read(bool& out);
  bool read(std::string& out);
  bool read(Handle& out);
  bool read(Vec3& out) { return read(out.x) && read(out.y) && read(out.z); }
  bool read(Matrix4& out);
  bool read(BasisArg& out);
  bool read(FilterArg& out) { return read(out.name) && read(out.xWidth) && read(out.yWidth); }
  bool read(std::vector<float>& out);
  bool read(std::vector<int>& out);
  bool read(std::vector<std::string>& out);
  bool read(ParamList& out);
  /// Everything up to the next request as parameters without names.
  bool readRest(ParamList& out);

  /// What comes next, comments set aside.
  const Token& peek();
  bool nextIs(TokenKind kind) { return peek().kind == kind; }

  void begin(const char* request, const SourceLoc& loc);
  /// After the last argument: deals with what is too much. False where the stream broke off inside the request.
  bool finish();
  /// To the next request, or the end.
  void skipToRequest();
  bool fail(const char* code, std::string text);

  Token take();
  std::vector<Comment> takeComments() { return std::exchange(comments_, {}); }
  Declarations& declarations() { return declarations_; }
  Diagnostics& diag() { return diag_; }
  const char* request() const { return request_; }
  const SourceLoc& requestLoc() const { return loc_; }
  void forgetSpecs() { specs_.clear(); }

 private:
  struct Spec {
    VarSpec spec;
    bool standard = false;
  };
  void drop() { peeked_ = false; }
  const Token& scalar();
  void closeScalar();
  bool missing(const char* what);
  bool readArrayBody(std::vector<float>& floats, std::vector<int>* ints, std::vector<std::string>* strings);
  bool toInts(const std::vector<float>& floats, std::vector<int>& out);
  bool readParam(ParamList& out);
  bool readValues(Param& param);
  bool fitsType(Param& param, bool standard);
  const Spec& specOf(const std::string& token);

  Lexer& lexer_;
  Declarations& declarations_;
  Diagnostics& diag_;
  const char* request_ = "";
  SourceLoc loc_;
  Token token_;
  bool peeked_ = false;
  bool bracket_ = false;  ///< inside a bracket round scalars
  int lastLine_ = 0;      ///< line of the last token taken
  std::vector<Comment> comments_;
  std::unordered_map<std::string, Spec> specs_;  ///< parameter tokens seen, until the next Declare
};

}  // namespace reyes::rib
