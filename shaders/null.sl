// SPDX-License-Identifier: Apache-2.0
// Nothing to see: fully transparent and black.
surface null()
{
    Ci = 0;
    Oi = 0;
}
