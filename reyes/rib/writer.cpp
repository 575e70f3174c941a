// SPDX-License-Identifier: Apache-2.0
// Calls to RIB text. The types of a method's arguments say how each is written; the few requests whose RIB form differs
// are overridden one by one.
#include "reyes/rib/writer.h"

#include <cmath>

#include "reyes/rib/forward_ri.h"
#include "reyes/rib/reader.h"
#include "reyes/rib/token_writer.h"

namespace reyes::rib {
namespace {

class Writer final : public ForwardRi<Writer> {
 public:
  Writer(std::ostream& out, const WriterOptions& options) : tokens_(out, options) {}

  /// Any request without a rule of its own.
  template <class... A, class... B>
  void call(void (Ri::*)(A...), const char* name, const B&... arguments) {
    request(name, arguments...);
  }

  void declare(const std::string& name, const std::string& declaration) override {
    declarations_.declare(name, declaration);
    request("Declare", name, declaration);
  }
  void depthOfField(float fStop, float focalLength, float focalDistance) override {
    if (std::isinf(fStop))
      request("DepthOfField");
    else
      request("DepthOfField", fStop, focalLength, focalDistance);
  }
  void polygon(int, const ParamList& params) override { request("Polygon", params); }
  void points(int, const ParamList& params) override { request("Points", params); }
  void subdivisionMesh(const std::string& scheme, Ints vertexCounts, Ints vertices, Strings tags, Ints argCounts,
                       Ints intArgs, Floats floatArgs, const ParamList& params) override {
    if (tags.empty() && argCounts.empty() && intArgs.empty() && floatArgs.empty())
      request("SubdivisionMesh", scheme, vertexCounts, vertices, params);
    else
      request("SubdivisionMesh", scheme, vertexCounts, vertices, tags, argCounts, intArgs, floatArgs, params);
  }
  void makeCubeFaceEnvironment(Strings faces, const std::string& texture, float fov, const FilterArg& filter,
                               const ParamList& params) override {
    begin("MakeCubeFaceEnvironment");
    for (const std::string& face : faces) write(face);
    (write(texture), write(fov), write(filter), write(params));
    tokens_.endRequest();
  }
  void archiveRecord(const std::string& type, const std::string& text) override {
    const bool oneLine = text.find_first_of("\r\n") == std::string::npos;
    if (type == "comment" && oneLine && !text.starts_with('#'))
      tokens_.comment("#", text);
    else if (type == "structure" && oneLine)
      tokens_.comment("##", text);
    else
      request("ArchiveRecord", type, text);
  }
  void unsupported(const std::string& name, const ParamList& params) override {
    begin(name);
    for (const Param& p : params.all()) writeValues(p);
    tokens_.endRequest();
  }

 private:
  template <class... B>
  void request(const std::string& name, const B&... arguments) {
    begin(name);
    (write(arguments), ...);
    tokens_.endRequest();
  }

  /// Writes the name, indented by the blocks that are open.
  void begin(const std::string& name) {
    if (name.ends_with("End") && depth_ > 0) --depth_;
    const bool branch = name == "Else" || name == "ElseIf";
    tokens_.beginRequest(name, 2 * std::min(depth_, 20) - (branch ? 2 : 0));
    if (name.ends_with("Begin")) ++depth_;
  }

  void write(float v) { tokens_.number(v); }
  void write(int v) { tokens_.integer(v); }
  void write(bool v) { tokens_.integer(v ? 1 : 0); }
  void write(const std::string& v) { tokens_.string(v); }
  void write(Floats v) { tokens_.floats(v); }
  void write(Ints v) { tokens_.integers(v); }
  void write(Strings v) { tokens_.strings(v); }
  void write(Vec3 v) { (write(v.x), write(v.y), write(v.z)); }
  void write(const Matrix4& v) { tokens_.floats({&v.m[0][0], 16}); }
  void write(const FilterArg& v) { (write(v.name), write(v.xWidth), write(v.yWidth)); }
  void write(const Handle& v) {
    std::visit([this](const auto& value) { write(value); }, v);
  }
  void write(const BasisArg& v) {
    if (v.name.empty())
      write(v.matrix);
    else
      write(v.name);
  }
  void write(const ParamList& list) {
    size_t values = 0;
    for (const Param& p : list.all()) values += p.count();
    for (const Param& p : list.all()) {
      if (values > 16) tokens_.breakLine(2 * std::min(depth_, 20) + 4);
      // The plain name where a reader that saw the same declarations gives it the same type.
      const std::string& name = p.spec.name.str();
      const bool plain = p.spec.type == Type::kUnknown || declarations_.lookUp(name) == p.spec;
      tokens_.string(plain ? name : p.spec.declaration() + " " + name);
      writeValues(p);
    }
  }
  void writeValues(const Param& p) {
    const bool unknown = p.spec.type == Type::kUnknown;
    if (!p.strings.empty())
      tokens_.strings(p.strings);
    else if (!p.ints.empty() && (unknown || p.spec.type == Type::kInteger))
      tokens_.integers(p.ints);
    else if (unknown)
      tokens_.untypedFloats(p.floats);
    else
      tokens_.floats(p.floats);
  }

  TokenWriter tokens_;
  Declarations declarations_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Ri> makeWriter(std::ostream& out, const WriterOptions& options) {
  return std::make_unique<Writer>(out, options);
}

}  // namespace reyes::rib
