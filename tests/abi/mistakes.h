// Calls that are wrong, each with the code it must return and the words its message must have: first of all the name of
// the parameter that is wrong, as xcoll.h has it.
#pragma once

#include <cctype>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "../ranks/ranks.h"

namespace mistakes {

struct Mistake {
    const char *function;
    std::function<xcoll_result_t()> call;
    xcoll_result_t wanted;
    std::vector<std::string> named;
};

inline bool is_in_names(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}
// As words of their own: recvcounts is another name than recvcount, and operator than op.
inline bool has_words(const std::string &message, const std::string &words) {
    for (size_t at = message.find(words); at != std::string::npos; at = message.find(words, at + 1)) {
        const size_t end = at + words.size();
        const bool begins = at == 0 || !is_in_names(words.front()) || !is_in_names(message[at - 1]);
        const bool ends = end == message.size() || !is_in_names(words.back()) || !is_in_names(message[end]);
        if (begins && ends) {
            return true;
        }
    }
    return false;
}
inline void expect_words(const std::string &words) {
    if (!has_words(xcoll_last_error(), words)) {
        ranks::wrong(std::string("the message \"") + xcoll_last_error() + "\" does not name \"" + words + '"');
    }
}

inline void make(const std::vector<Mistake> &mistakes) {
    for (const Mistake &mistake : mistakes) {
        const xcoll_result_t got = mistake.call();
        if (got != mistake.wanted) {
            ranks::wrong(std::string(mistake.function) + " returned " + xcoll_error_name(got) + " (" +
                         xcoll_last_error() + ") instead of " + xcoll_error_name(mistake.wanted) + " for a wrong " +
                         mistake.named.front());
        }
        expect_words(mistake.function);
        for (const std::string &words : mistake.named) {
            expect_words(words);
        }
    }
}

inline void expect_usable(xcoll_comm_t comm, int size) {
    int one = 1;
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::check(one == size, "allreduce has a wrong result after wrong calls");
    xcoll_result_t error = XCOLL_ERR_INTERNAL;
    ranks::succeed(xcoll_comm_get_async_error(comm, &error));
    ranks::check(error == XCOLL_SUCCESS, "a wrong argument is no fatal error");
}

// The parts of a test, all on one communicator that survives each of them.
inline void make_all(const ranks::Rank &rank,
                     std::initializer_list<void (*)(const ranks::Rank &, xcoll_comm_t)> parts) {
    xcoll_comm_t comm = rank.open();
    for (const auto part : parts) {
        part(rank, comm);
        expect_usable(comm, rank.size());
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace mistakes
