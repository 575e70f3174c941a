// SPDX-License-Identifier: Apache-2.0
// Threads of one frame: a pool of N, tasks, and isolation. Two back ends: oneTBB, and plain std::thread for
// ThreadSanitizer builds (REYES_STD_THREADS). But for ticker.h nothing else in Reyes starts threads.
#pragma once

#include <functional>
#include <memory>

namespace reyes {

/// Threads this process may use: CPU affinity and the cgroup's quota, at least 1.
int availableThreads();

/// A pool of `threads` workers, the calling thread included.
class Parallel {
 public:
  explicit Parallel(int threads);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  int threads() const;

  /// Runs body(worker) once on each of threads() workers, 0 <= worker < threads(); returns when all have ended.
  /// For loops that pull work from a shared queue.
  void runWorkers(const std::function<void(int worker)>& body);

  /// Calls body(i) for 0 <= i < n in any order and on any thread.
  void forEach(int n, const std::function<void(int i)>& body);

 private:
  friend class TaskGroup;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Tasks that run on a pool's other threads while the caller goes on with something else. One thread adds and waits;
/// with a pool of one, run() does the task at once.
class TaskGroup {
 public:
  explicit TaskGroup(Parallel& parallel);
  ~TaskGroup();  ///< waits
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  void run(std::function<void()> task);
  /// Returns when all tasks have ended; does some of them meanwhile.
  void wait();
  /// Tasks that have not ended.
  int open() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes
