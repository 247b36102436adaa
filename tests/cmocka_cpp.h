// CMocka for C++: its header includes nothing that it needs, declares no linkage, and takes the word `fail`.
#pragma once

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}
#undef fail
