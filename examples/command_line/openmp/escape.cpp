// SPDX-License-Identifier: MIT
// Rows of a picture that cost very different amounts of work, shared by threads. The schedule is that of OMP_SCHEDULE, and the
// threads are those of OMP_NUM_THREADS and OMP_PROC_BIND: nothing of it is decided here. See docs/command_line.md.
#include <omp.h>

#include <complex>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int width = 320, height = 240, most = 2000;

/// How many steps z -> z^2 + c takes to leave the disc of radius 2.
int steps(std::complex<double> c)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < most && x * x + y * y < 4; ++n) {
        const double t = x * x - y * y + c.real();
        y = 2 * x * y + c.imag();
        x = t;
    }
    return n;
}

}  // namespace

int main()
{
    std::vector<int> picture(static_cast<std::size_t>(width) * height);
    const double start = omp_get_wtime();
#pragma omp parallel for schedule(runtime)
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column)
            picture[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)] =
                steps({-2.0 + 2.6 * column / width, -1.2 + 1.2 * row / height});
    const double seconds = omp_get_wtime() - start;
    unsigned long long sum = 0;
    for (const int n : picture) sum = sum * 31 + static_cast<unsigned long long>(n);
    std::printf("picture %llu\n", sum);
    std::fprintf(stderr, "seconds %.6f\n", seconds);
}
