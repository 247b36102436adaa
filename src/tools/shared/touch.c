#include "touch.h"

#include <string.h>

void write_all(void *to, size_t bytes, unsigned iteration) {
    memset(to, 0x30 | (int)(iteration % 16), bytes);
}

uint64_t read_all(const void *from, size_t bytes) {
    const unsigned char *at = from;
    uint64_t sum = 0, word;
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum ^= word;
    }
    for (; bytes > 0; --bytes) {
        sum ^= *at++;
    }
    return sum;
}
