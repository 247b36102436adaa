// A user's send, receive, or both at once, as tasks. They take no number among the communicator's operations: messages
// are matched by their tags and by the order in which each rank starts them, which is when these tasks are started.
//
// A task is parked on a line of its peer, so whoever polls it moves it, and a blocking call sees its message at once.
// Where needs_drive() says so there is no such line: it moves only when Post::progress() is called as well, which a
// wait does at once if it has the patience `driving(...)`. Before an unfinished task is destroyed, Post::cancel_all()
// is called.
#pragma once

#include "base/task.h"
#include "fabric/post.h"

namespace xcoll {

// A peer or source that is no_rank makes it nothing: received 0 bytes from no_rank with any_tag.
Task post_send(TaskHome &home, Post &post, int peer, int tag, const void *data, size_t bytes);
// *status is written at the end. Throws TRUNCATE when the message is longer than the room; *status says by how much.
Task post_recv(TaskHome &home, Post &post, int source, int tag, void *buffer, size_t room, Post::Status *status);

struct PostExchange {
    int to, send_tag;
    const void *send;
    size_t send_bytes;
    int source, recv_tag;
    void *recv;
    size_t room;
};
// Both are started before either is waited for, so a ring of these does not lock up.
Task post_sendrecv(TaskHome &home, Post &post, PostExchange what, Post::Status *status);

// In place of one that will not happen: its peers are told. Waits for nobody.
void refuse_message(Post &post, const Op &op);

constexpr bool needs_drive(int source) {
    return source == any_source;
}
// The send may have to wait for its peer while the receive waits for another one.
constexpr bool needs_drive(const PostExchange &exchange) {
    return needs_drive(exchange.source) || exchange.send_bytes > post_letter;
}

} // namespace xcoll
