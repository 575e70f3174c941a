// SPDX-License-Identifier: Apache-2.0
// An Ri that does nothing: base for partial implementations (checks, tests, the fuzzer).
#pragma once

#include "reyes/rib/ri.h"

namespace reyes::rib {

class NullRi : public Ri {
 public:
#define RI_REQUEST(method, Name, parameters, names) \
  void method parameters override { ignore names; }
#define RI_SPECIAL RI_REQUEST
#include "reyes/rib/requests.def"
#undef RI_REQUEST
#undef RI_SPECIAL

 private:
  template <class... A>
  static void ignore(const A&...) {}
};

}  // namespace reyes::rib
