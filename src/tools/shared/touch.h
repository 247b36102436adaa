/* What a program does before and after a collective: touches every byte, as fast as the machine can. Shared by
 * the tools that measure and bench/, which is plain C. */
#ifndef XCOLL_TOOLS_TOUCH_H
#define XCOLL_TOOLS_TOUCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Other bytes in another iteration; never a NaN or an infinity in any type of floats. */
void write_all(void *to, size_t bytes, unsigned iteration);
/* To be used, so that the reading is not left out. */
uint64_t read_all(const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
