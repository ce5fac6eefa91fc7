// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What files of results and of choices begin with: the kernel, its version and space, and the names of sizes and
/// parameters.

#include <string>
#include <vector>

#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/files/sealed_file.hpp"

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
    for (const enumeration& e : of.words) out.line("words", e.size, e.words);
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

/// Reads a line of words, whose fields these are.
template <class T>
void read_words(const io::sealed_reader& in, const std::vector<std::string>& fields, T& to)
{
    if (fields.size() < 3) in.refuse("wants a size and its words");
    to.words.push_back({fields[1], {fields.begin() + 2, fields.end()}});
    if (const std::string wrong = wrong_words(to.sizes, to.words); !wrong.empty()) in.refuse(wrong.c_str());
}

}  // namespace tunekit::dispatch::detail
