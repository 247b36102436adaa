// How the ranks of a job find each other, before there is any shared memory: an allgather of small blobs, and a way
// to hand file descriptors to the ranks of the same machine. Everything else is built on these two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/descriptor.h"
#include "xcoll.h"

namespace xcoll {

class Cryptos;
class OwnIds;

// Of the rank at this place of a list of peers. Must not throw.
using TakeDescriptor = std::function<void(size_t place, Descriptor theirs)>;

class Bootstrap {
public:
    virtual ~Bootstrap() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Collective: `bytes` bytes of every rank, in rank order, into recv. Throws Failure.
    virtual void allgather(const void *send, void *recv, size_t bytes) = 0;

    // Collective over `peers` (ranks of this job on this machine, ascending, with this rank among them; the same list
    // on each of them): hands my descriptor to all of them and gives theirs to `take`, each once and as they come; of
    // my own, a duplicate. A process may have fewer descriptors than its machine has ranks, so `take` should keep none.
    // Ranks with an empty list take no part but must call too. Throws Failure.
    virtual void exchange_descriptors(int mine, const std::vector<int> &peers, const TakeDescriptor &take) = 0;

    // How the ranks found each other, for people: "xcollrun", "unique id from 10.0.0.3 (eth0)".
    virtual std::string how() const = 0;
};

// A job of one rank.
std::unique_ptr<Bootstrap> boot_alone();
// Under xcollrun: the socket to the launcher inherited by this process; nullptr if there is none.
std::unique_ptr<Bootstrap> boot_launcher();
// The caller's allgather (xcoll_comm_config_t); descriptors travel over Unix sockets between the ranks of a machine.
using AllgatherFunction = int32_t (*)(void *context, const void *send, void *recv, size_t bytes_per_rank);
std::unique_ptr<Bootstrap> boot_callback(int rank, int size, AllgatherFunction fn, void *context);
// The first step of its ranks: throws BOOTSTRAP if they are not those that the function gathers from, each in its
// place.
void check_places(Bootstrap &boot);
// Unique ids (xcoll_comm_config_t), equal on all ranks; `own` are those that this process has made. The processes that
// made them must take part, or others that have come from them by fork.
std::unique_ptr<Bootstrap> boot_ids(OwnIds &own, Cryptos &cryptos, std::span<const xcoll_unique_id_t> ids, int rank,
                                    int size, const Settings &settings);
// What the environment says about the ranks and their meeting place: XCOLL_RANK, XCOLL_SIZE and XCOLL_ROOT, or
// torchrun's variables; nullptr if it says nothing.
std::unique_ptr<Bootstrap> boot_environment(Cryptos &cryptos, const Settings &settings);

} // namespace xcoll
