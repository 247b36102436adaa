#include "core/own_words.h"

#include "base/user_operator.h"

namespace xcoll {

namespace {

std::string name_of_operator(const Op &op) {
    return op.user->is_premultiplied() ? "a premultiplied sum" : '"' + op.user->name + '"';
}

std::string list_of_calls(const Op &op) {
    constexpr size_t most = 16; // more than that nobody reads
    std::string list;
    for (size_t i = 0; i < std::min(op.parts.size(), most); ++i) {
        list += format("%s%zu %s", i == 0 ? "" : ", ", i + 1, describe(fingerprint(op.parts[i])).c_str());
    }
    return list + (op.parts.size() > most ? format(" and %zu more", op.parts.size() - most) : "");
}

} // namespace

Failure with_own_words(int rank, const Op &op, const Failure &failure) {
    if (failure.result() != XCOLL_ERR_MISMATCH || !(op.user || joins_calls(op.kind))) {
        return failure;
    }
    const bool is_group = joins_calls(op.kind);
    return failure_at(failure.rank(), failure.result(), "%s. The %s of rank %d %s %s", failure.what(),
                      is_group ? "calls" : "operator", rank, is_group ? "are" : "is",
                      (is_group ? list_of_calls(op) : name_of_operator(op)).c_str())
        .with_behind(failure.behind());
}

} // namespace xcoll
