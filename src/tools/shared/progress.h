// Tells a user who waits what is being done.
#pragma once

#include <string>

namespace xcoll::tools {

// A line on standard error that the next one replaces, where that is a terminal and `wanted` is true.
class Progress {
public:
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    void show(const std::string &text);

private:
    bool shown_;
};

} // namespace xcoll::tools
