// Intel's intrinsics, for functions that are compiled for instruction sets of their own. Layer: numerics. Private.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// gcc 12 takes the registers that its own intrinsics leave open for uninitialised variables.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#define STRADS_TARGET(features) __attribute__((target(features)))
#endif
