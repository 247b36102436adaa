// ranks: 1 3
//
// Every wrong description of a distributed tensor: the code, and a message that names what is wrong. All ranks make the
// same mistakes; the communicator stays usable throughout.
#include "../ranks/ranks.h"

using ranks::Rank;

namespace {

struct Mistake {
    const char *words;
    void (*make)(xcoll_tensor_t &);
    xcoll_result_t wanted = XCOLL_ERR_ARGUMENT;
    int from_dim = 0, to_dim = 1;
};

constexpr int64_t empty_shape[] = {INT64_MAX, 0}, bad_shape[] = {4, -1}, huge_shape[] = {INT64_MAX, INT64_MAX},
                  good_shape[] = {16, 16};
constexpr int64_t negative[16] = {-1}, beyond[16] = {17}, zeros[16] = {}, far_stride[2] = {INT64_MAX, 1};

constexpr Mistake mistakes[] = {
    {"tensor.struct_size is 0", [](xcoll_tensor_t &t) { t.struct_size = 0; }},
    {"tensor.struct_size", [](xcoll_tensor_t &t) { t.struct_size = SIZE_MAX; }},
    {"tensor.ndim is 0", [](xcoll_tensor_t &t) { t.ndim = 0; }},
    {"tensor.ndim is 17", [](xcoll_tensor_t &t) { t.ndim = 17; }},
    {"tensor.shape is NULL", [](xcoll_tensor_t &t) { t.shape = nullptr; }},
    {"tensor.shape[1] is -1", [](xcoll_tensor_t &t) { t.shape = bad_shape; }},
    {"memory", [](xcoll_tensor_t &t) { t.shape = huge_shape; }},
    {"tensor.dtype", [](xcoll_tensor_t &t) { t.dtype = 0; }, XCOLL_ERR_TYPE},
    {"swapped", [](xcoll_tensor_t &t) { t.dtype = XCOLL_SUM; }, XCOLL_ERR_TYPE},
    {"op", [](xcoll_tensor_t &t) { t.op = XCOLL_FLOAT32; }, XCOLL_ERR_OP},
    {"op bxor is not defined for dtype float32", [](xcoll_tensor_t &t) { t.op = XCOLL_BXOR; }, XCOLL_ERR_OP},
    {"tensor.flags", [](xcoll_tensor_t &t) { t.flags = 1; }, XCOLL_ERR_UNSUPPORTED},
    {"from_dim is 2", [](xcoll_tensor_t &) {}, XCOLL_ERR_ARGUMENT, 2},
    {"from_dim is -3", [](xcoll_tensor_t &) {}, XCOLL_ERR_ARGUMENT, -3},
    {"to_dim is 2", [](xcoll_tensor_t &) {}, XCOLL_ERR_ARGUMENT, 0, 2},
    {"to_dim is -2", [](xcoll_tensor_t &) {}, XCOLL_ERR_ARGUMENT, 0, XCOLL_PARTIAL},
    {"tensor.from: -1", [](xcoll_tensor_t &t) { t.from_count = negative; }},
    {"tensor.to: 17", [](xcoll_tensor_t &t) { t.to_count = beyond; }},
    {"from -1 on", [](xcoll_tensor_t &t) { t.to_first = negative, t.to_count = zeros; }},
    {"from 17 on", [](xcoll_tensor_t &t) { t.from_first = beyond, t.from_count = zeros; }},
    {"tensor.from_count is NULL", [](xcoll_tensor_t &t) { t.from_first = zeros; }},
    {"tensor.to_count is NULL", [](xcoll_tensor_t &t) { t.to_first = zeros; }},
    {"no rank has index 0 of dimension 0", [](xcoll_tensor_t &t) { t.from_count = zeros; }},
    {"tensor.send_strides[0]", [](xcoll_tensor_t &t) { t.send_strides = far_stride; }},
    {"tensor.recv_strides[0] is 0", [](xcoll_tensor_t &t) { t.recv_strides = zeros; }},
};

void wrong_arguments(const Rank &, xcoll_comm_t comm) {
    std::vector<float> send(256), recv(256);
    const auto good = [] {
        xcoll_tensor_t tensor;
        ranks::succeed(xcoll_tensor_defaults(&tensor, sizeof tensor));
        tensor.dtype = XCOLL_FLOAT32;
        tensor.ndim = 2;
        tensor.shape = good_shape;
        return tensor;
    };
    for (const Mistake &mistake : mistakes) {
        xcoll_tensor_t tensor = good();
        mistake.make(tensor);
        const xcoll_result_t got =
            xcoll_reshard(send.data(), recv.data(), &tensor, mistake.from_dim, mistake.to_dim, comm);
        if (got != mistake.wanted) {
            ranks::wrong(std::string("expected a refusal with: ") + mistake.words + ", got " + xcoll_error_name(got) +
                         ": " + xcoll_last_error());
        }
        ranks::expect_message({"xcoll_reshard", mistake.words});
    }
    const xcoll_tensor_t tensor = good();
    const auto refused = [&](const void *from, void *to, const xcoll_tensor_t *of, const char *words) {
        ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_reshard(from, to, of, 0, 1, comm));
        ranks::expect_message({"xcoll_reshard", words});
    };
    refused(send.data(), recv.data(), nullptr, "tensor is NULL");
    refused(nullptr, recv.data(), &tensor, "send is NULL");
    refused(send.data(), nullptr, &tensor, "recv is NULL");
    refused(XCOLL_IN_PLACE, recv.data(), &tensor, "XCOLL_IN_PLACE");
    refused(send.data(), send.data(), &tensor, "overlap");
    refused(send.data(), send.data() + 1, &tensor, "expected separate buffers");
    xcoll_tensor_t empty = good();
    empty.shape = empty_shape;
    ranks::succeed(xcoll_reshard(send.data(), recv.data(), &empty, 0, 1, comm)); // however long its other dimension
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_tensor_defaults(nullptr, sizeof tensor));
    xcoll_tensor_t other;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_tensor_defaults(&other, sizeof &other));
    struct {
        xcoll_tensor_t known;
        int64_t unknown;
    } newer = {tensor, 0};
    newer.known.struct_size = sizeof newer;
    ranks::succeed(xcoll_reshard(send.data(), recv.data(), &newer.known, 0, 1, comm));
    newer.unknown = 1;
    ranks::expect(XCOLL_ERR_UNSUPPORTED, xcoll_reshard(send.data(), recv.data(), &newer.known, 0, 1, comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    wrong_arguments(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}
