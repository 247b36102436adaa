// Cross-memory attach: the kernel copies out of another process what that one has not mapped for anybody. One copy, by
// the reader alone; where the system allows it, which only an attempt tells.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace xcoll {

// Reads a word of another process, of which the value is known. Empty if it could, or why it could not.
std::string try_to_attach(int64_t process, const uint64_t *word, uint64_t value);

// Bytes of another process, into pieces of memory of this one. Pieces that lie one behind the other over there are
// copied by one system call.
class AttachedRead {
public:
    explicit AttachedRead(int64_t process) : process_(process) {
    }
    void add(char *to, const char *from, size_t bytes);
    // Everything that was added is there: 0, or the error; ESRCH if the process has ended.
    int finish();

private:
    // A call for so many costs hardly more than one for a single piece; the kernel takes 1024.
    static constexpr size_t most_pieces = 64;

    void flush();

    int64_t process_;
    std::array<iovec, most_pieces> pieces_;
    size_t count_ = 0, bytes_ = 0;
    const char *from_ = nullptr;
    int error_ = 0;
};

} // namespace xcoll
