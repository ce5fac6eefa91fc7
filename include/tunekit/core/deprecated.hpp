// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a public name goes: it stays for a while, does what it did, and its use is a warning that names the successor.
///
/// From 0.3.0 on, a public name that goes or is spelled otherwise is deprecated first. It is there, and works as
/// before, in the version that deprecates it and in the next minor version; the one behind that may be without it. From
/// 1.0 on it goes with a major version only. The changelog has a row for it when it is deprecated, old spelling and
/// new.

#include "tunekit/core/config.hpp"

/// The attribute of a deprecated declaration: the version that deprecated it, and what to use instead.
///
///     struct TUNEKIT_DEPRECATED("0.4", "tunekit::budget") limit {};
#define TUNEKIT_DEPRECATED(since, instead) [[deprecated("tunekit: use " instead " instead (since " since ")")]]
