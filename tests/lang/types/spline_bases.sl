// SPDX-License-Identifier: Apache-2.0
// expect: 0
// Each basis by its own formula, of values and of arrays, uniform and varying knots.
surface t(output varying float result = 0;)
{
    float x = 0.3, y = 1 - x;
    float a[4] = {1, 4, 2, 8};
    varying float k = 4 + 0 * u;
    float bezier_ = y * y * y + 3 * y * y * x * 4 + 3 * y * x * x * 2 + x * x * x * 8;
    float bspline_ = (y * y * y + 4 * (3 * x * x * x - 6 * x * x + 4) + 2 * (-3 * x * x * x + 3 * x * x + 3 * x + 1) +
                      x * x * x * 8) / 6;
    float hermite_ = (2 * x * x * x - 3 * x * x + 1) * 1 + (x * x * x - 2 * x * x + x) * 4 +
                     (-2 * x * x * x + 3 * x * x) * 2 + (x * x * x - x * x) * 8;
    float catrom_ = 0.5 * (2 * 4 + (2 - 1) * x + (2 * 1 - 5 * 4 + 4 * 2 - 8) * x * x + (3 * 4 - 1 - 3 * 2 + 8) * x * x * x);
    float linear_ = 4 + (2 - 4) * x;
    result = abs(spline("bezier", x, 1, 4, 2, 8) - bezier_) + abs(spline("bezier", x, a) - bezier_) +
             abs(spline("b-spline", x, a) - bspline_) + abs(spline("bspline", x, 1, k, 2, 8) - bspline_) +
             abs(spline("hermite", x, a) - hermite_) + abs(spline("hermite", x, 1, k, 2, 8) - hermite_) +
             abs(spline(x, a) - catrom_) + abs(spline(x, 1, k, 2, 8) - catrom_) +
             abs(spline("catmull-rom", x, 1, 4, 2, 8) - catrom_) + abs(spline("linear", x, a) - linear_) +
             abs(comp(color spline(x, color (0, 1, 0), color (0, k, 0), color (0, 2, 0), color (0, 8, 0)), 1) - catrom_);
    if (result < 1e-5) result = 0;
}
