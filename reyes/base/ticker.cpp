// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/ticker.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace reyes {

struct Ticker::Impl {
  std::mutex mutex;
  std::condition_variable wake;
  bool ended = false;
  std::thread thread;
};

Ticker::Ticker(std::chrono::milliseconds pause, std::function<void()> tick) : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread([this, pause, tick = std::move(tick)] {
    std::unique_lock lock(impl_->mutex);
    while (!impl_->wake.wait_for(lock, pause, [&] { return impl_->ended; })) {
      lock.unlock();
      tick();
      lock.lock();
    }
  });
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ended = true;
  }
  impl_->wake.notify_one();
  impl_->thread.join();
}

}  // namespace reyes
