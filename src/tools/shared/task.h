// One line of the results: an operation in a form, of a size, ready to be run again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tools/shared/operations.h"
#include "tools/shared/values.h"

namespace xcoll::perf {

enum class Form { blocking, immediate, persistent, enqueued, group };
enum class Loop { osu, honest };
inline constexpr const char *form_names[] = {"blocking", "i", "persistent", "enqueue", "group"};
inline constexpr const char *loop_names[] = {"osu", "honest"};

struct Task {
    const Operation *operation;
    const Type *type;
    const Reduction *reduction; // used by those that reduce
    Form form;
    size_t count; // elements of the whole vector, or of a block where there are blocks

    bool reduces() const {
        return operation->takes("op");
    }
    bool has_root() const {
        return operation->takes("root");
    }
    size_t bytes() const {
        return count * type->bytes;
    }
};

struct Member {
    xcoll_comm_t comm;
    int rank, size;
};

// How many calls a group has.
constexpr int calls_of_group = 4;

class Work {
public:
    Work(const Task &task, const Member &member);
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

    // The roots of rooted operations take turns; there is one for all others.
    int roots() const {
        return static_cast<int>(turns_.size());
    }
    void run(int root);
    // From now on calls go to this communicator of the same ranks; persistent requests stay with the first one.
    void use(xcoll_comm_t comm) {
        member_.comm = comm;
    }
    // Writes all that is sent and reads all that is received with that root.
    void produce(int root, unsigned iteration);
    uint64_t consume(int root) const;
    // Runs every root once with values of its own and returns how many elements are wrong on this rank.
    size_t check();

private:
    struct Turn {
        size_t sent = 0;                // elements
        std::vector<struct span> spans; // of what is received
        std::vector<Arguments> calls;   // several in a group
        xcoll_request_t request = XCOLL_REQUEST_NULL;
    };
    void plan(Turn &turn, int root);
    Arguments arguments(int root, size_t call);
    void call_group(const Turn &turn);
    unsigned char *input(size_t call);
    unsigned char *output(size_t call) {
        return recv_.get() + call * recv_bytes_;
    }
    const unsigned char *output(size_t call) const {
        return recv_.get() + call * recv_bytes_;
    }
    size_t calls() const {
        return task_.form == Form::group ? calls_of_group : 1;
    }

    const Task task_;
    Member member_;
    const Operation *mine_;                  // what this rank calls: the other end of a message calls something else
    size_t send_bytes_ = 0, recv_bytes_ = 0; // of one call
    std::unique_ptr<unsigned char[]> send_, recv_;
    std::vector<size_t> sent_counts_, received_counts_, sent_at_, received_at_;
    std::vector<xcoll_dtype_t> types_;
    std::vector<int64_t> tensor_shape_;
    xcoll_tensor_t tensor_;
    std::vector<Turn> turns_;
};

} // namespace xcoll::perf
