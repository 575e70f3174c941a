// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/frame_runner.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/display/display.h"
#include "reyes/session/recovery.h"
#include "reyes/session/view_builder.h"

namespace reyes::session {
namespace {
bool hasOverrides(const SessionOptions& o) {
  return o.crop[0].has_value() || o.region.has_value() || o.resolution.has_value() || o.scale != 1;
}

texture::TextureSystem& textures(Run& run, const OptionState& options) {
  constexpr int64_t kDefaultBytes = int64_t(512) << 20;
  if (!run.textures) {
    const int64_t bytes = options.textureMemoryKb > 0 ? int64_t(options.textureMemoryKb) << 10 : kDefaultBytes;
    run.textures = std::make_unique<texture::TextureSystem>(run.diag, bytes);
  }
  Folders folders = {"."};
  if (const std::string folder = folderOf(run.mainFile); !folder.empty()) folders.push_back(folder);
  for (const std::string& f : options.paths.texture) folders.push_back(options.paths.dirMap.apply(f));
  run.textures->setSearchPath(folders);
  texture::TextureOptions o;
  o.isa = run.options.isa;
  o.threads = run.options.parallel->threads();
  o.cacheFolder = defaultCacheFolder();
  o.filter = options.textureFilter;
  o.lerp = options.textureLerp;
  o.sWrap = options.textureWrap[0], o.tWrap = options.textureWrap[1];
  o.missingColour = options.textureMissing;
  run.textures->configure(o);
  return *run.textures;
}

render::RenderOptions renderOptions(Run& run, const OptionState& options, int frame) {
  render::RenderOptions r;
  r.parallel = run.options.parallel;
  r.isa = run.options.isa;
  r.textures = &textures(run, options);
  r.diag = &run.diag;
  r.profile = run.options.profile;
  r.rateScale = run.options.rate;
  r.memoryLimitBytes = run.options.memoryLimitBytes;
  if (run.options.progress) r.progress = [&run, frame](float done) { run.options.progress(frame, done); };
  r.stop = run.options.stop;
  r.sceneFile = run.mainFile;
  r.sceneHash = format("{:016x}", run.sceneHash());
  return r;
}

bool isDepth(const scene::DisplaySpec& d) {
  if (display::formatOf(d.type, d.name) == "deepshad") return true;
  return std::all_of(d.variables.begin(), d.variables.end(), [](const auto& v) { return v.name == "z"; });
}
bool depthOnly(const scene::View& view) { return std::all_of(view.displays.begin(), view.displays.end(), isDepth); }

/// Primitives without lights; those of procedurals lose theirs when they are made.
void darken(scene::Primitives& primitives);

class Unlit final : public scene::Deferred {
 public:
  explicit Unlit(std::shared_ptr<const scene::Deferred> lit) : lit_(std::move(lit)) {}
  scene::Primitives expand() const override {
    scene::Primitives primitives = lit_->expand();
    darken(primitives);
    return primitives;
  }

 private:
  std::shared_ptr<const scene::Deferred> lit_;
};

void darken(scene::Primitives& primitives) {
  std::map<const scene::Attributes*, scene::AttributesPtr> copies;
  for (scene::Primitive& p : primitives) {
    if (p.deferred) p.deferred = std::make_shared<Unlit>(p.deferred);
    if (p.attributes->lights.empty()) continue;
    scene::AttributesPtr& copy = copies[p.attributes.get()];
    if (!copy) {
      auto dark = std::make_shared<scene::Attributes>(*p.attributes);
      dark->lights.clear();
      copy = std::move(dark);
    }
    p.attributes = copy;
  }
}

/// The same world without lights. Depths and opacities need none, and the maps that lights look up may only now be in
/// the making.
scene::World unlit(const scene::World& world) {
  scene::World w = world;
  darken(w.primitives);
  return w;
}

/// A depth pass of nothing but "null" surfaces: they spare shading where none is wanted, and are solid.
bool allNull(const scene::World& world) {
  return !world.primitives.empty() && std::all_of(world.primitives.begin(), world.primitives.end(), [](const auto& p) {
    return p.attributes->surface && p.attributes->surface->name == "null";
  });
}

scene::World solid(Run& run, scene::World world) {
  auto surface = std::make_shared<scene::ShaderInstance>();
  surface->name = "defaultsurface";
  surface->program = run.shaders.defaultSurface();
  for (scene::Primitive& p : world.primitives) {
    auto attributes = std::make_shared<scene::Attributes>(*p.attributes);
    attributes->surface = surface;
    p.attributes = std::move(attributes);
  }
  return world;
}

void runView(Run& run, const scene::World& world, const scene::View& view, const OptionState& options) {
  FrameReport report;
  report.frame = view.frame;
  report.sceneFile = run.mainFile;
  report.width = view.crop.width(), report.height = view.crop.height();
  report.isPass = view.isPass;
  for (const scene::DisplaySpec& d : view.displays) {
    report.outputs.push_back(d.name);
    run.need("output", d.name, d.name, d.loc);
  }
  if (run.options.onWorld) run.options.onWorld(world, view);
  if (!run.options.checkOnly && !run.options.planOnly) {
    render::RenderOptions renderOpts = renderOptions(run, options, view.frame);
    wantCheckpoint(run, world, view, renderOpts);
    const size_t messages = run.options.checkpoint.seconds > 0 ? run.diag.all().size() : 0;
    const Rendering rendering(run);
    report.result = !depthOnly(view) ? render::renderFrame(world, view, renderOpts)
                    : allNull(world) ? render::renderFrame(solid(run, unlit(world)), view, renderOpts)
                                     : render::renderFrame(unlit(world), view, renderOpts);
    run.stats.merge(report.result.stats);
    run.renderSeconds += report.result.seconds;
    run.stopped |= report.result.stopped && run.stops();
    if (!report.result.checkpoint.empty() && report.result.whole)
      run.whole.push_back({report.result.checkpoint, report.result.checkpointWords, messages, run.diag.all().size()});
    if (report.result.wasWhole)
      run.diag.info("checkpoint-whole", {}, format("frame {} is written already, and is passed over", view.frame));
  }
  for (const scene::DisplaySpec& d : view.displays) {
    if (!view.isPass && display::formatOf(d.type, d.name) != "null") run.pictures.insert(d.name);
    noteMade(run, d.name);
  }
  for (const std::string& file : report.result.files) noteMade(run, file);
  run.frames.push_back(std::move(report));
  if (run.options.onFrame) run.options.onFrame(run.frames.back());
}
/// The maps of lights that ask for them. Those without a name lie in a folder that goes away with this.
class OwnShadows {
 public:
  OwnShadows(Run& run, scene::World& world, const OptionState& options, const scene::View& camera,
             std::vector<AutoShadow>& wanted)
      : run_(run) {
    if (wanted.empty()) return;
    if (run.options.checkOnly || run.options.planOnly) {
      for (const AutoShadow& w : wanted)
        if (!w.file.empty()) told(w.file, w.resolution, camera.frame);
      return;
    }
    std::error_code ec;
    folder_ = std::filesystem::temp_directory_path(ec) / format("reyes-{}-{}", getpid(), run.worldCount);
    std::filesystem::create_directories(folder_, ec);
    AutoShadowJob job;
    job.camera = camera;
    job.folder = folder_;
    job.render = [&](const scene::World& casters, const scene::View& view) {
      if (run.stops()) return;
      const Rendering rendering(run);
      const render::RenderResult result =
          render::renderFrame(unlit(casters), view, renderOptions(run, options, camera.frame));
      run.stats.merge(result.stats);
      run.renderSeconds += result.seconds;
    };
    job.made = [&](const std::string& file, int resolution) {
      noteMade(run, file);
      if (!file.starts_with(folder_.string())) told(file, resolution, camera.frame);
    };
    makeAutoShadows(wanted, world, job, run.options.isa, run.diag);
  }
  ~OwnShadows() {
    if (folder_.empty()) return;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ec))
      if (run_.textures) run_.textures->invalidate(entry.path().string());
    std::filesystem::remove_all(folder_, ec);
  }
  OwnShadows(const OwnShadows&) = delete;
  OwnShadows& operator=(const OwnShadows&) = delete;

 private:
  void told(const std::string& file, int resolution, int frame) {
    FrameReport report;
    report.frame = frame;
    report.sceneFile = run_.mainFile;
    report.width = report.height = resolution;
    report.outputs = {file};
    report.isPass = true;
    if (!run_.options.checkOnly && !run_.options.planOnly) report.result.files = {file};
    run_.need("output", file, file, {});
    noteMade(run_, file);
    run_.frames.push_back(std::move(report));
    if (run_.options.onFrame) run_.options.onFrame(run_.frames.back());
  }

  Run& run_;
  std::filesystem::path folder_;
};
}  // namespace

void noteMade(Run& run, const std::string& file) {
  run.made.insert(file);
  if (run.textures) run.textures->invalidate(file);
}

void runWorld(Run& run, scene::World& world, const OptionState& options,
              const scene::AnimatedTransform& cameraFromWorld, const WorldPlace& place, LightWork lights) {
  ++run.worldCount;
  if (options.hider == "photon" || options.hider == "null" || options.hider == "none") return;
  if (run.stops()) return;
  if (run.options.missingIsError && run.missing) {
    run.diag.error("missing-stops", place.loc, "something that the scene names is missing: nothing is rendered",
                   Impact::kInput);
    return;
  }
  const std::vector<scene::DisplaySpec> displays = makeDisplays(run, options, place);
  if (!displaysAreDistinct(run, displays)) return;

  // Flags change pictures and never passes: where a world has both, each kind gets a view of its own.
  std::vector<scene::DisplaySpec> passes, pictures;
  for (const scene::DisplaySpec& d : displays) (isPassDisplay(d) ? passes : pictures).push_back(d);
  if (!hasOverrides(run.options) && !pictures.empty()) {
    pictures = displays;
    passes.clear();
  }
  // Surfaces of the pictures' lights, and maps that they ask for; depths need none.
  const scene::View camera = buildView(options, cameraFromWorld, run.options, {true, place.frame});
  const bool lit = std::any_of(pictures.begin(), pictures.end(), [](const auto& d) { return !isDepth(d); });
  if (!lit || camera.crop.empty()) lights = {};
  if (!lights.surfaces.empty()) {
    const shade::FrameServices services{&world, &camera, &textures(run, options), &run.diag, run.options.isa};
    makeLightSurfaces(run, world, lights.surfaces, services);
  }
  const OwnShadows own(run, world, options, camera, lights.shadows);
  for (const bool pass : {true, false}) {
    const std::vector<scene::DisplaySpec>& mine = pass ? passes : pictures;
    if (mine.empty()) continue;
    scene::View view = buildView(options, cameraFromWorld, run.options, {!pass, place.frame});
    view.displays = mine;
    view.isPass = pass;
    if (view.crop.empty())
      run.diag.error("empty-crop", place.loc, "the crop window holds no pixel: nothing is rendered");
    else
      runView(run, world, view, options);
  }
}

}  // namespace reyes::session
