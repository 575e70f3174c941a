// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "reyes/base/format.h"

namespace reyes::tools {
namespace {

using Json = nlohmann::ordered_json;

template <class Visit>
void eachStage(const Stats& stats, Visit visit) {
  for (int i = 0; i < static_cast<int>(Stage::kCount); ++i)
    visit(stageName(static_cast<Stage>(i)), stats.seconds[static_cast<size_t>(i)]);
}
template <class Visit>
void eachCounter(const Stats& stats, Visit visit) {
  for (int i = 0; i < static_cast<int>(Counter::kCount); ++i)
    visit(counterName(static_cast<Counter>(i)), stats.counts[static_cast<size_t>(i)]);
}

/// Memory of grids at their peak for each micropolygon of the frame.
double bytesAMicropolygon(const render::RenderResult& r) {
  const int64_t n = r.stats.get(Counter::kMicropolygons);
  return n > 0 ? static_cast<double>(r.peakGridBytes) / static_cast<double>(n) : 0;
}

Json statsJson(const Stats& stats) {
  Json stages = Json::object(), counts = Json::object();
  eachStage(stats, [&](const char* name, double s) { stages[name] = s; });
  eachCounter(stats, [&](const char* name, int64_t n) { counts[name] = n; });
  return {{"stages", stages}, {"counts", counts}};
}

/// Of textures: which thread comes first decides what is read when, so these are no counters of the scene.
template <class Visit>
void eachTextureCount(const texture::TextureStats& s, Visit visit) {
  visit("texture_lookups", s.lookups);
  visit("texture_tile_requests", s.tileRequests);
  visit("texture_tile_hits", s.tileHits);
  visit("texture_files", s.files);
  visit("texture_tiles_read", s.tilesRead);
  visit("texture_bytes_read", s.bytesRead);
  visit("texture_redundant_tiles", s.redundantTiles);
  visit("texture_redundant_bytes", s.redundantBytes);
  visit("texture_bytes_held", s.bytesHeld);
  visit("shadow_map_files", s.shadowMaps);
  visit("shadow_map_pages_read", s.shadowPagesRead);
  visit("shadow_map_pages_read_again", s.shadowPagesAgain);
  visit("shadow_map_bytes_held", s.shadowBytesHeld);
}

std::string jsonReport(const session::Session& session, const RenderFlags& flags, const Diagnostics& diag,
                       const RunSummary& summary) {
  Json root;
  root["version"] = REYES_VERSION;
  root["files"] = flags.files;
  root["status"] = summary.status;
  root["seconds"] = summary.seconds;
  root["threads"] = summary.threads;
  root["isa"] = isaName(flags.session.isa);
  root["peakMemoryBytes"] = peakMemoryBytes();
  root["errors"] = diag.count(Severity::kError);
  root["warnings"] = diag.count(Severity::kWarning);
  root["total"] = statsJson(session.stats());
  root["textures"] = Json::object();
  eachTextureCount(session.textureStats(), [&](const char* name, int64_t n) { root["textures"][name] = n; });
  root["frames"] = Json::array();
  for (const session::FrameReport& f : session.frames()) {
    Json frame = {{"frame", f.frame},
                  {"scene", f.sceneFile},
                  {"width", f.width},
                  {"height", f.height},
                  {"pass", f.isPass},
                  {"files", f.result.files},
                  {"seconds", f.result.seconds},
                  {"peakGridBytes", f.result.peakGridBytes},
                  {"bytesAMicropolygon", bytesAMicropolygon(f.result)}};
    frame.update(statsJson(f.result.stats));
    root["frames"].push_back(frame);
  }
  root["messages"] = Json::array();
  for (const Diagnostic& d : diag.all())
    root["messages"].push_back(Json{{"level", levelName(d.severity)},
                                    {"code", d.code},
                                    {"text", d.text},
                                    {"file", d.loc.file.str()},
                                    {"line", d.loc.line}});
  // Names that are not UTF-8 are replaced, never a reason to fail.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string textStats(const Stats& stats) {
  std::string out;
  eachStage(stats, [&](const char* name, double s) {
    if (s > 0) out += format("  {:<22}{:>14.3f} s\n", name, s);
  });
  eachCounter(stats, [&](const char* name, int64_t n) {
    if (n > 0) out += format("  {:<22}{:>14}\n", name, n);
  });
  return out;
}

std::string textReport(const session::Session& session, const RenderFlags& flags, const Diagnostics& diag,
                       const RunSummary& summary) {
  std::string out = format("reyes {}, {} threads, {}\n", REYES_VERSION, summary.threads, isaName(flags.session.isa));
  for (const session::FrameReport& f : session.frames()) {
    out += format("\nframe {} of {}{}: {} x {}, {:.3f} s, grids at most {:.1f} MB, {:.1f} bytes a micropolygon\n",
                  f.frame, f.sceneFile, f.isPass ? " (pass)" : "", f.width, f.height, f.result.seconds,
                  static_cast<double>(f.result.peakGridBytes) / 1e6, bytesAMicropolygon(f.result));
    for (const std::string& file : f.result.files) out += format("  wrote {}\n", file);
    out += textStats(f.result.stats);
  }
  out += format("\nall: {:.3f} s, peak memory {:.1f} MB, {} errors, {} warnings, status {}\n", summary.seconds,
                static_cast<double>(peakMemoryBytes()) / 1e6, diag.count(Severity::kError),
                diag.count(Severity::kWarning), summary.status);
  out += textStats(session.stats());
  eachTextureCount(session.textureStats(), [&](const char* name, int64_t n) {
    if (n > 0 && std::string_view(name) != "texture_lookups") out += format("  {:<24}{:>12}\n", name, n);
  });
  return out;
}

}  // namespace

std::string writeReport(const std::string& file, const session::Session& session, const RenderFlags& flags,
                        const Diagnostics& diag, const RunSummary& summary) {
  const std::string text =
      file.ends_with(".json") ? jsonReport(session, flags, diag, summary) : textReport(session, flags, diag, summary);
  std::FILE* out = file == "-" ? stdout : std::fopen(file.c_str(), "we");
  if (!out) return format("cannot write {}", file);
  bool good = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  good = (out == stdout ? std::fflush(out) : std::fclose(out)) == 0 && good;
  return good ? std::string() : format("cannot write {}", file);
}

std::string wroteLines(const session::FrameReport& report, bool planOnly) {
  std::string out;
  if (planOnly) {
    for (const std::string& file : report.outputs)
      out += format("would write {} ({} x {}, frame {})\n", file, report.width, report.height, report.frame);
    return out;
  }
  for (const std::string& file : report.result.files)
    out += format("wrote {} ({} x {}, {:.2f} s)\n", file, report.width, report.height, report.result.seconds);
  return out;
}

const char* levelName(Severity severity) {
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<int>(severity)];
}

std::string versionText() {
  std::string sets;
  for (const Isa isa : supportedIsas()) sets += std::string(" ") + isaName(isa);
  return format("reyes {}\ninstruction sets:{} (best first choice: {})\nlibraries: {}\n", REYES_VERSION, sets,
                isaName(bestIsa()), REYES_LIBRARIES);
}

}  // namespace reyes::tools
