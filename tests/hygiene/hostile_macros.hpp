// SPDX-License-Identifier: MIT
#pragma once
// What other people's headers define: windows.h, complex.h, sys/sysmacros.h, the GNU modes of the compilers.

#undef I
#undef major
#undef minor
#undef linux
#undef unix

#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define small char
#define near
#define far
#define interface struct
#define ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define TRUE 1
#define FALSE 0
#define DELETE (0x00010000L)
#define I _Complex_I
#define E 2.71828182845904523536
#define major(dev) gnu_dev_major(dev)
#define minor(dev) gnu_dev_minor(dev)
#define linux 1
#define unix 1
