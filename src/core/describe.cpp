#include "core/describe.h"

#include "core/describe_choices.h"
#include "core/describe_surroundings.h"
#include "core/json.h"
#include "core/process.h"

namespace xcoll {

namespace {

const char *truth(bool value) {
    return value ? "true" : "false";
}

std::string describe_groups(const Grouping &grouping) {
    std::vector<std::string> groups;
    for (uint32_t group = 0; group < grouping.groups(); ++group) {
        const std::span ranks(grouping.order.data() + grouping.first[group], grouping.sizes[group]);
        groups.push_back(list_of(ranks, [](int rank) { return std::to_string(rank); }));
    }
    return list_of(groups, [](const std::string &group) { return group; });
}

// Which messages the kernel copies to ranks of other processes, or why it cannot; of collectives the choice of
// algorithms tells.
std::string describe_attaching(const Comm &comm, const Window &window) {
    const std::string &refusal = comm.membership().node->attach_refusal();
    const bool is_off = comm.membership().settings.attach == Attach::off;
    const std::string why = is_off ? "XCOLL_CMA=off" : refusal;
    const AttachedMessages &messages = window.attached_messages();
    return format("{\"messages_from_bytes\": %s, \"messages_one_way\": %s, \"why_not\": %s}",
                  messages.are_any() ? std::to_string(messages.least).c_str() : "null", truth(messages.one_way),
                  why.empty() ? "null" : quoted(why).c_str());
}

// Whose buffers peers use where they lie, and how often that was.
std::string describe_lending(const Comm &comm) {
    const Window *window = comm.team().window;
    return window
               ? format("{\"from_bytes\": %zu, \"private\": %s, \"attached\": %s, \"operations\": %llu}",
                        window->least_lent(), truth(window->lends_private()), describe_attaching(comm, *window).c_str(),
                        static_cast<unsigned long long>(window->lent_count()))
               : "null";
}

// window: nullptr if not all ranks share memory.
std::string describe_memory(Node &node, const Window *window) {
    return format("{\"slot_bytes\": %zu, \"ring_bytes\": %zu, \"segment_bytes\": %zu, \"ranks\": %d, \"crowded\": %s}",
                  window ? window->slot_room() : 0, node.ring().bytes(), node.member(node.me()).segment->bytes(),
                  node.ranks(), truth(node.crowded()));
}

// Who computes the proofs of ranks that meet over TCP, or would, had these met so; null if nobody can.
std::string describe_authentication(const Settings &settings) {
    const Cryptos::Choice choice = process().cryptos().choose(settings);
    return format("{\"by\": %s, \"why_no_library\": %s}",
                  choice.crypto ? quoted(choice.crypto->name()).c_str() : "null",
                  choice.why_not.empty() ? "null" : quoted(choice.why_not).c_str());
}

} // namespace

std::string describe(const Comm &comm) {
    const Team &team = comm.team();
    const Membership &membership = comm.membership();
    std::string text = format("{\"rank\": %d, \"size\": %d, \"name\": ", team.rank, team.size);
    text += quoted(membership.name) + ", \"start\": " + quoted(membership.start);
    text += ", \"authentication\": " + describe_authentication(membership.settings);
    text += format(", \"operations_started\": %llu, \"shared_memory\": %s, \"messages\": %s, \"kernels\": \"%s\"",
                   static_cast<unsigned long long>(comm.sequence()), truth(team.window != nullptr),
                   truth(team.transport != nullptr), team.kernels->name);
    text += format(", \"determinism\": \"%s\", \"order\": \"%s\"", name_of(team.determinism), name_of(team.order));
    text += ", \"groups\": " + describe_groups(team.grouping);
    text += ", \"memory\": " + describe_memory(*membership.node, team.window);
    text += ", \"lending\": " + describe_lending(comm);
    text += ", \"algorithms\": " + describe_choices(comm);
    text += ", \"passed_over\": " + describe_passed_over(comm);
    text += ", \"settings\": " + describe_settings(membership.settings);
    text += ", \"build\": " + describe_build();
    text += ", \"machine\": " + describe_machine(*membership.topology);
    return text + '}';
}

} // namespace xcoll
