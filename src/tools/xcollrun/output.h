// The ranks' output under --label: whole lines, each after the number of its rank, in the order in which they came.
#pragma once

#include <deque>
#include <poll.h>
#include <string>
#include <vector>

#include "boot/launcher_protocol.h"

namespace xcoll::launcher {

class Output {
public:
    // What `pipe` brings goes to `target`, line by line.
    void add(int rank, Descriptor pipe, int target);

    // Appends what to wait for; the same number of entries is then given to serve().
    void add_entries(std::vector<pollfd> &entries) const;
    void serve(const pollfd *entries);
    // Takes what is left in the pipes of processes that have ended, and their last lines without an end.
    void close_all();
    bool has_unwritten() const {
        return !lines_.empty();
    }
    // Something could not be written, for another reason than that nobody reads it.
    bool has_lost() const {
        return has_lost_;
    }

private:
    struct Source {
        int rank;
        Descriptor pipe;
        int target;
        std::string partial;
    };
    struct Line {
        int target;
        std::string text;
    };

    bool full() const {
        return waiting_ > waiting_limit;
    }
    // False once the pipe has ended or has nothing for now.
    bool read_some(Source &source);
    void take_lines(Source &source);
    void end(Source &source);
    void queue(const Source &source, std::string text);
    void write_some();
    void give_up(int target);

    static constexpr size_t waiting_limit = 1 << 20; // bytes for a slow reader, before the ranks have to wait for it
    static constexpr size_t line_limit = 1 << 20;    // a longer line is broken

    std::vector<Source> sources_;
    std::deque<Line> lines_;
    size_t waiting_ = 0;
    size_t written_ = 0; // of the first line
    bool has_lost_ = false;
};

} // namespace xcoll::launcher
