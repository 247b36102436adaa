#include "base/dtype.h"

namespace xcoll {

const char *name_of(Dtype d) {
    static constexpr const char *names[dtype_numbers] = {
        "no type",     "int8",          "uint8",         "int16",      "uint16",        "int32",         "uint32",
        "int64",       "uint64",        "float16",       "bfloat16",   "float32",       "float64",       "float8_e4m3",
        "float8_e5m2", "complex64",     "complex128",    "bool",       "float32_int32", "float64_int32", "int32_int32",
        "int64_int32", "float32_int64", "float64_int64", "int64_int64"};
    const auto number = static_cast<unsigned>(d);
    return number < dtype_numbers ? names[number] : "unknown type";
}

const char *name_of(Operator op) {
    static constexpr const char *names[operator_numbers] = {"no operator", "sum",  "prod",   "min",   "max",
                                                            "avg",         "land", "lor",    "lxor",  "band",
                                                            "bor",         "bxor", "minloc", "maxloc"};
    const auto number = static_cast<unsigned>(op);
    return number < operator_numbers ? names[number] : "unknown operator";
}

} // namespace xcoll
