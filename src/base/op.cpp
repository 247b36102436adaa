#include "base/op.h"

#include "base/error.h"
#include "base/float_mode.h"
#include "base/group_signature.h"

namespace xcoll {

const char *name_of(Kind kind) {
    const auto number = static_cast<unsigned>(kind);
    return number < kinds ? kind_traits[number].name : "an operation unknown to this version";
}

namespace {
std::string name_of_mode(uint8_t mode) {
    const uint8_t denormals = mode & float_mode_flush;
    std::string text = denormals == 0                        ? ""
                       : denormals == float_mode_flush       ? "denormals flushed"
                       : denormals == float_mode_flush_early ? "denormals flushed before rounding"
                                                             : "denormal results flushed";
    if ((mode & float_mode_rounding) != 0) {
        text += format("%snot rounded to nearest", text.empty() ? "" : ", ");
    }
    return text;
}
std::string name_of_dim(int dim) {
    return dim >= 0 ? format("dim %d", dim) : dim == XCOLL_PARTIAL ? "partial" : "replicated";
}
} // namespace

std::string describe(const Fingerprint &f) {
    const auto [kind, dtype, op, by_user, stance, root, count, user_name] = FingerprintParts::of(f);
    const uint8_t mode = stance.mode();
    if (joins_calls(kind)) {
        return format("a group of %zu %s", GroupSignature::calls(count), kind == Kind::group ? "calls" : "reductions") +
               (mode != 0 ? format(" (%s)", name_of_mode(mode).c_str()) : "");
    }
    if (kind == Kind::words) {
        return root == static_cast<int32_t>(dup_signature)    ? "dup"
               : root == static_cast<int32_t>(init_signature) ? "init"
                                                              : "split";
    }
    if (kind == Kind::refused && root == static_cast<int32_t>(passed_over_signature)) {
        return "nothing, to be in step again after calls that did not match";
    }
    std::string text = name_of(kind);
    if (static_cast<int>(kind) >= kinds || (dtype == Dtype::none && !by_user)) {
        return text;
    }
    text += '(';
    if (by_user) {
        text += format("operator of the user's with the hash %llx of its name%s, ",
                       static_cast<unsigned long long>(user_name), dtype == Dtype::none ? " and type" : "");
    } else if (op != Operator::none) {
        text += format("%s, ", name_of(op));
    }
    if (kind == Kind::reshard || kind == Kind::reshard_reduce) {
        const auto signature = ReshardSignature::of(static_cast<uint32_t>(root));
        text += format("%s to %s, shape and parts with the hash %x, ", name_of_dim(signature.from_dim).c_str(),
                       name_of_dim(signature.to_dim).c_str(), signature.hash);
    } else if (traits(kind).up_to_count) {
        text += format("each rank its own number of items of %u bytes, up to ", static_cast<uint32_t>(root));
    } else if (kind == Kind::reduce_scatterv) {
        text += format("recvcounts with the hash %x, ", static_cast<uint32_t>(root));
    } else if (root >= 0) {
        text += format("root %d, ", root);
    }
    if (count == 0 && traits(kind).own_counts) {
        return text + format("each rank its own count x %s)", name_of(dtype));
    }
    const auto number = static_cast<unsigned long long>(count);
    text += dtype == Dtype::none ? format("%llu bytes of a type of the user's", number)
                                 : format("%llu x %s", number, name_of(dtype));
    return text + (mode != 0 ? format(", %s)", name_of_mode(mode).c_str()) : ")");
}

} // namespace xcoll
