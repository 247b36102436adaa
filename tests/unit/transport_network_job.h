// A job whose ranks are on machines of their own, in one process and over a plug-in that is part of the test.
#pragma once

#include <memory>
#include <vector>

#include "fabric/net.h"
#include "transport_fake_network.h"
#include "transport_messages.h"

namespace ranks {

class Job {
public:
    explicit Job(int size, uint32_t seed = 1) : fabric(seed), ranks(size) {
        // Endpoints are numbered in the order in which they are made.
        for (int r = 0; r < size; ++r) {
            nets.push_back(std::make_shared<Net>(fake::plugin));
            members.push_back(r);
        }
        const std::vector<size_t> numbers(members.begin(), members.end());
        std::vector<const void *> addresses;
        for (const size_t &number : numbers) {
            addresses.push_back(&number);
        }
        const std::vector<size_t> lengths(static_cast<size_t>(size), sizeof(size_t));
        for (int r = 0; r < size; ++r) {
            fake::peers(fabric.endpoints[static_cast<size_t>(r)], static_cast<size_t>(size), addresses.data(),
                        lengths.data());
        }
        open(0);
    }
    ~Job() {
        transports.clear();
        nets.clear();
        for (const fake::Endpoint *endpoint : fabric.endpoints) {
            delete endpoint;
        }
    }
    // Another communicator of all ranks takes the place of the one that the ranks use.
    void open(uint64_t id) {
        for (int r = 0; r < ranks.size(); ++r) {
            open(id, r);
        }
    }
    void open(uint64_t id, int r) {
        if (id != 0) {
            nets[static_cast<size_t>(r)]->expect(id);
        }
        transports.push_back(nets[static_cast<size_t>(r)]->open(id, r, members));
        ranks.team(r).transport = transports.back().get();
    }

    fake::Fabric fabric;
    Ranks ranks;
    std::vector<std::shared_ptr<Net>> nets;
    std::vector<int> members;
    std::vector<std::unique_ptr<Transport>> transports;
};

} // namespace ranks
