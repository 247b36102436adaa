/* ranks: 1
 *
 * What programs were compiled with: numbers, sizes and places that never change within version 1, in C. */
#include <stddef.h>
#include <string.h>

#include "xcoll.h"

#define IS(condition) _Static_assert(condition, #condition)

IS(XCOLL_SUCCESS == 0);
IS(XCOLL_ERR_ARGUMENT == 1);
IS(XCOLL_ERR_TYPE == 2);
IS(XCOLL_ERR_OP == 3);
IS(XCOLL_ERR_MISMATCH == 4);
IS(XCOLL_ERR_TRUNCATE == 5);
IS(XCOLL_ERR_STATE == 6);
IS(XCOLL_ERR_NO_MEMORY == 7);
IS(XCOLL_ERR_SYSTEM == 8);
IS(XCOLL_ERR_UNSUPPORTED == 9);
IS(XCOLL_ERR_CONFIG == 10);
IS(XCOLL_ERR_BOOTSTRAP == 11);
IS(XCOLL_ERR_AUTH == 12);
IS(XCOLL_ERR_TRANSPORT == 13);
IS(XCOLL_ERR_PEER_DEAD == 14);
IS(XCOLL_ERR_TIMEOUT == 15);
IS(XCOLL_ERR_ABORTED == 16);
IS(XCOLL_ERR_DEVICE == 17);
IS(XCOLL_ERR_BACKEND == 18);
IS(XCOLL_ERR_INTERNAL == 19);
IS(XCOLL_IN_PROGRESS == 20);

IS(XCOLL_INT8 == 0x10000101);
IS(XCOLL_UINT8 == 0x10000102);
IS(XCOLL_INT16 == 0x10000203);
IS(XCOLL_UINT16 == 0x10000204);
IS(XCOLL_INT32 == 0x10000405);
IS(XCOLL_UINT32 == 0x10000406);
IS(XCOLL_INT64 == 0x10000807);
IS(XCOLL_UINT64 == 0x10000808);
IS(XCOLL_FLOAT16 == 0x10000209);
IS(XCOLL_BFLOAT16 == 0x1000020a);
IS(XCOLL_FLOAT32 == 0x1000040b);
IS(XCOLL_FLOAT64 == 0x1000080c);
IS(XCOLL_FLOAT8_E4M3 == 0x1000010d);
IS(XCOLL_FLOAT8_E5M2 == 0x1000010e);
IS(XCOLL_COMPLEX64 == 0x1000080f);
IS(XCOLL_COMPLEX128 == 0x10001010);
IS(XCOLL_BOOL == 0x10000111);
IS(XCOLL_FLOAT32_INT32 == 0x10000812);
IS(XCOLL_FLOAT64_INT32 == 0x10001013);
IS(XCOLL_INT32_INT32 == 0x10000814);
IS(XCOLL_INT64_INT32 == 0x10001015);
IS(XCOLL_FLOAT32_INT64 == 0x10001016);
IS(XCOLL_FLOAT64_INT64 == 0x10001017);
IS(XCOLL_INT64_INT64 == 0x10001018);

IS(XCOLL_SUM == 0x20000001);
IS(XCOLL_PROD == 0x20000002);
IS(XCOLL_MIN == 0x20000003);
IS(XCOLL_MAX == 0x20000004);
IS(XCOLL_AVG == 0x20000005);
IS(XCOLL_LAND == 0x20000006);
IS(XCOLL_LOR == 0x20000007);
IS(XCOLL_LXOR == 0x20000008);
IS(XCOLL_BAND == 0x20000009);
IS(XCOLL_BOR == 0x2000000a);
IS(XCOLL_BXOR == 0x2000000b);
IS(XCOLL_MINLOC == 0x2000000c);
IS(XCOLL_MAXLOC == 0x2000000d);

IS(XCOLL_IN_PLACE_ADDRESS == 1);
IS(XCOLL_UNDEFINED == -32001);
IS(XCOLL_REPLICATED == -1);
IS(XCOLL_PARTIAL == -2);
IS(XCOLL_OP_NONCOMMUTATIVE == 1);

IS(sizeof(xcoll_result_t) == 4);
IS(sizeof(xcoll_dtype_t) == 4);
IS(sizeof(xcoll_op_t) == 4);
IS(sizeof(xcoll_comm_t) == sizeof(void *));
IS(sizeof(xcoll_request_t) == sizeof(void *));
IS(sizeof(xcoll_unique_id_t) == 128);

IS(offsetof(xcoll_tensor_t, struct_size) == 0);
IS(offsetof(xcoll_tensor_t, dtype) == 8);
IS(offsetof(xcoll_tensor_t, ndim) == 12);
IS(offsetof(xcoll_tensor_t, shape) == 16);
IS(offsetof(xcoll_tensor_t, send_strides) == 24);
IS(offsetof(xcoll_tensor_t, recv_strides) == 32);
IS(offsetof(xcoll_tensor_t, from_first) == 40);
IS(offsetof(xcoll_tensor_t, from_count) == 48);
IS(offsetof(xcoll_tensor_t, to_first) == 56);
IS(offsetof(xcoll_tensor_t, to_count) == 64);
IS(offsetof(xcoll_tensor_t, op) == 72);
IS(offsetof(xcoll_tensor_t, flags) == 76);
IS(sizeof(xcoll_tensor_t) == 80);

/* Pairs: the value first, the index where its own size divides, every byte in a field. */
#define IS_PAIR(pair, value_type, index_type, index_at, bytes)                                                         \
    IS(offsetof(pair, value) == 0 && sizeof(((pair *)0)->value) == sizeof(value_type));                                \
    IS(offsetof(pair, index) == (index_at) && sizeof(((pair *)0)->index) == sizeof(index_type));                       \
    IS(sizeof(pair) == (bytes))
IS_PAIR(xcoll_float32_int32_t, float, int32_t, 4, 8);
IS_PAIR(xcoll_float64_int32_t, double, int32_t, 8, 16);
IS_PAIR(xcoll_int32_int32_t, int32_t, int32_t, 4, 8);
IS_PAIR(xcoll_int64_int32_t, int64_t, int32_t, 8, 16);
IS_PAIR(xcoll_float32_int64_t, float, int64_t, 8, 16);
IS_PAIR(xcoll_float64_int64_t, double, int64_t, 8, 16);
IS_PAIR(xcoll_int64_int64_t, int64_t, int64_t, 8, 16);
IS(offsetof(xcoll_float64_int32_t, unused) == 12);
IS(offsetof(xcoll_int64_int32_t, unused) == 12);
IS(offsetof(xcoll_float32_int64_t, unused) == 4);

IS(XCOLL_SLOT_SEND == 0 && XCOLL_SLOT_RECV == 1 && XCOLL_SLOT_B == 2 && XCOLL_SLOT_BIAS == 3);
IS(XCOLL_DETERMINISM_DEFAULT == 0 && XCOLL_DETERMINISM_OFF == 1 && XCOLL_DETERMINISM_RUN == 2);
IS(XCOLL_DETERMINISM_SIZE == 3 && XCOLL_DETERMINISM_LAYOUT == 4);

/* Fields of the struct lie one behind the other, without holes. */
#define FOLLOWS(field, previous)                                                                                       \
    IS(offsetof(xcoll_comm_config_t, field) ==                                                                         \
       offsetof(xcoll_comm_config_t, previous) + sizeof(((xcoll_comm_config_t *)0)->previous))
IS(offsetof(xcoll_comm_config_t, struct_size) == 0);
FOLLOWS(api_version, struct_size);
FOLLOWS(flags, api_version);
FOLLOWS(rank, flags);
FOLLOWS(size, rank);
FOLLOWS(ids, size);
FOLLOWS(id_count, ids);
FOLLOWS(allgather, id_count);
FOLLOWS(allgather_context, allgather);
FOLLOWS(timeout_ms, allgather_context);
FOLLOWS(determinism, timeout_ms);
FOLLOWS(progress, determinism);
FOLLOWS(device_kind, progress);
FOLLOWS(device_index, device_kind);
FOLLOWS(name, device_index);
FOLLOWS(settings, name);
IS(sizeof(xcoll_comm_config_t) == 96);

/* The names that belong to the codes. */
static const char *const names[] = {
    "XCOLL_SUCCESS",      "XCOLL_ERR_ARGUMENT",  "XCOLL_ERR_TYPE",      "XCOLL_ERR_OP",        "XCOLL_ERR_MISMATCH",
    "XCOLL_ERR_TRUNCATE", "XCOLL_ERR_STATE",     "XCOLL_ERR_NO_MEMORY", "XCOLL_ERR_SYSTEM",    "XCOLL_ERR_UNSUPPORTED",
    "XCOLL_ERR_CONFIG",   "XCOLL_ERR_BOOTSTRAP", "XCOLL_ERR_AUTH",      "XCOLL_ERR_TRANSPORT", "XCOLL_ERR_PEER_DEAD",
    "XCOLL_ERR_TIMEOUT",  "XCOLL_ERR_ABORTED",   "XCOLL_ERR_DEVICE",    "XCOLL_ERR_BACKEND",   "XCOLL_ERR_INTERNAL",
    "XCOLL_IN_PROGRESS"};

int main(void) {
    int major = -1, minor = -1, patch = -1;
    for (int i = 0; i <= XCOLL_IN_PROGRESS; ++i) {
        if (strcmp(xcoll_error_name(i), names[i]) != 0 || xcoll_error_string(i)[0] == '\0') {
            return 1;
        }
    }
    if (xcoll_version(&major, &minor, &patch) != XCOLL_SUCCESS || major != XCOLL_VERSION_MAJOR ||
        minor != XCOLL_VERSION_MINOR || patch != XCOLL_VERSION_PATCH) {
        return 2;
    }
    return 0;
}
