// SPDX-License-Identifier: Apache-2.0
// Base for an Ri that treats all requests alike: each method calls derived().call(&Ri::method, "Name", arguments...).
// The recorder, the writer and filters between a reader and another Ri are made of it.
#pragma once

#include "reyes/rib/ri.h"

namespace reyes::rib {

/// `Derived` has `template <class... A, class... B> void call(void (Ri::*)(A...), const char* name, const B&...)`.
template <class Derived>
class ForwardRi : public Ri {
 public:
#define RI_REQUEST(method, Name, parameters, names) \
  void method parameters override { bind(&Ri::method, #Name) names; }
#define RI_SPECIAL RI_REQUEST
#include "reyes/rib/requests.def"
#undef RI_REQUEST
#undef RI_SPECIAL

 private:
  template <class... A>
  auto bind(void (Ri::*method)(A...), const char* name) {
    return [this, method, name](A... arguments) { static_cast<Derived*>(this)->call(method, name, arguments...); };
  }
};

}  // namespace reyes::rib
