// SPDX-License-Identifier: Apache-2.0
// A thread that looks after something while the pool of Parallel is at work: it calls a function every so often until
// it goes out of scope. For checkpoints of a frame, which must be written while a bucket takes its time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace reyes {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds pause, std::function<void()> tick);
  ~Ticker();  ///< waits for a call that is under way
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes
