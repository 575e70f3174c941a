// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/signals.h"

#include <signal.h>

#include "reyes/image/image.h"

namespace reyes::tools {
namespace {
void cleanAndDie(int number) {
  image::removeTemporaries();
  signal(number, SIG_DFL);
  raise(number);
}
}  // namespace

void installSignalHandlers() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    struct sigaction action {};
    action.sa_handler = cleanAndDie;
    action.sa_flags = SA_RESETHAND;  // a second one stops at once
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup stays in force
  }
}

}  // namespace reyes::tools
