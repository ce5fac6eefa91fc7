// SPDX-License-Identifier: MIT
/* A library to be preloaded: writes the blocking sizes of dgemm, and of all that is made of it, into OpenBLAS' table of parameters.
 *
 *     gcc -O2 -shared -fPIC sizes.c /usr/lib/x86_64-linux-gnu/libopenblas.so.0 -o sizes.so
 *     DGEMM_SIZES=256,512 LD_PRELOAD=./sizes.so program
 *
 * P rows and Q columns of A are packed for the second cache. The table is private to OpenBLAS (common_param.h, `gotoblas_t`), so it is
 * believed only where version, size, and the values that this version gives this core (param.h, kernel/setparam-ref.c) are found where
 * they must be. Else the program ends with status 3 and a line. Without DGEMM_SIZES nothing is written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char* openblas_get_config(void);
extern char* openblas_get_corename(void);
extern unsigned char* gotoblas;

enum {
    table_bytes = 0x1268,
    dgemm_at = 728,
    align_at = 12
}; /* 0.3.21 on x86-64 with DYNAMIC_ARCH and without BUILD_BFLOAT16 */
struct sizes {
    int p, q, r, unroll_m, unroll_n;
};
static const struct {
    const char* core;
    struct sizes its;
} known[] = {{"Haswell", {512, 256, 0, 4, 8}},
             {"Zen", {512, 256, 0, 4, 8}},
             {"SkylakeX", {192, 384, 0, 16, 2}},
             {"Cooperlake", {192, 384, 0, 16, 2}}};

static void refuse(const char* what, const char* has)
{
    fprintf(stderr,
            "sizes.so: %s: %s; want OpenBLAS 0.3.21 (Debian 12: libopenblas0-pthread) and OPENBLAS_CORETYPE one of "
            "Haswell, Zen, SkylakeX, Cooperlake\n",
            what, has);
    _Exit(3);
}

/* The columns of B for which there is room beside P x Q of A in OpenBLAS' buffer of 128 MiB, as setparam-ref.c has it. */
static int room(int p, int q, int align)
{
    const int buffer = 32 << 22;
    return ((buffer - ((p * q * 8 + align) & ~align)) / (q * 8) - 15) & ~15;
}

__attribute__((constructor)) static void write_sizes(void)
{
    const char* wanted = getenv("DGEMM_SIZES");
    if (wanted == NULL || *wanted == 0) return;
    const char *config = openblas_get_config(), *core = openblas_get_corename();
    if (strncmp(config, "OpenBLAS 0.3.21 ", 16) != 0 || strstr(config, "DYNAMIC_ARCH") == NULL)
        refuse("another version", config);
    Dl_info info;
    const ElfW(Sym)* symbol = NULL;
    if (dladdr1(gotoblas, &info, (void**)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL ||
        symbol->st_size != table_bytes)
        refuse("a table of another size", config);
    struct sizes now, want;
    int align;
    memcpy(&now, gotoblas + dgemm_at, sizeof now);
    memcpy(&align, gotoblas + align_at, sizeof align);
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(known[k].core, core) != 0) ++k;
    if (k == sizeof known / sizeof *known) refuse("a core whose table is not known here", core);
    want = known[k].its;
    want.r = room(want.p, want.q, align);
    if (align != 16383 || memcmp(&now, &want, sizeof now) != 0)
        refuse("the table does not hold the sizes of this core", core);
    int used = 0;
    if (sscanf(wanted, "%d,%d%n", &want.p, &want.q, &used) != 2 || wanted[used] != 0 || want.p < 32 || want.p > 4096 ||
        want.p % 32 != 0 || want.q < 32 || want.q > 4096 || want.q % 32 != 0) {
        fprintf(stderr, "sizes.so: DGEMM_SIZES is '%s', want P,Q: multiples of 32 up to 4096\n", wanted);
        _Exit(3);
    }
    want.r = room(want.p, want.q, align);
    memcpy(gotoblas + dgemm_at, &want, sizeof want);
}
