// SPDX-License-Identifier: Apache-2.0
// `reyes shaderinfo`: what a shader is called, what it takes, and the values it takes where a scene gives none.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "reyes/base/format.h"
#include "reyes/session/search_path.h"
#include "reyes/sl/compiler.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/render_flags.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/program.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes shaderinfo [flags] NAME...\n"
    "\n"
    "Prints the parameters of shaders: NAME is a compiled shader, a source, or a name along the search path.\n";

constexpr const char* kExamples = R"(
examples:
  reyes shaderinfo plastic
  reyes shaderinfo --json ./wood.sl
)";

using ProgramPtr = std::shared_ptr<const vm::Program>;

ProgramPtr loadCompiled(const std::string& path, Diagnostics& diag) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::string error;
  ProgramPtr p = vm::deserialize(bytes, error);
  if (!p) diag.error("shader-bad-file", {Name(path), 0, 0}, error, Impact::kInput);
  return p;
}

/// Looks for NAME, NAME.slb, NAME.sl as given and along the path.
ProgramPtr findShader(const std::string& name, const session::Folders& path, const sl::CompileOptions& options,
                      Diagnostics& diag) {
  for (const char* ext : {"", ".slb", ".sl"}) {
    const std::string file = session::findFile(name + ext, "", path, {});
    if (file.empty()) continue;
    if (file.ends_with(".slb")) return loadCompiled(file, diag);
    if (file.ends_with(".sl")) return sl::compileFile(file, options, diag).program;
  }
  diag.error("shader-missing", {}, format("shader '{}' is not found", name), Impact::kInput);
  return nullptr;
}

struct ParameterInfo {
  std::string name, type, storage;
  bool output = false;
  std::vector<float> numbers;
  std::vector<std::string> strings;
};

std::vector<ParameterInfo> parameters(const ProgramPtr& program) {
  vm::Services services;
  vm::Instance instance(program);
  instance.initialise(services);
  std::vector<ParameterInfo> list;
  for (const vm::Symbol& s : program->symbols) {
    if (s.kind != vm::SymbolKind::kParameter) continue;
    ParameterInfo p;
    p.name = s.name.str();
    p.type = typeName(s.type);
    if (s.arrayLength > 0) p.type += format("[{}]", s.arrayLength);
    p.storage = s.varying ? "varying" : "uniform";
    p.output = s.output;
    const vm::Value v = instance.parameter(s.name);
    for (const std::string_view t : v.strings) p.strings.emplace_back(t);
    for (int e = 0; v.data && v.type != vm::RegType::kString && e < v.elements(); ++e)
      for (int c = 0; c < vm::planeCount(v.type); ++c) p.numbers.push_back(v.at(0, c, e));
    list.push_back(std::move(p));
  }
  return list;
}

void printText(const ProgramPtr& program) {
  std::printf("%s \"%s\"\n", vm::shaderTypeName(program->type), program->name.c_str());
  for (const ParameterInfo& p : parameters(program)) {
    std::string value;
    for (const float f : p.numbers) value += format("{}{}", value.empty() ? "" : " ", f);
    for (const std::string& s : p.strings) value += format("{}\"{}\"", value.empty() ? "" : " ", s);
    std::printf("    \"%s%s %s %s\"  [%s]\n", p.output ? "output " : "", p.storage.c_str(), p.type.c_str(),
                p.name.c_str(), value.c_str());
  }
  for (const auto& [key, text] : program->annotations)
    std::printf("    annotation \"%s\"  \"%s\"\n", key.c_str(), text.c_str());
}

nlohmann::json toJson(const ProgramPtr& program) {
  nlohmann::json j;
  j["name"] = program->name;
  j["type"] = vm::shaderTypeName(program->type);
  j["parameters"] = nlohmann::json::array();
  for (const ParameterInfo& p : parameters(program)) {
    nlohmann::json one = {{"name", p.name}, {"type", p.type}, {"storage", p.storage}, {"output", p.output}};
    if (!p.strings.empty())
      one["default"] = p.strings;
    else if (!p.numbers.empty())
      one["default"] = p.numbers;
    j["parameters"].push_back(std::move(one));
  }
  j["annotations"] = nlohmann::json::object();
  for (const auto& [key, text] : program->annotations) j["annotations"][key] = text;
  return j;
}

}  // namespace

int runShaderInfo(int argc, char** argv) {
  RenderFlags common;
  FlagParser parser;
  std::string shaders;
  sl::CompileOptions options;
  bool json = false;
  parser.section("Flags");
  parser.addSwitch("--json", "print JSON: an object, or a list of them for several names", json);
  parser.addText("--shaders", "PATH", "shader folders", shaders);
  parser.addList("-I", "FOLDER", "look for headers there too", options.includePaths);
  parser.addList("-D", "NAME[=VALUE]", "define a macro", options.defines);
  addLogFlags(parser, common);
  std::vector<std::string> names;
  if (const std::string wrong = parser.parse(argc, argv, names); !wrong.empty())
    return failWith(kExitUsage, wrong + " (try reyes shaderinfo --help)");
  if (parser.helpWanted()) {
    std::printf("%s%s%s", kUsage, parser.help().c_str(), kExamples);
    return kExitOk;
  }
  if (names.empty()) return failWith(kExitUsage, "no shader named (try reyes shaderinfo --help)");

  Log log;
  Diagnostics diag;
  log.attach(diag, common.verbosity, common.logFormat == "prman");
  session::Folders standard;
  if (const char* env = std::getenv("REYES_SHADERS")) standard = session::parseSearchPath(env, {}, {});
  for (const std::string& folder : installedShaderFolders()) standard.push_back(folder);
  for (const std::string& folder : installedIncludeFolders()) options.includePaths.push_back(folder);
  const session::Folders path = shaders.empty() ? standard : session::parseSearchPath(shaders + ":@", standard, {});
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : names) {
    const ProgramPtr program = findShader(name, path, options, diag);
    if (!program) continue;
    if (json)
      all.push_back(toJson(program));
    else
      printText(program);
  }
  if (json) {
    const nlohmann::json& out = names.size() == 1 && all.size() == 1 ? all[0] : all;
    std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
  diag.printRepeats();
  return exitStatus(diag);
}

}  // namespace reyes::tools
