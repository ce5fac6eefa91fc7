// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What files of results and of choices begin with: the kernel, its version and space, and the names of sizes and parameters.

#include "tunekit/io/sealed_lines.hpp"

namespace tunekit::dispatch::detail {

/// `of` is a `results` or a `choice`.
template <class T>
void write_head(io::sealed_writer& out, const T& of)
{
    out.line("kernel", of.kernel);
    out.line("version", of.version);
    out.line("space", io::in_hex(of.fingerprint));
    out.line("sizes", of.sizes);
    out.line("parameters", of.parameters);
}

template <class T>
void read_head(io::sealed_reader& in, T& to)
{
    to.kernel = in.field(in.after("kernel"));
    to.version = in.field(in.after("version"));
    to.fingerprint = in.hex(in.after("space"));
    to.sizes = in.fields(in.after("sizes"));
    to.parameters = in.fields(in.after("parameters"));
}

}  // namespace tunekit::dispatch::detail
