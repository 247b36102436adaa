#include "tools/xcollrun/output.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>

namespace xcoll::launcher {

void Output::add(int rank, Descriptor pipe, int target) {
    fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
    sources_.push_back({rank, std::move(pipe), target, {}});
}

void Output::add_entries(std::vector<pollfd> &entries) const {
    entries.push_back({lines_.empty() ? -1 : lines_.front().target, POLLOUT, 0});
    for (const Source &source : sources_) {
        entries.push_back({full() ? -1 : source.pipe.get(), POLLIN, 0});
    }
}

void Output::serve(const pollfd *entries) {
    if (entries->revents != 0) {
        write_some();
    }
    for (Source &source : sources_) {
        if ((++entries)->revents != 0 && !full()) {
            read_some(source);
        }
    }
}

void Output::close_all() {
    for (Source &source : sources_) {
        while (read_some(source)) {
        }
        end(source);
    }
}

bool Output::read_some(Source &source) {
    char part[16384];
    if (!source.pipe) {
        return false;
    }
    const ssize_t got = read(source.pipe.get(), part, sizeof part);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return errno == EINTR;
    }
    if (got <= 0) {
        end(source);
        return false;
    }
    source.partial.append(part, static_cast<size_t>(got));
    take_lines(source);
    return true;
}

void Output::take_lines(Source &source) {
    size_t begin = 0;
    for (size_t end; (end = source.partial.find('\n', begin)) != std::string::npos; begin = end + 1) {
        queue(source, source.partial.substr(begin, end - begin));
    }
    source.partial.erase(0, begin);
    if (source.partial.size() >= line_limit) {
        queue(source, std::move(source.partial));
        source.partial.clear();
    }
}

void Output::end(Source &source) {
    source.pipe.reset();
    if (!source.partial.empty()) {
        queue(source, std::move(source.partial));
    }
    source.partial.clear();
}

void Output::queue(const Source &source, std::string text) {
    text.insert(0, std::to_string(source.rank).insert(0, 1, '[').append("] "));
    text.push_back('\n');
    lines_.push_back({source.target, std::move(text)});
    waiting_ += lines_.back().text.size();
}

void Output::write_some() {
    // A pipe that polls as writable takes this much without blocking, and the target's owner is not ours to change.
    constexpr size_t without_blocking = 4096;
    const int target = lines_.front().target;
    std::string batch = lines_.front().text.substr(written_, without_blocking);
    for (size_t i = 1; i < lines_.size() && lines_[i].target == target && batch.size() < without_blocking; ++i) {
        batch.append(lines_[i].text, 0, without_blocking - batch.size());
    }
    const ssize_t done = write(target, batch.data(), batch.size());
    if (done < 0 && errno != EAGAIN && errno != EINTR) {
        return give_up(target);
    }
    written_ += done > 0 ? static_cast<size_t>(done) : 0;
    while (!lines_.empty() && written_ >= lines_.front().text.size()) {
        written_ -= lines_.front().text.size();
        waiting_ -= lines_.front().text.size();
        lines_.pop_front();
    }
}

// Nobody reads it any more: the ranks that write to it get what they would get without us, SIGPIPE.
void Output::give_up(int target) {
    if (errno != EPIPE) {
        has_lost_ = true;
        std::fprintf(stderr, "xcollrun: cannot write the ranks' output: %s\n", std::strerror(errno));
    }
    std::erase_if(lines_, [target](const Line &line) { return line.target == target; });
    written_ = waiting_ = 0;
    for (const Line &line : lines_) {
        waiting_ += line.text.size();
    }
    for (Source &source : sources_) {
        if (source.target == target) {
            source.pipe.reset();
            source.partial.clear();
        }
    }
}

} // namespace xcoll::launcher
