// SPDX-License-Identifier: Apache-2.0
// Requests whose RIB form is not simply the arguments of their Ri method: optional, derived or renamed ones.
// Called through the request table; each returns false where the request had to be given up.
#pragma once

namespace reyes::rib {
class Arguments;
class Ri;
}  // namespace reyes::rib

namespace reyes::rib::special {

#define RI_REQUEST(method, Name, parameters, names)
#define RI_SPECIAL(method, Name, parameters, names) bool method(Arguments& arguments, Ri& ri);
#include "reyes/rib/requests.def"
#undef RI_REQUEST
#undef RI_SPECIAL

bool errorAbort(Arguments& arguments, Ri& ri);
bool errorIgnore(Arguments& arguments, Ri& ri);
bool errorPrint(Arguments& arguments, Ri& ri);

}  // namespace reyes::rib::special
