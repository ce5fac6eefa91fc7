// SPDX-License-Identifier: MIT
/* routines SIZE...: the routines that share dgemm's blocking sizes, on square matrices of these sizes. Prints microseconds of processor
 * time, the geometric mean over sizes of each routine and of all, once every result was found right. Without a size: the version and core. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef double real;
char* openblas_get_config(void);
char* openblas_get_corename(void);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const real*, const real*, const int*,
            const real*, const int*, const real*, real*, const int*);
void dsymm_(const char*, const char*, const int*, const int*, const real*, const real*, const int*, const real*,
            const int*, const real*, real*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const real*, const real*, const int*, const real*, real*,
            const int*);
void dsyr2k_(const char*, const char*, const int*, const int*, const real*, const real*, const int*, const real*,
             const int*, const real*, real*, const int*);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const real*, const real*,
            const int*, real*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const real*, const real*,
            const int*, real*, const int*);
void dgetrf_(const int*, const int*, real*, const int*, int*, int*);
void dpotrf_(const char*, const int*, real*, const int*, int*);

enum { routines = 8, most_repeats = 5 };
static const char* const names[routines] = {"dgemm", "dsymm", "dsyrk", "dsyr2k", "dtrmm", "dtrsm", "dgetrf", "dpotrf"};
static int n;
/* Two full matrices, a symmetric positive one, a lower triangle with a large diagonal, and the result. */
static real *a, *b, *s, *t, *out;
static int* pivots;
static const real one = 1, zero = 0;

static void call(int which)
{
    int info = 0;
    switch (which) {
        case 0:
            dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, out, &n);
            break;
        case 1:
            dsymm_("L", "L", &n, &n, &one, s, &n, b, &n, &zero, out, &n);
            break;
        case 2:
            dsyrk_("L", "N", &n, &n, &one, a, &n, &zero, out, &n);
            break;
        case 3:
            dsyr2k_("L", "N", &n, &n, &one, a, &n, b, &n, &zero, out, &n);
            break;
        case 4:
            dtrmm_("L", "L", "N", "N", &n, &n, &one, t, &n, out, &n);
            break;
        case 5:
            dtrsm_("L", "L", "N", "N", &n, &n, &one, t, &n, out, &n);
            break;
        case 6:
            dgetrf_(&n, &n, out, &n, pivots, &info);
            break;
        case 7:
            dpotrf_("L", &n, out, &n, &info);
            break;
    }
    if (info != 0) exit(4);
}

/* y = M x for all of M, its transpose, a triangle of it (unit: with ones on the diagonal), or the symmetric matrix with its lower triangle. */
enum shape { whole, transposed, lower, lower_unit, lower_transposed, upper, symmetric };
static void product(enum shape shape, const real* m, const real* x, real* y)
{
    for (int i = 0; i < n; ++i) y[i] = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const size_t at = (size_t)j * n + i;
            if (shape == whole) y[i] += m[at] * x[j];
            if (shape == transposed) y[j] += m[at] * x[i];
            if (shape == upper && i <= j) y[i] += m[at] * x[j];
            if (i < j) continue;
            if (shape == lower) y[i] += m[at] * x[j];
            if (shape == lower_unit) y[i] += (i == j ? 1 : m[at]) * x[j];
            if (shape == symmetric) y[i] += m[at] * x[j];
            if (shape == lower_transposed) y[j] += m[at] * x[i];
            if (shape == symmetric && i != j) y[j] += m[at] * x[i];
        }
}

/* Whether the result times a vector is what it must be. */
static int right(int which, const real* x)
{
    const size_t bytes = (size_t)n * sizeof(real);
    real *got = malloc(bytes), *want = malloc(bytes), *v = malloc(bytes), *w = malloc(bytes);
    switch (which) {
        case 0:
            product(whole, b, x, v), product(whole, a, v, want), product(whole, out, x, got);
            break;
        case 1:
            product(whole, b, x, v), product(symmetric, s, v, want), product(whole, out, x, got);
            break;
        case 2:
            product(transposed, a, x, v), product(whole, a, v, want), product(symmetric, out, x, got);
            break;
        case 3:
            product(transposed, b, x, v), product(whole, a, v, want), product(transposed, a, x, v),
                product(whole, b, v, w);
            for (int i = 0; i < n; ++i) want[i] += w[i];
            product(symmetric, out, x, got);
            break;
        case 4:
            product(whole, b, x, v), product(lower, t, v, want), product(whole, out, x, got);
            break;
        case 5:
            product(whole, out, x, v), product(lower, t, v, got), product(whole, b, x, want);
            break;
        case 6:
            product(upper, out, x, v), product(lower_unit, out, v, got), product(whole, a, x, want);
            for (int i = 0; i < n; ++i) {
                const real swapped = want[i];
                want[i] = want[pivots[i] - 1];
                want[pivots[i] - 1] = swapped;
            }
            break;
        case 7:
            product(lower_transposed, out, x, v), product(lower, out, v, got), product(symmetric, s, x, want);
            break;
    }
    real error = 0, scale = 0;
    for (int i = 0; i < n; ++i) error = fmax(error, fabs(got[i] - want[i])), scale = fmax(scale, fabs(want[i]));
    free(got), free(want), free(v), free(w);
    return error <= 1e-10 * scale; /* also false for NaN */
}

static double now(void)
{
    struct timespec t_;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t_);
    return (double)t_.tv_sec + 1e-9 * (double)t_.tv_nsec;
}

static int ascending(const void* x, const void* y)
{
    return (*(const double*)x > *(const double*)y) - (*(const double*)x < *(const double*)y);
}

int main(int argc, char** argv)
{
    double logs[routines] = {0}, all = 0;
    if (argc == 1) return printf("%s\n%s\n", openblas_get_config(), openblas_get_corename()), 0;
    for (int k = 1; k < argc; ++k) {
        n = atoi(argv[k]);
        if (n < 1 || n > 10000) return fprintf(stderr, "routines: '%s' is no size, want 1 to 10000\n", argv[k]), 2;
        const size_t entries = (size_t)n * n;
        real** const matrices[] = {&a, &b, &s, &t, &out};
        for (int m = 0; m < 5; ++m) *matrices[m] = malloc(entries * sizeof(real));
        real* const x = malloc((size_t)n * sizeof(real));
        pivots = malloc((size_t)n * sizeof(int));
        const int repeats = n <= 600 ? most_repeats : 3;
        unsigned state = 1;
        for (size_t i = 0; i < entries; ++i) {
            real* const to[] = {a, b, s, t};
            for (int m = 0; m < 4; ++m)
                to[m][i] = (real)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5;
        }
        for (int i = 0; i < n; ++i) x[i] = 1.0 / (1 + i % 7), s[(size_t)i * n + i] += n, t[(size_t)i * n + i] += n;
        for (int which = 0; which < routines; ++which) {
            double took[most_repeats];
            for (int r = -1; r < repeats; ++r) { /* one that does not count */
                if (which >= 4) memcpy(out, which == 6 ? a : which == 7 ? s : b, entries * sizeof(real));
                const double began = now();
                call(which);
                if (r >= 0) took[r] = now() - began;
            }
            if (!right(which, x)) return printf("wrong: %s of size %d\n", names[which], n), 1;
            qsort(took, (size_t)repeats, sizeof *took, ascending);
            logs[which] += log(1e6 * took[repeats / 2]) / (argc - 1);
        }
        for (int m = 0; m < 5; ++m) free(*matrices[m]);
        free(x), free(pivots);
    }
    for (int which = 0; which < routines; ++which) all += logs[which] / routines;
    printf("mean %.2f", exp(all));
    for (int which = 0; which < routines; ++which) printf(" %s %.2f", names[which], exp(logs[which]));
    printf("\n");
    return 0;
}
