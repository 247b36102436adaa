// A running job: starts the ranks, serves them until they have ended, and leaves nothing behind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/xcollrun/guard.h"
#include "tools/xcollrun/hub.h"
#include "tools/xcollrun/output.h"
#include "tools/xcollrun/spawn.h"

namespace xcoll::launcher {

// Said with fputs(), which asks for none.
inline constexpr const char *no_memory = "xcollrun: out of memory: ending the job; free some, or raise the limit "
                                         "(ulimit -v, or the container's)\n";

class Job {
public:
    Job(const Options &options, const Signals &signals, Guard &guard);
    // Returns the exit code.
    int run();

private:
    // How far the job is on its way to its end; each step comes some seconds after the one before.
    enum class Phase { running, grace, terminating, killing };

    struct Rank {
        pid_t pid;
        bool ended;
    };

    void start();
    void allow_open_files();
    // Returns when neither a rank nor anything that a rank has started is left.
    void serve_ranks();
    void poll_once();
    int patience() const;
    void read_signals();
    void pass_on(const SentSignal &signal);
    void count_interrupt();
    void signal_ranks(int signal);
    bool reap();
    void check_hub();
    void check_deadlines();
    // Prints why the job has failed, tells the ranks, and begins to end it.
    void fail_job(const std::string &why, int exit_code, Phase phase);
    void enter(Phase phase);
    // Passes the ranks' last lines on; whoever reads them may be slow.
    int finish_output();
    std::string name(int rank) const;

    const Options &options_;
    const Signals &signals_;
    Guard &guard_;
    Launch launch_;
    std::vector<Rank> ranks_;
    std::unique_ptr<Hub> hub_;
    Output output_;
    std::vector<pollfd> entries_;

    Phase phase_ = Phase::running;
    int64_t phase_end_ = 0; // when the next phase begins
    int64_t timeout_ = 0;   // when the job must have ended; 0: never
    int64_t deserted_ = 0;  // how long the others wait for a rank that has hung up but lives; 0: there is none
    bool failed_ = false;
    int exit_code_ = 0;
    int interrupts_ = 0;
};

} // namespace xcoll::launcher
