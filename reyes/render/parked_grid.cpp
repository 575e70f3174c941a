// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/parked_grid.h"

#include <algorithm>

#include "reyes/render/grid_build.h"

namespace reyes::render {

bool onlyHere(const Worker& worker, const Node& node) {
  if (worker.bucket < 0) return false;
  const Buckets& buckets = *worker.frame->buckets;
  const PixelRect there = intersect(node.real, buckets.region());
  return there.empty() || intersect(there, buckets.rect(worker.bucket)) == there;
}

void dropGrid(Worker& worker, Node& node) {
  Grid& g = *node.grid;
  worker.addGridBytes(-g.bytes);
  if (g.positionFloats > 0) worker.blocks.give(std::move(g.positions), g.positionFloats);
  if (g.parked) worker.blocks.give(std::move(g.parked->data), g.parked->floats);
  if (node.work) worker.works.give(std::move(node.work));
  node.grid.reset();
  worker.stats.add(Counter::kGridsHidden);
}

void park(Worker& worker, Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  if (prim.displaces()) {
    auto parked = std::make_unique<ParkedGrid>();
    size_t floats = 0;
    for (const Var& v : node.work->vars.all()) {
      if (!v.data || !worker.shader->displacementKeeps(prim.attributes(), v.spec.name)) continue;
      parked->vars.push_back(v);
      floats += static_cast<size_t>(v.spec.width()) * static_cast<size_t>(v.stride);
    }
    parked->floats = floats;
    parked->data = worker.blocks.take(floats);
    float* to = parked->data.get();
    for (Var& v : parked->vars) {
      const size_t n = static_cast<size_t>(v.spec.width()) * static_cast<size_t>(v.stride);
      std::copy_n(v.data, n, to);
      v.data = to;
      to += n;
    }
    parked->bytes =
        static_cast<int64_t>(sizeof(ParkedGrid) + floats * sizeof(float) + parked->vars.size() * sizeof(Var));
    node.grid->bytes += parked->bytes;
    worker.addGridBytes(parked->bytes);
    node.grid->parked = std::move(parked);
  }
  worker.works.give(std::move(node.work));
}

void unpark(Worker& worker, Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  node.work = worker.works.take();
  {
    const StageTimer timer(worker.stats, Stage::kDice);
    diceInto(prim, planOf(node, node.grid->micro.nu, node.grid->micro.nv, 0), *node.work);
  }
  std::unique_ptr<ParkedGrid> parked = std::move(node.grid->parked);
  if (!parked) return;
  const StageTimer timer(worker.stats, Stage::kDisplace);
  GridWork& work = *node.work;
  for (const Var& v : parked->vars) {
    const Var* to = work.vars.find(v.spec.name);
    if (!to) to = &work.vars.add(v.spec, work.arena);
    std::copy_n(v.data, static_cast<size_t>(v.spec.width()) * static_cast<size_t>(v.stride), to->data);
  }
  worker.shader->displaced(work.grid);
  node.grid->bytes -= parked->bytes;
  worker.addGridBytes(-parked->bytes);
  worker.blocks.give(std::move(parked->data), parked->floats);
}

}  // namespace reyes::render
