// One line of the results: an operation in a form, of a size, ready to be run again and again.
#pragma once

#include <cstddef>
#include <cstdlib>
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
// Of Task::in_place, and whether Task::range is more than 0.
inline constexpr const char *place_names[] = {"out", "in"}, *buffer_names[] = {"hot", "cold"};

struct Task {
    const Operation *operation;
    const Type *type;
    const Reduction *reduction; // used by those that reduce
    Form form;
    size_t count; // elements of the whole vector, or of a block where there are blocks
    bool in_place = false;
    size_t range = 0; // bytes through which each rank's buffers move from call to call; 0: they stay

    bool reduces() const {
        return operation->takes("op");
    }
    bool has_root() const {
        return operation->takes("root");
    }
    bool can_be_in_place() const;
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
    // Before a run: on to the next place of the range.
    void move() {
        if (places_ > 1) {
            go_on();
        }
    }
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
        size_t sent = 0; // elements
        enum in_place in_place = NEVER_IN_PLACE;
        size_t input_at = 0;            // of the results, in bytes
        std::vector<struct span> spans; // of what is received
        std::vector<Arguments> calls;   // several in a group
        xcoll_request_t request = XCOLL_REQUEST_NULL;
    };
    void plan(Turn &turn, int root);
    void lay_out();
    void go_on();
    Arguments arguments(int root);
    void point(Turn &turn);
    void call_group(const Turn &turn);
    unsigned char *input_of_place() const {
        return room_.get() + place_ * (send_stride_ + recv_stride_);
    }
    unsigned char *input(const Turn &turn, size_t call) const;
    unsigned char *output(size_t call) const {
        return input_of_place() + send_stride_ + call * recv_bytes_;
    }
    size_t calls() const {
        return task_.form == Form::group ? calls_of_group : 1;
    }

    const Task task_;
    Member member_;
    const Operation *mine_;                  // what this rank calls: the other end of a message calls something else
    size_t send_bytes_ = 0, recv_bytes_ = 0; // of one call
    // A place has first what is sent, then what is received.
    size_t send_stride_ = 0, recv_stride_ = 0;
    size_t places_ = 1, place_ = 0, moves_ = 0;
    std::unique_ptr<unsigned char[], decltype(&std::free)> room_{nullptr, std::free};
    std::vector<size_t> sent_counts_, received_counts_, sent_at_, received_at_;
    std::vector<xcoll_dtype_t> types_;
    std::vector<int64_t> tensor_shape_;
    xcoll_tensor_t tensor_;
    std::vector<Turn> turns_;
};

} // namespace xcoll::perf
