#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/dtype.h"

namespace xcoll {

namespace {

struct ResultText {
    const char *name;
    const char *meaning;
};
// In the order of the codes.
constexpr ResultText result_texts[] = {
    {"XCOLL_SUCCESS", "success"},
    {"XCOLL_ERR_ARGUMENT", "an argument is not valid"},
    {"XCOLL_ERR_TYPE", "not a data type, or not one for this operation"},
    {"XCOLL_ERR_OP", "not an operator, or not one for this type"},
    {"XCOLL_ERR_MISMATCH", "the ranks called different operations"},
    {"XCOLL_ERR_TRUNCATE", "more data arrived than there is room for"},
    {"XCOLL_ERR_STATE", "not allowed in this state"},
    {"XCOLL_ERR_NO_MEMORY", "out of memory"},
    {"XCOLL_ERR_SYSTEM", "a system call failed"},
    {"XCOLL_ERR_UNSUPPORTED", "not supported here"},
    {"XCOLL_ERR_CONFIG", "a setting is unknown or has a bad value"},
    {"XCOLL_ERR_BOOTSTRAP", "the ranks could not find each other"},
    {"XCOLL_ERR_AUTH", "a peer could not prove that it belongs to the job"},
    {"XCOLL_ERR_TRANSPORT", "the network failed"},
    {"XCOLL_ERR_PEER_DEAD", "a peer has died"},
    {"XCOLL_ERR_TIMEOUT", "a deadline passed"},
    {"XCOLL_ERR_ABORTED", "the communicator was aborted"},
    {"XCOLL_ERR_DEVICE", "an accelerator failed"},
    {"XCOLL_ERR_BACKEND", "a library that xcoll uses failed"},
    {"XCOLL_ERR_INTERNAL", "a defect of xcoll, please report it"},
    {"XCOLL_IN_PROGRESS", "not finished yet"},
};
constexpr int32_t result_count = sizeof result_texts / sizeof *result_texts;
static_assert(result_count == XCOLL_IN_PROGRESS + 1);

std::string format_list(const char *pattern, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    std::string text(static_cast<size_t>(length > 0 ? length : 0), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

} // namespace

std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    return text;
}

void fail(xcoll_result_t result, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    throw Failure(result, std::move(text));
}

void fail_at(int rank, xcoll_result_t result, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    throw Failure(result, std::move(text), rank);
}

void fail_system(const char *call) {
    const int code = errno;
    fail(XCOLL_ERR_SYSTEM, "%s failed: %s (errno %d)", call, std::strerror(code), code);
}

const char *result_name(xcoll_result_t result) {
    return result >= 0 && result < result_count ? result_texts[result].name : "(not a result of xcoll)";
}

const char *result_string(xcoll_result_t result) {
    return result >= 0 && result < result_count ? result_texts[result].meaning : "not a result of xcoll";
}

} // namespace xcoll
