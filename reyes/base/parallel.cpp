// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#ifndef REYES_STD_THREADS
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif

namespace reyes {
namespace {
/// CPUs allowed by the cgroup (v2 cpu.max, v1 cfs quota), or a huge number.
double cgroupCpus() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  double q2 = 0, p2 = 0;
  if (v2 >> q2 >> p2 && q2 > 0 && p2 > 0) return q2 / p2;  // the quota may also be the word "max"
  std::ifstream q("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), p("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double q1 = 0, p1 = 0;
  if (q >> q1 && p >> p1 && q1 > 0 && p1 > 0) return q1 / p1;
  return 1e9;
}
}  // namespace

int availableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int n = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
  const double quota = cgroupCpus();
  if (quota < n) n = static_cast<int>(std::ceil(quota));
  return std::max(1, n);
}

#ifndef REYES_STD_THREADS

struct Parallel::Impl {
  explicit Impl(int n)
      : threads(n), control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(n)), arena(n) {}
  int threads;
  tbb::global_control control;
  tbb::task_arena arena;
};

void Parallel::runWorkers(const std::function<void(int)>& body) {
  impl_->arena.execute([&] {
    tbb::task_group group;
    for (int i = 1; i < impl_->threads; ++i) group.run([&body, i] { tbb::this_task_arena::isolate([&] { body(i); }); });
    tbb::this_task_arena::isolate([&] { body(0); });
    group.wait();
  });
}

void Parallel::forEach(int n, const std::function<void(int)>& body) {
  impl_->arena.execute([&] { tbb::parallel_for(0, n, [&](int i) { body(i); }); });
}

struct TaskGroup::Impl {
  explicit Impl(Parallel::Impl& p) : pool(p) {}
  Parallel::Impl& pool;
  tbb::task_group group;
  std::atomic<int> open{0};
};

void TaskGroup::run(std::function<void()> task) {
  if (impl_->pool.threads == 1) return task();
  ++impl_->open;
  impl_->pool.arena.execute([&] {
    impl_->group.run([this, work = std::move(task)] {
      work();
      --impl_->open;
    });
  });
}

void TaskGroup::wait() {
  impl_->pool.arena.execute([&] { impl_->group.wait(); });
}

#else

struct Parallel::Impl {
  explicit Impl(int n) : threads(n) {}
  int threads;
};

void Parallel::runWorkers(const std::function<void(int)>& body) {
  std::vector<std::thread> workers;
  for (int i = 1; i < impl_->threads; ++i) workers.emplace_back([&body, i] { body(i); });
  body(0);
  for (std::thread& t : workers) t.join();
}

void Parallel::forEach(int n, const std::function<void(int)>& body) {
  std::atomic<int> next{0};
  runWorkers([&](int) {
    for (int i = next++; i < n; i = next++) body(i);
  });
}

struct TaskGroup::Impl {
  explicit Impl(Parallel::Impl& p) : pool(p) {}
  Parallel::Impl& pool;
  std::vector<std::thread> threads;
  std::atomic<int> open{0};
};

void TaskGroup::run(std::function<void()> task) {
  if (open() >= impl_->pool.threads - 1) return task();
  ++impl_->open;
  impl_->threads.emplace_back([this, work = std::move(task)] {
    work();
    --impl_->open;
  });
}

void TaskGroup::wait() {
  for (std::thread& t : impl_->threads) t.join();
  impl_->threads.clear();
}

#endif

Parallel::Parallel(int threads) : impl_(std::make_unique<Impl>(std::max(1, threads))) {}
Parallel::~Parallel() = default;
int Parallel::threads() const { return impl_->threads; }

TaskGroup::TaskGroup(Parallel& parallel) : impl_(std::make_unique<Impl>(*parallel.impl_)) {}
TaskGroup::~TaskGroup() { wait(); }
int TaskGroup::open() const { return impl_->open; }

}  // namespace reyes
