#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

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

constexpr const char *no_words = "there is no memory, not even for the message of this error: its code has to do";
constexpr const char *no_memory =
    "out of memory: call again when this process has some, or raise its limit (ulimit -v, or the container's)";

std::string format_list(const char *pattern, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    std::string text(static_cast<size_t>(length > 0 ? length : 0), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

Failure failure_of_list(int rank, xcoll_result_t result, const char *pattern, va_list arguments) noexcept {
    try {
        return {result, format_list(pattern, arguments), rank};
    } catch (const std::bad_alloc &) {
        return {result, Failure::Lasting{no_words}, rank};
    }
}

} // namespace

Failure::Failure(xcoll_result_t result, std::string_view message, int rank) noexcept : result_(result), rank_(rank) {
    try {
        const auto kept = std::make_shared<const std::string>(message);
        message_ = {kept, kept->c_str()};
    } catch (const std::bad_alloc &) {
        message_ = {std::shared_ptr<void>(), no_words};
    }
}

Failure caught() noexcept {
    try {
        throw;
    } catch (const Failure &failure) {
        return failure;
    } catch (const std::bad_alloc &) {
        return {XCOLL_ERR_NO_MEMORY, Failure::Lasting{no_memory}};
    } catch (const std::exception &other) {
        return {XCOLL_ERR_INTERNAL, other.what()};
    }
}

Failure out_of_memory(int rank) noexcept {
    return {
        XCOLL_ERR_SYSTEM,
        Failure::Lasting{"out of memory in the middle of an operation: free this communicator, and make another one "
                         "when this process has memory again"},
        rank};
}

std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    return text;
}

void copy_shortened(const char *text, char *to, size_t room) noexcept {
    constexpr char mark[] = "...";
    constexpr unsigned continues = 0x80, of_continued = 0xc0; // in UTF-8, of all bytes of a character but the first
    const size_t length = std::strlen(text);
    if (length < room) {
        std::memcpy(to, text, length + 1);
        return;
    }
    size_t end = room - sizeof mark;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & of_continued) == continues) {
        --end;
    }
    std::memcpy(to, text, end);
    std::memcpy(to + end, mark, sizeof mark);
}

Failure failure_at(int rank, xcoll_result_t result, const char *pattern, ...) noexcept {
    va_list arguments;
    va_start(arguments, pattern);
    Failure failure = failure_of_list(rank, result, pattern, arguments);
    va_end(arguments);
    return failure;
}

void fail(xcoll_result_t result, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    const Failure failure = failure_of_list(Failure::nobody, result, pattern, arguments);
    va_end(arguments);
    throw failure;
}

void fail_at(int rank, xcoll_result_t result, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    const Failure failure = failure_of_list(rank, result, pattern, arguments);
    va_end(arguments);
    throw failure;
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
