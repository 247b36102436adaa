// What every processor runs: the instructions that the compiler takes for granted.
#include "kernels/table.h"

namespace xcoll {
namespace {

struct Plain : Portable {
    static constexpr Isa isa = Isa::plain;
    static constexpr const char *name = "plain";
    static constexpr bool fixed_vectors = false;
    static constexpr bool pair_loops = false;
    static constexpr bool streams = false;
    static constexpr int copy_bytes = 16;
};

constexpr Kernels table = TableOf<Plain>::make();

} // namespace

const Kernels *const plain_kernels = &table;

} // namespace xcoll
