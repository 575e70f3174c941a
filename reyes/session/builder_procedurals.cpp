// SPDX-License-Identifier: Apache-2.0
// Procedurals: DelayedReadArchive and RunProgram become deferred parts of the world where they have a bound to wait
// behind, and are read at once where they have none. DynamicLoad is named as missing.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/geom/bound_box.h"
#include "reyes/session/builder.h"
#include "reyes/session/deferred.h"

namespace reyes::session {
namespace {

constexpr size_t kDeepest = 256;  ///< procedurals within procedurals

/// A box that content can wait behind: ordered, finite, and not one of the huge ones that stand for "unknown".
bool boundOf(rib::Floats box6, Bound3& box) {
  if (box6.size() != 6) return false;
  for (size_t i = 0; i < 6; ++i)
    if (!std::isfinite(box6[i]) || std::fabs(box6[i]) > 1e12f) return false;
  box = {{box6[0], box6[2], box6[4]}, {box6[1], box6[3], box6[5]}};
  return !box.empty();
}

std::string firstWord(const std::string& command) {
  std::istringstream in(command);
  std::string word;
  in >> word;
  return word;
}

}  // namespace

SceneBuilder::SceneBuilder(Run& run, const FrozenState& frozen, const AttributeState& state, uint64_t path)
    : run_(run),
      options_(frozen.options),
      state_(state),
      world_(std::make_unique<scene::World>()),
      detailView_(frozen.detailView),
      cameraFromWorld_(frozen.cameraFromWorld),
      bases_(frozen.bases),
      lights_(frozen.lights),
      lightHandles_(frozen.lightHandles),
      spaces_(frozen.spaces),
      objects_(frozen.objects),
      resources_(frozen.resources),
      defaultSurface_(frozen.defaultSurface),
      frame_(frozen.frame),
      inFrame_(frozen.inFrame),
      procedural_(true),
      path_(path),
      depth_(frozen.depth + 1) {}

std::shared_ptr<const FrozenState> SceneBuilder::frozen() {
  if (!frozen_) {
    auto f = std::make_shared<FrozenState>();
    f->options = options_;
    f->detailView = detailView_;
    f->cameraFromWorld = cameraFromWorld_;
    f->bases = bases_;
    f->lights = lights_;
    f->lightHandles = lightHandles_;
    f->spaces = spaces_;
    f->objects = objects_;
    f->resources = resources_;
    f->defaultSurface = defaultSurface();
    f->frame = frame_, f->inFrame = inFrame_;
    f->depth = depth_;
    frozen_ = std::move(f);
  }
  return frozen_;
}

uint64_t SceneBuilder::nextPath() const {
  const uint64_t index = shapes_;
  // Paths of a world count from 0; those inside procedurals are spread over the upper half of 32 bits.
  return procedural_ ? 0x80000000u | (hashCombine(path_ + 1, index) & 0x7fffffffu) : index;
}

scene::Primitives SceneBuilder::takePrimitives() {
  if (motion_) {
    run_.diag.error("rib-unclosed-block", motion_->loc, "MotionBegin is not closed at the end of a procedural");
    motion_.reset();
  }
  for (const Block& block : blocks_)
    run_.diag.error("rib-unclosed-block", block.loc,
                    reyes::format("{} is not closed at the end of a procedural", beginName(block.kind)));
  return std::move(world_->primitives);
}

void SceneBuilder::addProcedural(rib::Floats box6, Content content) {
  const SourceLoc here = at();
  Bound3 box;
  const bool waits = boundOf(box6, box) && !run_.options.checkOnly && !run_.options.planOnly;
  if (depth_ >= static_cast<int>(kDeepest))
    return run_.diag.error("procedural-depth", here,
                           reyes::format("procedurals are {} deep in each other: this one is left out", kDeepest));
  if (!waits) {
    attributeBegin();
    ++depth_;
    content(run_, here);
    --depth_;
    setAt(here);
    attributeEnd();
    return;
  }
  const uint64_t path = nextPath();
  const size_t before = world_->primitives.size();
  addPrimitive(geom::makeBoundBox(box), {});
  if (world_->primitives.size() == before) return;
  AttributeState inside = state_;
  ++inside.depth;
  world_->primitives.back().deferred = makeDeferred(run_, frozen(), inside, path, here, std::move(content));
}

float SceneBuilder::detailOf(rib::Floats box6) const {
  if (box6.size() != 6) return 0;
  std::array<float, 6> box;
  std::copy(box6.begin(), box6.end(), box.begin());
  return rasterArea(box, state_.ctm);
}

void SceneBuilder::runProgram(const std::string& command, const std::string& data, rib::Floats box6) {
  const std::string word = firstWord(command);
  std::string program = findFile(word, folderOf(at().file.str()), options_.paths.procedural, options_.paths.dirMap);
  run_.need("procedural", word, program, at());
  if (program.empty()) program = word;  // the system's search path may know it
  if (run_.options.checkOnly || run_.options.planOnly) return;
  if (!run_.options.proceduralsExec) {
    if (run_.firstTime("refused " + command))
      run_.diag.error("procedural-refused", at(),
                      reyes::format("RunProgram \"{}\" is refused by --no-procedurals-exec", command),
                      Impact::kPicture);
    return;
  }
  ProgramLimits limits;
  const auto option = [&](const char* name, double& value) {
    const auto found = options_.named.find(name);
    if (found != options_.named.end() && !found->second.floats.empty()) value = found->second.floats[0];
  };
  option("procedural:timelimit", limits.seconds), option("procedural:outputlimit", limits.megabytes);
  const std::string line = reyes::format("{} {}", detailOf(box6), data);
  addProcedural(box6, [command, program, line, limits](Run& run, const SourceLoc& loc) {
    std::unique_ptr<ProgramPipe>& pipe = run.programs[command];
    if (!pipe) pipe = std::make_unique<ProgramPipe>(command, program);
    ProgramLimits own = limits;
    own.stop = run.options.stop, own.errorCount = [&run] { return run.diag.count(Severity::kError); };
    const std::string error = pipe->request(line, own, [&](std::istream& in) {
      rib::ReaderOptions reader;
      reader.file = Name(reyes::format("output of \"{}\"", command));
      reader.stopAtMarker = true;
      rib::readRib(in, reader, run.declarations, *run.gate, run.diag);
    });
    // What is cut short by a stop is in no picture.
    const bool stops = run.options.stop && run.options.stop();
    if (!error.empty() && !stops && run.firstTime("program " + command))
      run.diag.error("procedural-program", loc, reyes::format("RunProgram \"{}\" {}", command, error),
                     Impact::kPicture);
  });
}

void SceneBuilder::procedural(const std::string& type, rib::Strings args, rib::Floats box6) {
  if (args.empty())
    return run_.diag.error("rib-bad-argument", at(), reyes::format("Procedural \"{}\" names nothing", type));
  if (motion_) return nestingError("Procedural inside MotionBegin");
  if (!primitiveAllowed("Procedural")) return;
  if (type == "DelayedReadArchive") {
    const std::string name = args[0];
    return addProcedural(box6, [name](Run& run, const SourceLoc& loc) {
      static_cast<void>(loc);
      run.gate->readArchive(name, {});
    });
  }
  if (type == "RunProgram") return runProgram(args[0], args.size() > 1 ? args[1] : "", box6);
  run_.need("procedural", args[0],
            findFile(args[0], folderOf(at().file.str()), options_.paths.procedural, options_.paths.dirMap), at());
  primitiveNotBuilt(reyes::format("Procedural \"{}\"", type).c_str());
}

void SceneBuilder::procedural2(const std::string& type, const std::string& boundType, const ParamList& params) {
  const Param *file = params.find("filename"), *command = params.find("command"), *data = params.find("data"),
              *bound = params.find("bound");
  const rib::Floats box6 = boundType == "SimpleBound" && bound ? rib::Floats(bound->floats) : rib::Floats();
  const Param* name = type == "RunProgram2" && command ? command : file;
  if ((type == "DelayedReadArchive2" || type == "RunProgram2") && name && !name->strings.empty()) {
    std::vector<std::string> args{name->strings[0]};
    if (data && !data->strings.empty()) args.push_back(data->strings[0]);
    return procedural(type.substr(0, type.size() - 1), args, box6);
  }
  primitiveNotBuilt(reyes::format("Procedural2 \"{}\"", type).c_str());
}

}  // namespace reyes::session
