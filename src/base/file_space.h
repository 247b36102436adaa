// Room in files that are mapped.
#pragma once

#include <cstddef>

namespace xcoll {

// Whether a limit allows files of so many bytes; one that goes beyond it ends the process by SIGXFSZ.
bool may_be_as_large(size_t bytes);

// Gives a part of a file its place, on the disk or in memory, so that no store into it fails later. Returns errno, 0
// if all is well; EFBIG where a limit forbids it.
int add_file_space(int file, size_t at, size_t bytes);

// Maps pages now that will be written soon, which otherwise wait for the kernel one by one. A kernel before Linux 5.14
// refuses, and they wait.
void touch_pages(void *base, size_t bytes);

} // namespace xcoll
