// Structs of the ABI that grow: read and written by their own word for how large they are. A shorter one means that the
// rest is zero; of a longer one what this library does not know must be zero.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "base/error.h"

namespace xcoll::api {

// A page: no version of a struct will be larger, so more is an uninitialised field.
inline constexpr size_t largest_struct = 4096;

// A copy with every field defined. `name` is that of the argument, `type` of the struct; it is set up by TYPE without
// its _t, and _defaults. Fields are words, or lie in pairs in one: `second` are the offsets of those that are the
// second of a pair, where a struct may end as well. Other sizes would end amid a field.
template <class Struct>
Struct read_sized(const Struct *given, const char *name, const char *type, std::initializer_list<size_t> second) {
    if (!given) {
        fail(XCOLL_ERR_ARGUMENT, "%s is NULL: expected a struct set up by %s_defaults", name, type);
    }
    const size_t size = given->struct_size;
    const bool is_amid = size % sizeof size != 0 && std::find(second.begin(), second.end(), size) == second.end();
    if (size < sizeof size || size > largest_struct || is_amid) {
        fail(XCOLL_ERR_ARGUMENT, "%s.struct_size is %zu: expected sizeof(%s_t), set by %s_defaults", name, size, type,
             type);
    }
    Struct copy{};
    const auto *bytes = reinterpret_cast<const unsigned char *>(given);
    if (size > sizeof copy && std::any_of(bytes + sizeof copy, bytes + size, [](auto byte) { return byte != 0; })) {
        fail(XCOLL_ERR_UNSUPPORTED,
             "%s has fields that this version of xcoll (%d.%d.%d) does not know: use the library that belongs to the "
             "header",
             name, XCOLL_VERSION_MAJOR, XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
    }
    std::memcpy(&copy, given, std::min(size, sizeof copy));
    return copy;
}

// What TYPE_defaults does. `first` is the size in the first version: nobody has a shorter struct, but some write the
// size of a pointer to it.
template <class Struct> void set_sized_defaults(Struct *to, size_t struct_size, size_t first, const char *type) {
    if (struct_size < first || struct_size > largest_struct) {
        fail(XCOLL_ERR_ARGUMENT, "struct_size is %zu: expected sizeof(%s_t)", struct_size, type);
    }
    std::memset(to, 0, struct_size);
    to->struct_size = struct_size;
}

} // namespace xcoll::api
