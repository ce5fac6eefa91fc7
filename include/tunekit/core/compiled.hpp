// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The place of function bodies: inline in every translation unit, or once in a program that links `tunekit::compiled`.
///
/// Headers declare their functions first. Bodies of functions that are neither templates nor part of a hot loop are
/// further down, between `#if TUNEKIT_BODIES` and `#endif`. Each is marked TUNEKIT_INLINE. Header-only is the default.
/// A program that defines TUNEKIT_COMPILED for all of its units takes these bodies from `tunekit/compiled.cpp`, and a
/// package's from `tunekit/PACKAGE/compiled.cpp`, which are compiled once. `TUNEKIT_ONCE(declaration)` is the same for
/// a function template and the arguments that most programs have: compiled_strategies.cpp or compiled_combined.cpp,
/// which stand beside compiled.cpp, instantiates it, and no other unit does. Its definition stands outside of a class
/// and is not `inline`, or g++ instantiates it again wherever it is called.

#if !defined(TUNEKIT_COMPILED)
#define TUNEKIT_BODIES 1
#define TUNEKIT_INLINE inline
#define TUNEKIT_ONCE(...)
#else
#define TUNEKIT_INLINE
#define TUNEKIT_ELSEWHERE extern  // nothing, in the unit that instantiates
#define TUNEKIT_ONCE(...) TUNEKIT_ELSEWHERE template __VA_ARGS__;
#if !defined(TUNEKIT_BODIES)  // compiled.cpp defines it
#define TUNEKIT_BODIES 0
#endif
#endif

// One absolute symbol, with one value per form: a linker takes equal ones, and refuses a program that mixes the forms.
// By g++ alone, and without -flto: with it clang refuses equal ones, too. The libraries of packages, built once for
// programs of both forms, define TUNEKIT_EITHER_FORM and have none.
#if !defined(TUNEKIT_EITHER_FORM) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__CUDACC__)
#if defined(TUNEKIT_COMPILED)
__asm__(
    ".globl tunekit_header_only_mixed_with_compiled\n.hidden tunekit_header_only_mixed_with_compiled\n"
    "tunekit_header_only_mixed_with_compiled = 1");
#else
__asm__(
    ".globl tunekit_header_only_mixed_with_compiled\n.hidden tunekit_header_only_mixed_with_compiled\n"
    "tunekit_header_only_mixed_with_compiled = 0");
#endif
#endif
