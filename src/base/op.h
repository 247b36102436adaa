// One descriptor for every call: validation, fingerprint, selection and the algorithms all read this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/stance.h"

namespace xcoll {

// Numbers are part of the fingerprint that ranks compare, so they are only ever appended to.
enum class Kind : uint8_t {
    none = 0,
    barrier,
    bcast,
    allreduce,
    words,   // internal: every rank tells every rank a few words (split, dup)
    refused, // internal: a call whose arguments were not valid on this rank
    reduce,
    reduce_scatter,
    reduce_scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    gather,
    gatherv,
    scatter,
    scatterv,
    scan,
    exscan,
    group, // several calls that move data, as one
    send,  // this and the next two: between two ranks, without a number
    recv,
    sendrecv,
    reshard,        // numbered again: parts of a tensor, moved
    reshard_reduce, // and added up where several ranks have one
    allgather_dyn,  // counts are known when it runs, by the senders alone
    alltoall_dyn,
    group_reduce, // several small reductions, as one
};
inline constexpr int kinds = 28;

// How it was called.
enum class Form : uint8_t {
    blocking,
    immediate, // with a request
    persistent,
    stream,
    group,
};

// What is true of every call of a kind.
struct KindTraits {
    const char *name;           // in a sentence
    const char *word = nullptr; // for tools, if the name is none
    bool moves_data = false;    // and nothing else: it can be a part of an Exchange (coll/exchange.h)
    bool reduces = false;       // combines what the ranks give: it can be a part of a joined shot (coll/joined_shot.h)
    bool is_shared = false;     // moves data, perhaps by counts of the moment: what a rank gives is the same for all
    bool is_dealt = false;      // moves data, every byte has one reader, and all readers read at once
    bool blocks = false;        // what one rank gives is a block for every rank, all of one size
    bool one_way = false;       // some ranks only give, or only take
    bool own_counts = false;    // each rank knows counts of its own
    bool same_counts = false;   // every rank knows those of all
    bool up_to_count = false;   // the count is the most that a part may have (coll/dynamic.h)
    bool is_message = false;    // between two ranks
    bool is_collective = false; // users call it by this name on all ranks, and may choose its algorithm
    bool has_habit = false;     // small ones take plain steps, and few arguments tell how (core/habit.h)
    Kind equal = Kind::none;    // with parts of any size: the kind of which they are all equal
};
inline constexpr KindTraits kind_traits[] = {
    {.name = "nothing"},
    {.name = "barrier", .is_collective = true, .has_habit = true},
    {.name = "bcast", .moves_data = true, .is_shared = true, .one_way = true, .is_collective = true, .has_habit = true},
    {.name = "allreduce", .reduces = true, .is_collective = true, .has_habit = true},
    {.name = "split or dup", .word = "split"},
    {.name = "an operation that was refused there, for its arguments or as an earlier stage of its group had failed "
             "(see the error on that rank)",
     .word = "refused"},
    {.name = "reduce", .reduces = true, .one_way = true, .is_collective = true, .has_habit = true},
    {.name = "reduce_scatter", .reduces = true, .blocks = true, .is_collective = true, .has_habit = true},
    {.name = "reduce_scatterv", .reduces = true, .same_counts = true, .is_collective = true, .has_habit = true},
    {.name = "allgather", .moves_data = true, .is_shared = true, .is_collective = true, .has_habit = true},
    {.name = "allgatherv",
     .moves_data = true,
     .is_shared = true,
     .own_counts = true,
     .is_collective = true,
     .has_habit = true,
     .equal = Kind::allgather},
    {.name = "alltoall",
     .moves_data = true,
     .is_dealt = true,
     .blocks = true,
     .is_collective = true,
     .has_habit = true},
    {.name = "alltoallv",
     .moves_data = true,
     .is_dealt = true,
     .own_counts = true,
     .is_collective = true,
     .has_habit = true,
     .equal = Kind::alltoall},
    {.name = "gather", .moves_data = true, .one_way = true, .is_collective = true, .has_habit = true},
    {.name = "gatherv",
     .moves_data = true,
     .one_way = true,
     .own_counts = true,
     .is_collective = true,
     .has_habit = true,
     .equal = Kind::gather},
    {.name = "scatter",
     .moves_data = true,
     .is_dealt = true,
     .blocks = true,
     .one_way = true,
     .is_collective = true,
     .has_habit = true},
    {.name = "scatterv",
     .moves_data = true,
     .is_dealt = true,
     .one_way = true,
     .own_counts = true,
     .is_collective = true,
     .has_habit = true,
     .equal = Kind::scatter},
    {.name = "scan", .reduces = true, .one_way = true, .is_collective = true, .has_habit = true},
    {.name = "exscan", .reduces = true, .one_way = true, .is_collective = true, .has_habit = true},
    {.name = "a group of calls", .word = "group"},
    {.name = "send", .is_message = true},
    {.name = "recv", .is_message = true},
    {.name = "sendrecv", .is_message = true},
    {.name = "reshard", .moves_data = true, .is_collective = true},
    {.name = "reshard_reduce"},
    {.name = "allgather_dyn", .is_shared = true, .up_to_count = true, .is_collective = true, .equal = Kind::allgather},
    {.name = "alltoall_dyn", .up_to_count = true, .is_collective = true, .equal = Kind::alltoall},
    {.name = "a group of reductions", .word = "group_reduce", .has_habit = true},
};
static_assert(std::size(kind_traits) == kinds);
constexpr const KindTraits &traits(Kind kind) {
    return kind_traits[static_cast<size_t>(kind)];
}
// For functions that are compiled for it.
template <Kind kind> using KindAsType = std::integral_constant<Kind, kind>;
// The kind that users call so, or none.
constexpr Kind kind_named(std::string_view name) {
    for (int number = 1; number < kinds; ++number) {
        if (name == kind_traits[number].name) {
            return static_cast<Kind>(number);
        }
    }
    return Kind::none;
}
// What a call with parts of any size would be if they were equal.
constexpr Kind with_equal_parts(Kind kind) {
    const Kind equal = traits(kind).equal;
    return equal != Kind::none ? equal : kind;
}
// The kind under whose name users choose the algorithm.
constexpr Kind named_with(Kind kind) {
    return kind == Kind::reshard_reduce ? Kind::reshard : kind;
}
// Also of a number that came from a peer of another version.
const char *name_of(Kind kind);
constexpr const char *word_for(Kind kind) {
    return traits(kind).word ? traits(kind).word : traits(kind).name;
}
// Several calls as one operation.
constexpr bool joins_calls(Kind kind) {
    return kind == Kind::group || kind == Kind::group_reduce;
}

// Whether a root stands in a fingerprint, if anything does, and no signature.
constexpr bool shows_root(Kind kind) {
    return !traits(kind).up_to_count && kind != Kind::reshard && kind != Kind::reshard_reduce &&
           kind != Kind::reduce_scatterv;
}

struct UserOperator;
class Itinerary;
struct Reshard;
struct Dynamic;
class Arrivals;

// What a receive got.
struct Received {
    int32_t source, tag;
    size_t bytes;
};

struct Op {
    // Not in the order of the fingerprint: the compiler would read kind and type as one word, and a processor that has
    // just written them one by one waits until both have reached the cache.
    Kind kind = Kind::none;
    Operator op = Operator::none;
    Dtype dtype = Dtype::none;
    Form form = Form::blocking;
    int32_t root = -1;          // -1: not a rooted operation
    const void *send = nullptr; // equal to recv when in place
    void *recv = nullptr;
    // Elements: of the whole message where there is one (bcast, reduce, allreduce, scan), of one rank's part where each
    // has an equal part (gather, scatter, allgather, alltoall, reduce_scatter), of all parts together where they differ
    // but everybody knows them (reduce_scatterv); the most of one part where it turns out how many there are
    // (allgather_dyn); 0 where they differ and nobody knows all of them.
    size_t count = 0;
    // Parts that are no blocks of `count` elements in the order of ranks: by the rank they go to (allgather, gather:
    // one for all) and by the rank they come from (scatter: one). Both are given, or neither.
    const Portion *out = nullptr, *in = nullptr;
    // reduce_scatterv: elements of each rank's part, of the smallest and of the largest one.
    const size_t *counts = nullptr;
    size_t least = 0, most = 0;
    // Messages: whom to and with which tag, and for a receive whom from. `root` and `count` are not used.
    int32_t to = 0, tag = 0, from = 0, recv_tag = 0;
    size_t sent = 0, room = 0; // bytes; of reductions that are joined: room in the payload
    Received *received = nullptr;
    const UserOperator *user = nullptr; // instead of `op`
    uint32_t user_name = 0;             // a hash of its name and of `item`, below 2^user_name_bits
    // What it combines, if that is no predefined type: then `dtype` is none, and `count` that of these items, which lie
    // together.
    const Shape *item = nullptr;
    xcoll_dtype_t item_type = 0; // by the user's name for it
    // What all ranks agree on besides the count, in the place of the root: of a reshard ReshardSignature; where counts
    // turn out (up_to_count) the bytes of what is counted; where all know uneven parts, a hash of them; of what
    // exchanges words, what it is; of calls that are joined, also in the place of the count, GroupSignature. And how a
    // reshard reduces.
    uint32_t signature = 0;
    // Of the first operation of a group on its communicator: how many others the group becomes. See base/stance.h.
    uint32_t extra_numbers = 0;
    const Reshard *reshard = nullptr;
    // allgather_dyn, alltoall_dyn: the rest of the call, and while it runs what comes.
    const Dynamic *dynamic = nullptr;
    Arrivals *arrivals = nullptr;
    std::span<const Op> parts{};          // of a group
    const Itinerary *itinerary = nullptr; // of a group: where its bytes lie, or nullptr (coll/itinerary.h)

    size_t element_bytes() const {
        if (dtype == Dtype::none) [[unlikely]] {
            return item ? item->bytes : 0;
        }
        return size_of(dtype);
    }
    size_t bytes() const {
        return count * element_bytes();
    }
    void set_counts(const size_t *of_ranks, size_t ranks) {
        counts = of_ranks;
        const auto [smallest, largest] = std::minmax_element(of_ranks, of_ranks + ranks);
        least = *smallest;
        most = *largest;
    }
};

// An operator of the user's is known to the other ranks by its name: a hash of it stands above the count, which is
// never as large. If it combines items of a type that the user made, the hash is of that type as well, and the count is
// that of their bytes.
inline constexpr int user_name_bits = 19, count_bits = 64 - user_name_bits;
inline constexpr uint8_t user_operator_number = 0x3f;

// Whether a refused operation is none of the program's, but passed over by a rank that was out of step.
inline constexpr uint32_t passed_over_signature = 1;
// What tells apart what exchanges words.
inline constexpr uint32_t split_signature = 0, dup_signature = 1, init_signature = 2;

// Which dimensions a reshard is about, and a hash of the tensor's shape and its parts.
struct ReshardSignature {
    int from_dim, to_dim;
    uint32_t hash;

    static constexpr int dim_bits = 5, hash_bits = 21, lowest_dim = -2;
    uint32_t word() const {
        return 1u | static_cast<uint32_t>(from_dim - lowest_dim) << 1 |
               static_cast<uint32_t>(to_dim - lowest_dim) << (1 + dim_bits) | hash << (1 + 2 * dim_bits);
    }
    static ReshardSignature of(uint32_t word) {
        constexpr uint32_t mask = (1u << dim_bits) - 1;
        return {static_cast<int>(word >> 1 & mask) + lowest_dim,
                static_cast<int>(word >> (1 + dim_bits) & mask) + lowest_dim, word >> (1 + 2 * dim_bits)};
    }
};

// What must be equal on all ranks, in a form that can be compared in two instructions and printed by a peer. It is no
// hash, but for groups and of what is long and known to all: a mismatch message names both calls. Never handles,
// addresses, or counts that may differ between ranks.
struct Fingerprint {
    uint64_t what;  // kind, dtype and op, 6 bits each | stance << 18 | root or signature << 32
    uint64_t count; // | name of the user's operator << count_bits
    bool operator==(const Fingerprint &) const = default;
};

namespace fingerprint_place {
inline constexpr int kind_bits = 6, dtype = kind_bits, op = 2 * kind_bits, stance = 3 * kind_bits, root = 32;
inline constexpr unsigned kind_mask = (1u << kind_bits) - 1;
static_assert(stance + Stance::bits == root);
static_assert(kinds <= kind_mask && dtype_numbers <= kind_mask && operator_numbers <= user_operator_number);
static_assert(user_operator_number <= kind_mask);
} // namespace fingerprint_place

// Then its result depends on the caller's floating-point mode. Of reductions that are joined the types differ, and `op`
// says that one is of floats.
inline bool adds_floats(const Op &op) {
    return (op.op != Operator::none || op.user) && (is_floating(op.dtype) || op.kind == Kind::group_reduce);
}

inline Fingerprint fingerprint(const Op &op, Stance stance = {}) {
    namespace place = fingerprint_place;
    const auto number = op.user ? user_operator_number : static_cast<uint8_t>(op.op);
    const auto root = op.signature != 0 ? op.signature : static_cast<uint32_t>(op.root);
    const uint64_t shown = (adds_floats(op) ? stance : stance.without_mode()).word();
    return {static_cast<uint64_t>(op.kind) | static_cast<uint64_t>(op.dtype) << place::dtype |
                static_cast<uint64_t>(number) << place::op | shown << place::stance |
                static_cast<uint64_t>(root) << place::root,
            (op.item ? op.bytes() : op.count) | static_cast<uint64_t>(op.user_name) << count_bits};
}

// What it was made of.
struct FingerprintParts {
    Kind kind = Kind::none;
    Dtype dtype = Dtype::none;
    Operator op = Operator::none; // if it is not the user's
    bool by_user = false;         // the operator
    Stance stance{};
    int32_t place = -1; // root, or signature
    uint64_t count = 0, user_name = 0;

    static FingerprintParts of(const Fingerprint &f) {
        namespace at = fingerprint_place;
        const uint64_t number = f.what >> at::op & at::kind_mask;
        const bool by_user = number == user_operator_number;
        return {static_cast<Kind>(f.what & at::kind_mask),
                static_cast<Dtype>(f.what >> at::dtype & at::kind_mask),
                by_user ? Operator::none : static_cast<Operator>(number),
                by_user,
                Stance::of(f.what >> at::stance),
                static_cast<int32_t>(f.what >> at::root),
                by_user ? f.count & ((uint64_t{1} << count_bits) - 1) : f.count,
                by_user ? f.count >> count_bits : 0};
    }
    // Of a fingerprint that somebody shows who may be another program.
    bool is_sound() const {
        return static_cast<int>(kind) < kinds && static_cast<unsigned>(dtype) < dtype_numbers &&
               static_cast<unsigned>(op) < operator_numbers;
    }
};

// "allreduce(sum, 1024 x float32)", "bcast(root 0, 512 x int8)".
std::string describe(const Fingerprint &f);

} // namespace xcoll
