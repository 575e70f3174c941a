// SPDX-License-Identifier: Apache-2.0
#ifndef FIVE_H
#define FIVE_H
float five() { return 5; }
#endif
