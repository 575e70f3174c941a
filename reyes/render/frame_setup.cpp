// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/frame_setup.h"

#include <algorithm>
#include <map>

#include "reyes/base/format.h"
#include "reyes/render/cells.h"
#include "reyes/render/crowd.h"
#include "reyes/render/elements.h"
#include "reyes/render/found_bound.h"
#include "reyes/render/object_id.h"
#include "reyes/render/open_node.h"

namespace reyes::render {
namespace {

std::string nameOf(const scene::Primitive& p) {
  const Name id = p.attributes->identifierName;
  return id.empty() ? format("primitive {}", p.path) : format("\"{}\"", id.str());
}

/// True where nothing is to be drawn, nor to be said.
bool nobodySees(const OwnRoot& own, const Buckets& buckets) {
  if (own.frame.troubled()) return false;
  if (own.root.state.load(std::memory_order_relaxed) == NodeState::kFailed) return true;
  return own.frame.attributes().cullHidden && buckets.lastTouched(own.root.pixels) < 0;
}

}  // namespace

const AttributeFacts::Facts& AttributeFacts::of(const scene::Attributes& a) {
  if (&a == last_) return *lastFacts_;
  auto it = known_.find(&a);
  if (it == known_.end()) {
    Facts facts;
    facts.displaces = shader_.displaces(a);
    facts.primvars = shader_.wantedPrimvars(a, outputs_.wanted);
    facts.objectId = objectIdOf(a);
    facts.opaque = shader_.isOpaque(a, facts.constants);
    if (outputs_.mattes) facts.tag = outputs_.mattes->tagOf(a, expanded_);
    it = known_.emplace(&a, std::move(facts)).first;
  }
  last_ = &a, lastFacts_ = &it->second;
  return it->second;
}

bool AttributeFacts::Facts::opaqueWith(const geom::Geometry& geometry) const {
  const auto replaced = [&](const VarSpec& v) {
    return std::find(constants.begin(), constants.end(), v.name) != constants.end();
  };
  const auto& variables = geometry.primvars();
  return opaque && std::none_of(variables.begin(), variables.end(), replaced);
}

void preparePrimitive(Worker& worker, AttributeFacts& facts, const scene::Primitive& p, PrimitiveFrame& frame,
                      Node& root) {
  const FrameShared& shared = *worker.frame;
  if (!p.geometry || !p.attributes || !p.attributes->visibleToCamera) {
    root.state.store(NodeState::kFailed, std::memory_order_relaxed);
    return;
  }
  // A procedural is bounded as it is declared.
  static const AttributeFacts::Facts kNone;
  const AttributeFacts::Facts& f = p.deferred ? kNone : facts.of(*p.attributes);
  frame.prepare(*shared.world, *shared.view, *shared.projector, p, shared.rateScale, f.displaces,
                shared.outputs->velocity);
  frame.primvars = f.primvars;
  frame.tag = f.tag;
  frame.objectId = f.objectId;
  frame.shadedLate = !p.deferred && p.attributes->cullHidden && !frame.keysForVelocity() && f.opaqueWith(*p.geometry);
  frame.apart = curvesApart(p);
  frame.cells = mayBeCells(p, frame, *shared.view);
  if (!frame.reachKnown()) frame.setFoundReach(findDisplacementReach(worker, frame));
  makeRoot(frame, root);
}

void countPrimitive(Stats& stats, const Node& root) {
  if (!root.prim) return;
  stats.add(Counter::kPrimitives);
  stats.add(Counter::kNodes);
  if (root.bound.empty()) stats.add(Counter::kCulledFrustum);
}

hider::SamplingSpec samplingOf(const scene::View& view, const Projector& projector, const OutputPlan& outputs,
                               Isa isa) {
  hider::SamplingSpec s;
  s.xSamples = view.xSamples, s.ySamples = view.ySamples;
  s.jitter = view.jitter;
  s.shutterOpen = view.shutterOpen, s.shutterClose = view.shutterClose;
  s.shutter.full[0] = view.shutterOpening.full[0], s.shutter.full[1] = view.shutterOpening.full[1];
  if (const auto& curve = view.shutterOpening.curve) {
    s.shutter.curved = true;
    std::copy(curve->begin(), curve->end(), s.shutter.curve);
  }
  s.lensPixelsX = projector.lensPixelsX(), s.lensPixelsY = projector.lensPixelsY();
  s.focalDistance = view.focalDistance;
  s.lens = {view.aperture.sides, view.aperture.angle, view.aperture.roundness, view.aperture.density};
  s.perspective = view.perspective();
  s.near = projector.near(), s.far = projector.far();
  s.opacityThreshold = view.opacityThreshold, s.zThreshold = view.zThreshold;
  s.depthFilter = static_cast<hider::DepthFilter>(view.depthFilter);
  s.aovFloats = outputs.carriedFloats;
  s.aovThrough.assign(static_cast<size_t>(outputs.carriedFloats), 0);
  for (const CarriedVariable& c : outputs.carried)
    for (int i = 0; i < c.width && c.variable.composited; ++i)
      s.aovThrough[static_cast<size_t>(c.plane + i)] = static_cast<uint8_t>(1 + i % 3);
  for (const CarriedVariable& c : outputs.carried)
    for (int i = 0; i < c.width && c.variable.ofMatte; ++i)
      s.aovThrough[static_cast<size_t>(c.plane + i)] |= hider::kAovOfMatte;
  s.tags = outputs.mattes != nullptr;
  s.depth = false;
  for (const PlannedFilter& f : outputs.filters)
    for (const hider::StatisticsJob& j : f.statistics) s.depth |= j.firstChannel == hider::SampleTile::kZ;
  for (const PlannedFilter& f : outputs.filters)
    for (const hider::FilterJob& j : f.jobs)
      s.depth |= j.mode != hider::FilterMode::kFilter || j.firstChannel == hider::SampleTile::kZ;
  s.bandRows = 2 * outputs.reachY;
  s.isa = isa;
  s.patterns = hider::makePatterns(s);
  return s;
}

FramePrimitives preparePrimitives(FrameShared& shared, std::vector<Worker>& workers, Parallel& parallel) {
  const scene::Primitives& source = shared.world->primitives;
  const bool crowded = source.size() >= kCrowded;
  FramePrimitives r;
  r.own.resize(source.size());
  std::vector<std::vector<CrowdMember>> members(workers.size());
  std::atomic<size_t> cursor{0};
  constexpr size_t kRun = 32;
  // 1. Each for itself. What nobody will see, and what joins a crowd, leaves nothing but its bound.
  parallel.runWorkers([&](int w) {
    Worker& worker = workers[static_cast<size_t>(w)];
    std::unique_ptr<OwnRoot> own;
    for (size_t first = cursor.fetch_add(kRun); first < source.size(); first = cursor.fetch_add(kRun))
      for (size_t i = first; i < std::min(first + kRun, source.size()); ++i) {
        own = std::make_unique<OwnRoot>();
        preparePrimitive(worker, *worker.facts, source[i], own->frame, own->root);
        countPrimitive(worker.stats, own->root);
        if (nobodySees(*own, *shared.buckets)) continue;
        if (crowded && mayJoinCrowd(own->root))
          members[static_cast<size_t>(w)].emplace_back(own->root.bound, static_cast<uint32_t>(i));
        else
          r.own[i] = std::move(own);
      }
    std::sort(members[static_cast<size_t>(w)].begin(), members[static_cast<size_t>(w)].end());
  });
  std::erase(r.own, nullptr);
  r.own.shrink_to_fit();
  // 2. The crowds.
  makeCrowds(shared, members, r);
  return r;
}

void reportPrimitives(std::span<const PrimitiveFrame* const> primitives, Diagnostics& diag, Stats& stats) {
  int found = 0;
  float widest = 0;
  const scene::Primitive* first = nullptr;
  constexpr float kLooseBound = 0.25f;  ///< of the declared bound: less is worth a note
  const PrimitiveFrame* loose = nullptr;
  int looseCount = 0;
  for (const PrimitiveFrame* frame : primitives) {
    const PrimitiveFrame& f = *frame;
    if (!f.prepared()) continue;
    const scene::Primitive& p = f.source();
    if (const float needed = f.neededBound(); needed > 0) {
      const scene::Attributes& a = f.attributes();
      diag.error(
          "displacement-bound", p.loc,
          format("{} is displaced beyond its bound{}: what is outside is not drawn; Attribute \"displacementbound\" "
                 "\"sphere\" [{:.4g}] \"coordinatesystem\" [\"{}\"] would hold it",
                 nameOf(p),
                 a.displacementBoundDeclared
                     ? format(" of {:.4g}", a.displacementBound)
                     : format(" (none given; {:.4g} in camera space found by trial)", f.foundReach()),
                 needed * 1.01f, a.displacementBoundSpace == "null" ? "object" : a.displacementBoundSpace.str()));
      stats.add(Counter::kBoundExceeded);
    }
    if (f.eyeLost)
      diag.error("eye-splits", p.loc,
                 format("{} reaches through the eye plane: a part of it that would be seen is lost", nameOf(p)));
    if (f.throughInfinity())
      diag.error("transform-infinity", p.loc,
                 format("{}: its transform divides by zero or less somewhere on it; it is left out", nameOf(p)));
    if (f.notFinite)
      diag.error("not-finite", p.loc,
                 format("{} has points that are not numbers: parts of it are not drawn", nameOf(p)));
    if (const int64_t n = f.repaired; n > 0)
      diag.warning("nan-repaired", p.loc,
                   format("{}: {} values that its shaders computed are not numbers and became 0", nameOf(p), n));
    if (const float seen = f.observedBound(), bound = f.attributes().displacementBound;
        f.displaces() && f.attributes().displacementBoundDeclared && seen > 0 && seen < kLooseBound * bound) {
      if (!loose) loose = &f;
      ++looseCount;
    }
    if (f.displaces() && !f.attributes().displacementBoundDeclared && f.foundReach() > 0) {
      if (!first) first = &p;
      ++found;
      widest = std::max(widest, f.foundReach());
    }
  }
  if (first)
    diag.info("displacement-bound-found", first->loc,
              format("{} has a displacement shader and no Attribute \"displacementbound\"{}: found by trial, {:.4g} in "
                     "camera space",
                     nameOf(*first), found > 1 ? format(" ({} such primitives)", found) : std::string(), widest));
  if (loose)
    diag.info(
        "displacement-bound-loose", loose->source().loc,
        format("{} has a displacement bound of {:.4g}{}; what was seen of it moved by {:.4g} at most: a smaller bound "
               "is faster",
               nameOf(loose->source()), loose->attributes().displacementBound,
               looseCount > 1 ? format(" ({} such primitives)", looseCount) : std::string(), loose->observedBound()));
}

}  // namespace reyes::render
