// ranks: 1 3
//
// A message to or from XCOLL_NO_RANK is none: it succeeds in every form, alone and in a group, and its other arguments
// are not looked at. Of a sendrecv that is true for each side by itself.
#include "nobody.h"
#include "mistakes.h"

using mistakes::make;
using ranks::Rank;
using namespace ranks::nobody;

namespace {

// Every rank to the next one, in a row, plain and of a type whose items do not lie together; and then this side's own
// arguments are looked at.
void one_side_alone(const Rank &rank, xcoll_comm_t comm) {
    const int self = rank.rank();
    const int next = self + 1 < rank.size() ? self + 1 : XCOLL_NO_RANK, before = self > 0 ? self - 1 : XCOLL_NO_RANK;
    xcoll_dtype_t apart = 0;
    ranks::succeed(xcoll_type_vector(2, 1, 2, XCOLL_INT32, &apart));
    for (const xcoll_dtype_t dtype : {xcoll_dtype_t{XCOLL_INT32}, apart}) {
        int mine[3] = {self, -1, self}, theirs[3] = {-1, -1, -1};
        const bool sends = next != XCOLL_NO_RANK, receives = before != XCOLL_NO_RANK;
        ranks::succeed(xcoll_sendrecv(sends ? mine : nullptr, 1, next, sends ? 4 : -1, receives ? theirs : nullptr, 1,
                                      before, receives ? 4 : -1, dtype, comm));
        ranks::check(theirs[0] == (receives ? before : -1), "a message in a row of ranks has not arrived");
    }
    ranks::succeed(xcoll_type_free(&apart));
    int data = 0;
    const char *name = "xcoll_sendrecv";
    make({
        {name,
         [&] { return xcoll_sendrecv(&data, 1, self, -1, nullptr, 1, XCOLL_NO_RANK, -1, XCOLL_INT32, comm); },
         XCOLL_ERR_ARGUMENT,
         {"sendtag -1 is negative"}},
        {name,
         [&] { return xcoll_sendrecv(nullptr, 1, XCOLL_NO_RANK, -1, &data, 1, self, -1, XCOLL_INT32, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvtag -1 is negative"}},
        {name,
         [&] { return xcoll_sendrecv(&data, 1, self, 0, nullptr, 1, XCOLL_NO_RANK, 0, no_dtype, comm); },
         XCOLL_ERR_TYPE,
         {"dtype"}},
    });
}

void test(Rank &rank) {
    mistakes::make_all(rank, {whatever_else_is_given, in_every_form, in_a_group, one_side_alone});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
