// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/recovery.h"

#include <sys/stat.h>

#include <algorithm>

#include "reyes/base/format.h"

namespace reyes::session {
namespace {

/// Size and time of each shader and map that the scene names, but those that this run makes itself.
uint64_t hashOfFiles(const Run& run) {
  uint64_t h = 0;
  for (const std::string& path : run.lookedUp) {
    if (run.made.count(path)) continue;
    h = hashCombine(h, hashBytes(path));
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) continue;
    h = hashCombine(h, static_cast<uint64_t>(s.st_size),
                    hashCombine(static_cast<uint64_t>(s.st_mtim.tv_sec), static_cast<uint64_t>(s.st_mtim.tv_nsec)));
  }
  return h;
}

/// Sources, headers and defines of all shaders, in whatever order.
uint64_t hashOfShaders(const scene::World& world, const scene::View& view) {
  std::set<const scene::ShaderInstance*> shaders;
  std::set<const scene::Attributes*> seen;
  shaders.insert(view.imager.get());
  for (const scene::Primitive& p : world.primitives) {
    const scene::Attributes* a = p.attributes.get();
    if (!a || !seen.insert(a).second) continue;
    for (const auto& s : {a->surface, a->displacement, a->atmosphere}) shaders.insert(s.get());
  }
  for (const scene::Light& light : world.lights) shaders.insert(light.shader.get());
  uint64_t sum = 0;
  for (const scene::ShaderInstance* s : shaders)
    if (s && s->program) sum += hashCombine(hashBytes(s->name.str()), s->program->sourceHash);
  return sum;
}

/// Flags that change pictures, and are not in the view.
uint64_t hashOfFlags(const SessionOptions& o) {
  uint64_t h = 0;
  for (const auto* texts : {&o.optionRib, &o.includePaths, &o.defines})
    for (const std::string& s : *texts) h = hashCombine(h, hashBytes(s));
  for (const std::string& s : {o.shaderPath, o.texturePath, o.archivePath, o.proceduralPath})
    h = hashCombine(h, hashBytes(s));
  return hashCombine(h, o.proceduralsExec);
}

}  // namespace

void wantCheckpoint(Run& run, const scene::World& world, const scene::View& view, render::RenderOptions& options) {
  const render::CheckpointOptions& wanted = run.options.checkpoint;
  if (view.isPass || (wanted.seconds <= 0 && !wanted.recover)) return;
  if (run.fromInput) {
    if (run.firstTime("checkpoint-input"))
      run.diag.warning("checkpoint-input", {},
                       "a scene that comes through standard input cannot be known again: there are no checkpoints");
    return;
  }
  options.checkpoint = wanted;
  options.checkpoint.words +=
      format("scene {:016x}, world {}\nshaders {:016x}\nfiles {:016x}\nflags {:016x}\n", run.readHash(), run.worldCount,
             hashOfShaders(world, view), hashOfFiles(run), hashOfFlags(run.options));
}

void finishCheckpoints(Run& run) {
  if (run.whole.empty()) return;
  const std::vector<Diagnostic> messages = run.diag.all();
  for (const WholeFrame& w : run.whole) {
    if (!run.stopped) {
      render::removeCheckpoint(w.checkpoint, w.words);
      continue;
    }
    if (run.options.checkpoint.seconds <= 0) continue;
    const std::span<const Diagnostic> all(messages);
    const std::string fault =
        render::markWhole(w.checkpoint, w.words, all.subspan(w.firstMessage, w.lastMessage - w.firstMessage));
    if (!fault.empty()) run.diag.warning("checkpoint-cannot-write", {}, fault);
  }
}

}  // namespace reyes::session
