// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether a part has a member of a name, whatever it is: what can be asked of it before its space is known.

#include <type_traits>

namespace tunekit::search::detail {

// A name that is inherited twice cannot be looked up: `T` has the name where the lookup fails. Final classes are believed.
template <class T, class Named>
struct twice : T, Named {};

struct named_start {
    int start;
};
struct named_explore {
    int explore;
};
struct named_list {
    int list;
};
struct named_select {
    int select;
};

/// `find` is called with a pointer to what inherits both, where the name is found there.
template <class T, class Named, class Find>
[[nodiscard]] consteval bool has(Find)
{
    if constexpr (!std::is_class_v<T> || std::is_final_v<T>) return std::is_class_v<T>;
    else return !std::is_invocable_v<Find, twice<T, Named>*>;
}

template <class T>
[[nodiscard]] consteval bool has_start()
{
    return has<T, named_start>([]<class X>(X*)
                                   requires requires { &X::start; }
                               {});
}
template <class T>
[[nodiscard]] consteval bool has_explore()
{
    return has<T, named_explore>([]<class X>(X*)
                                     requires requires { &X::explore; }
                                 {});
}
template <class T>
[[nodiscard]] consteval bool has_list()
{
    return has<T, named_list>([]<class X>(X*)
                                  requires requires { &X::list; }
                              {});
}
template <class T>
[[nodiscard]] consteval bool has_select()
{
    return has<T, named_select>([]<class X>(X*)
                                    requires requires { &X::select; }
                                {});
}

}  // namespace tunekit::search::detail
