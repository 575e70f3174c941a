// SPDX-License-Identifier: Apache-2.0
// The frame: R. L. Cook, L. Carpenter, E. Catmull, "The Reyes Image Rendering Architecture" (1987), with a tree that
// grows as buckets ask. Read renderBucket() first: every stage of the renderer is one of its verbs.
#include "reyes/render/render_frame.h"

#include <algorithm>
#include <chrono>
#include <queue>
#include <thread>

#include "reyes/base/format.h"
#include "reyes/render/checkpoint.h"
#include "reyes/render/expand.h"
#include "reyes/render/film.h"
#include "reyes/render/frame_renderer.h"
#include "reyes/render/frame_setup.h"
#include "reyes/render/hidden_grid.h"
#include "reyes/render/open_node.h"
#include "reyes/render/root_tree.h"

namespace reyes::render {
namespace {

/// A node that waits in a bucket's queue: what orders it is at hand.
struct Waiting {
  float z;
  uint8_t depth;
  uint64_t order;
  Node* node;
};
/// Nearest first; equal depths in the order of the scene file.
struct NearerFirst {
  bool operator()(const Waiting& a, const Waiting& b) const {
    if (a.z != b.z) return a.z > b.z;
    if (a.order != b.order) return a.order > b.order;
    return a.depth > b.depth;
  }
};
class NodeQueue : public std::priority_queue<Waiting, std::vector<Waiting>, NearerFirst> {
 public:
  /// True where something that waits may come before a part of `box`.
  bool mayHide(const RasterBound& box, size_t from = 0) const {
    // The container is a heap: what is below a node of it is no nearer.
    if (from >= c.size() || c[from].z >= box.z1) return false;
    const RasterBound& b = c[from].node->bound;
    if (b.x0 < box.x1 && b.x1 > box.x0 && b.y0 < box.y1 && b.y1 > box.y0) return true;
    return mayHide(box, 2 * from + 1) || mayHide(box, 2 * from + 2);
  }
};

PixelRect grown(const PixelRect& r, int x, int y) {
  return r.empty() ? PixelRect{} : PixelRect{r.x0 - x, r.y0 - y, r.x1 + x, r.y1 + y};
}

class FrameRenderer {
 public:
  FrameRenderer(const scene::World& world, const scene::View& view, const RenderOptions& options,
                const GridShaderFactory& shaders)
      : view_(view),
        options_(options),
        outputs_(planOutputs(view, *options.diag)),
        projector_(view, outputs_.reachX, outputs_.reachY),
        sampling_(samplingOf(view, projector_, outputs_, options.isa)),
        sites_(sampling_),
        buckets_(grown(view.crop, outputs_.reachX, outputs_.reachY), view.bucketWidth, view.bucketHeight,
                 options.parallel->threads()),
        film_(view, sampling_, outputs_, buckets_),
        workers_(static_cast<size_t>(options.parallel->threads())) {
    shared_.world = &world, shared_.view = &view;
    shared_.projector = &projector_, shared_.outputs = &outputs_;
    shared_.buckets = &buckets_, shared_.sites = &sites_, shared_.diag = options.diag;
    shared_.rateScale = options.rateScale;
    for (size_t i = 0; i < workers_.size(); ++i) {
      Worker& w = workers_[i];
      w.thread = static_cast<int>(i);
      w.frame = &shared_;
      w.shader = shaders();
      w.facts = std::make_unique<AttributeFacts>(*w.shader, outputs_, false);
      w.hider = std::make_unique<hider::BucketHider>(sampling_);
    }
  }

  RenderResult run();

 private:
  void renderBuckets(Worker& worker);
  bool renderBucket(Worker& worker, int order);
  void renderUnculled();
  void report(Stats& stats);
  void drop();
  bool allWritten() const;
  void takeLeave(Worker& worker, std::vector<std::unique_ptr<Expansion>> gone);
  void openAll(Worker& worker, Node& node);
  bool goOn();
  void waitForMemory();
  void showProgress();

  const scene::View& view_;
  const RenderOptions& options_;
  OutputPlan outputs_;
  Projector projector_;
  hider::SamplingSpec sampling_;
  hider::SampleSites sites_;
  Buckets buckets_;
  Film film_;
  FrameShared shared_;
  std::vector<Worker> workers_;
  FramePrimitives primitives_;
  std::unique_ptr<RootTree> roots_;
  std::atomic<bool> stopped_{false}, outOfMemory_{false};
  std::atomic<int> active_{0};
  std::mutex progressMutex_;
  std::unique_ptr<Checkpoint> checkpoint_;  ///< where one is wanted
};

RenderResult FrameRenderer::run() {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  // Hours of work for a file that cannot be written would be lost.
  RenderResult result;
  if (!openDisplays(outputs_, view_, options_)) return result;
  checkpoint_ = Checkpoint::of(view_, options_, outputs_, buckets_, film_);
  if (checkpoint_) {
    result.checkpoint = checkpoint_->path(), result.checkpointWords = checkpoint_->words();
    result.whole = result.wasWhole = checkpoint_->whole();
    if (result.wasWhole) return result;
  }
  primitives_ = preparePrimitives(shared_, workers_, *options_.parallel);
  std::vector<Node*> roots;
  for (const std::unique_ptr<OwnRoot>& o : primitives_.own)
    if (o->root.state.load() == NodeState::kFresh) roots.push_back(&o->root);
  for (int i = 0; i < primitives_.crowdCount; ++i) roots.push_back(&primitives_.crowds[static_cast<size_t>(i)]);
  roots_ = std::make_unique<RootTree>(buckets_.region(), std::move(roots));

  renderUnculled();
  options_.parallel->runWorkers([&](int w) { renderBuckets(workers_[static_cast<size_t>(w)]); });

  for (const Worker& w : workers_) result.stats.merge(w.stats), result.stats.merge(w.hider->stats());
  report(result.stats);
  result.seconds = elapsed();
  result.peakGridBytes = shared_.peakGridBytes;
  result.stopped = stopped_;
  // What is not needed any more goes while the pictures go to the disk.
  TaskGroup dropping(*options_.parallel);
  dropping.run([this] { drop(); });
  if (!stopped_) {
    const StageTimer timer(result.stats, Stage::kWrite);
    result.files = closeDisplays(outputs_, options_, result.stats, result.seconds);
  }
  result.whole = !stopped_ && allWritten();
  if (checkpoint_) checkpoint_->end(result.whole);
  return result;
}

/// All that was made to fill the film.
void FrameRenderer::drop() {
  roots_.reset();
  primitives_ = {};
  shared_.troubled.clear();
  workers_.clear();
}

bool FrameRenderer::allWritten() const {
  return std::all_of(outputs_.displays.begin(), outputs_.displays.end(), [](const PlannedDisplay& d) {
    return !d.display || !d.display->wrote().empty() || display::formatOf(d.request.type, d.request.name) == "null";
  });
}

/// What no bucket opened, and what is to be said of primitives, in the order of the scene file.
void FrameRenderer::report(Stats& stats) {
  std::vector<const PrimitiveFrame*> frames;
  for (const std::unique_ptr<OwnRoot>& o : primitives_.own) {
    frames.push_back(&o->frame);
    if (o->root.state.load() == NodeState::kFresh && buckets_.lastTouched(o->root.pixels) >= 0)
      stats.add(Counter::kCulledHidden);
  }
  for (int i = 0; i < primitives_.crowdCount; ++i)
    if (const Node& n = primitives_.crowds[static_cast<size_t>(i)]; n.state.load() == NodeState::kFresh)
      stats.add(Counter::kCulledHidden, n.end - n.begin);
  for (const std::unique_ptr<Expansion>& e : shared_.troubled)
    for (size_t i = 0; i < e->count; ++i)
      if (e->frames[i].troubled()) frames.push_back(&e->frames[i]);
  std::sort(frames.begin(), frames.end(), [](const PrimitiveFrame* a, const PrimitiveFrame* b) {
    return a->prepared() && b->prepared() ? a->source().path < b->source().path : a->prepared() < b->prepared();
  });
  reportPrimitives(frames, *options_.diag, stats);
}

/// Procedurals that are gone are reported at once, crowds at the end, in the order of the scene file.
void FrameRenderer::takeLeave(Worker& worker, std::vector<std::unique_ptr<Expansion>> gone) {
  for (std::unique_ptr<Expansion>& e : gone) {
    if (!e->crowd) {
      reportExpansion(*e, *options_.diag, worker.stats);
      continue;
    }
    const PrimitiveFrame* const frames = e->frames.get();
    if (!std::any_of(frames, frames + e->count, [](const PrimitiveFrame& f) { return f.troubled(); })) continue;
    const std::lock_guard lock(shared_.keptMutex);
    shared_.troubled.push_back(std::move(e));
  }
}

void FrameRenderer::renderBuckets(Worker& worker) {
  int order;
  while (goOn() && buckets_.take(worker.thread, order)) {
    waitForMemory();
    const bool passedOver = checkpoint_ && checkpoint_->recovered() && !film_.wants(order);
    if (!passedOver && !renderBucket(worker, order)) {
      --active_;
      return;
    }
    worker.tellGridBytes();
    Buckets::Freed freed = buckets_.done(order);
    takeLeave(worker, std::move(freed.expansions));
    shared_.addGridBytes(-freed.bytes);
    worker.stats.add(Counter::kCulledHidden, freed.neverOpened);
    buckets_.freeOwn(worker.thread, worker.blocks);
    --active_;
    showProgress();
  }
}

/// False where the frame was stopped before its samples were there.
bool FrameRenderer::renderBucket(Worker& worker, int order) {
  const PixelRect rect = buckets_.rect(order);
  hider::BucketHider& hider = *worker.hider;
  hider.reset(rect);
  worker.bucket = order;
  worker.unshaded.clear();
  NodeQueue queue;
  const auto wait = [&](Node& n) {
    if (touches(n.pixels, rect) && !n.missesReally(rect)) queue.push({n.bound.z0, n.depth, n.order(), &n});
  };
  roots_->visit(rect, [&](Node* root) { wait(*root); });

  while (!queue.empty()) {
    if (stopped_.load(std::memory_order_relaxed)) return false;
    Node& node = *queue.top().node;
    queue.pop();
    const bool mayHide = !node.prim || node.prim->attributes().cullHidden;
    if (mayHide && hider.hidden(node.bound, node.moving())) continue;
    const NodeState opened = openNode(worker, node);
    if (opened == NodeState::kSplit)
      for (int i = 0; i < node.childCount; ++i) wait(node.children[static_cast<size_t>(i)]);
    // A grid that is elsewhere may be gone.
    if (opened == NodeState::kSplit || opened == NodeState::kFailed || node.missesReally(rect)) continue;
    if (!mayHide || (worker.parked != &node && !isHidden(hider, node))) {
      if (node.prim->shadedLate) {
        worker.unshaded.add(worker, node, queue.mayHide(node.grid->box));
        continue;
      }
      shadeNode(worker, node);
      const StageTimer timer(worker.stats, Stage::kSample);
      hider.rasterize(node.grid->micro);
    } else {
      worker.stats.add(Counter::kGridsHidden);
    }
  }

  // What a procedural gave after the stop may be cut short.
  if (!goOn()) return false;
  worker.unshaded.shadeSeen(worker);
  hider::SampleTile tile;
  {
    const StageTimer timer(worker.stats, Stage::kResolve);
    hider::DeepTile events;
    tile = hider.resolve(film_.wantsDeep() ? &events : nullptr);
    if (film_.wantsDeep()) film_.addDeep(order, std::move(events));
  }
  film_.add(order, std::move(tile), *worker.shader, worker.stats);
  return true;
}

/// Attribute "cull" "hidden" 0: these are diced and shaded whether or not a bucket sees them.
void FrameRenderer::renderUnculled() {
  std::vector<Node*> unculled;
  for (const std::unique_ptr<OwnRoot>& o : primitives_.own)
    if (Node& n = o->root; n.state.load() == NodeState::kFresh && !n.prim->attributes().cullHidden)
      unculled.push_back(&n);
  if (unculled.empty()) return;
  std::atomic<size_t> cursor{0};
  options_.parallel->runWorkers([&](int w) {
    for (size_t i = cursor++; i < unculled.size() && goOn(); i = cursor++)
      openAll(workers_[static_cast<size_t>(w)], *unculled[i]);
    workers_[static_cast<size_t>(w)].tellGridBytes();
  });
}

void FrameRenderer::openAll(Worker& worker, Node& node) {
  const NodeState opened = openNode(worker, node);
  if (opened == NodeState::kDisplaced) shadeNode(worker, node);
  for (int i = 0; i < node.childCount; ++i) openAll(worker, node.children[static_cast<size_t>(i)]);
}

bool FrameRenderer::goOn() {
  if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
  return !stopped_;
}

/// Near the memory limit one bucket at a time goes on, so that the frontier shrinks; beyond it the frame ends.
void FrameRenderer::waitForMemory() {
  const int64_t limit = options_.memoryLimitBytes;
  const auto used = [&] { return shared_.gridBytes.load() + film_.tileBytes(); };
  if (limit > 0) {
    while (used() > limit * 8 / 10 && active_ > 0 && !stopped_)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (used() > limit && !outOfMemory_.exchange(true)) {
      options_.diag->error("memory-limit", {},
                           format("grids and samples take {} KB, more than the limit of {} KB: the frame is given up",
                                  (used() + 1023) >> 10, limit >> 10),
                           Impact::kMemory);
      stopped_ = true;
    }
  }
  ++active_;
}

void FrameRenderer::showProgress() {
  if (!options_.progress || !progressMutex_.try_lock()) return;
  options_.progress(static_cast<float>(buckets_.doneCount()) / static_cast<float>(std::max(1, buckets_.count())));
  progressMutex_.unlock();
}

}  // namespace

RenderResult renderFrameWith(const scene::World& world, const scene::View& view, const RenderOptions& options,
                             const GridShaderFactory& shaders) {
  return FrameRenderer(world, view, options, shaders).run();
}

}  // namespace reyes::render
