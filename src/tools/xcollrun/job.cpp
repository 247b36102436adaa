#include "tools/xcollrun/job.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/list_folder.h"
#include "tools/shared/open_files.h"
#include "tools/shared/processes.h"
#include "tools/xcollrun/descendants.h"
#include "tools/xcollrun/exit_codes.h"
#include "tools/xcollrun/processors.h"

namespace xcoll::launcher {

namespace {

constexpr int64_t grace_ms = 2000;    // from being told to SIGTERM, and from there to SIGKILL
constexpr int64_t again_ms = 50;      // from one SIGKILL to the next, for what was started in between
constexpr int64_t deserter_ms = 1000; // for the end of a process whose socket has hung up
constexpr int64_t retry_ms = 5;

void say(const std::string &line) {
    std::fprintf(stderr, "xcollrun: %s\n", line.c_str());
}

} // namespace

Job::Job(const Options &options, const Signals &signals, Guard &guard)
    : options_(options), signals_(signals), guard_(guard), launch_{options, signals, {}, {}} {
}

int Job::run() {
    try {
        start();
        serve_ranks();
        return finish_output();
    } catch (const StartFailure &failure) {
        say(failure.text);
        kill_descendants();
        return failure.exit_code;
    } catch (const std::bad_alloc &) {
        std::fputs(no_memory, stderr);
        kill_descendants();
        return could_not_start;
    }
}

void Job::start() {
    allow_open_files();
    if (options_.bind) {
        launch_.processors = usable_processors();
        if (launch_.processors.size() < static_cast<size_t>(options_.ranks)) {
            say("--bind core: " + std::to_string(options_.ranks) + " ranks cannot be bound to " +
                std::to_string(launch_.processors.size()) + " processors: not binding");
            launch_.processors.clear();
        }
    }
    if (options_.timeout_ms > 0) {
        timeout_ = now_ms() + options_.timeout_ms;
    }
    std::vector<Descriptor> controls;
    for (int rank = 0; rank < options_.ranks; ++rank) {
        RankProcess process = start_rank(launch_, rank);
        ranks_.push_back({process.pid, false});
        controls.push_back(std::move(process.control));
        if (options_.label) {
            output_.add(rank, std::move(process.output), STDOUT_FILENO);
            output_.add(rank, std::move(process.errors), STDERR_FILENO);
        }
    }
    hub_ = std::make_unique<Hub>(std::move(controls));
}

void Job::allow_open_files() {
    const rlim_t needed = tools::open_files_needed(options_.ranks, options_.label, list_folder("/proc/self/fd").size());
    getrlimit(RLIMIT_NOFILE, &launch_.open_files);
    rlimit raised = launch_.open_files;
    if (raised.rlim_cur >= needed) {
        return;
    }
    raised.rlim_cur = needed;
    if (needed > raised.rlim_max || setrlimit(RLIMIT_NOFILE, &raised) != 0) {
        throw StartFailure{std::to_string(options_.ranks) + " ranks need " + std::to_string(needed) +
                               " open files, but the limit is " + std::to_string(raised.rlim_max) + " (ulimit -Hn)",
                           could_not_start};
    }
}

void Job::serve_ranks() {
    while (reap()) {
        check_hub();
        check_deadlines();
        poll_once();
    }
    check_hub();
}

void Job::poll_once() {
    entries_ = {{signals_.descriptor(), POLLIN, 0}, {guard_.descriptor(), POLLIN, 0}};
    for (int rank = 0; rank < options_.ranks; ++rank) {
        entries_.push_back(hub_->poll_entry(rank));
    }
    const size_t output = entries_.size();
    output_.add_entries(entries_);
    if (poll(entries_.data(), entries_.size(), patience()) < 0) {
        return;
    }
    read_signals();
    hub_->retry();
    for (int rank = 0; rank < options_.ranks; ++rank) {
        if (const short events = entries_[static_cast<size_t>(rank) + 2].revents) {
            hub_->serve(rank, events);
        }
    }
    output_.serve(entries_.data() + output);
}

int Job::patience() const {
    const int64_t now = now_ms();
    int64_t longest = hub_->stalled() ? retry_ms : 3600000;
    for (const int64_t deadline : {phase_ == Phase::running ? 0 : phase_end_, timeout_, deserted_}) {
        if (deadline != 0) {
            longest = std::min(longest, std::max<int64_t>(deadline - now + 1, 0));
        }
    }
    return static_cast<int>(longest);
}

void Job::read_signals() {
    // First our own: they explain what the guard will tell.
    while (const auto signal = signals_.next()) {
        guard_.came_to_group(*signal);
        if (signal->ssi_signo == SIGINT && signal->ssi_code == SI_KERNEL) {
            count_interrupt();
        }
        if (signal->ssi_signo == SIGTSTP) {
            stop_here();
        }
        if (signal->ssi_signo == SIGCONT) {
            signal_ranks(SIGCONT);
        }
    }
    while (const auto signal = guard_.next()) {
        pass_on(*signal);
    }
    if (guard_.gone()) {
        kill_descendants();
        std::_Exit(128 + SIGKILL);
    }
}

void Job::pass_on(const SentSignal &signal) {
    signal_ranks(signal.number);
    if (signal.number == SIGINT) {
        count_interrupt();
    }
    if (signal.number == SIGTSTP) {
        stop_here();
    }
}

void Job::count_interrupt() {
    if (++interrupts_ < 2 || phase_ >= Phase::terminating) {
        return;
    }
    fail_job("interrupted again: ending the ranks", 128 + SIGINT, Phase::terminating);
    enter(Phase::terminating);
}

void Job::signal_ranks(int signal) {
    for (const Rank &rank : ranks_) {
        if (!rank.ended) {
            kill(rank.pid, signal);
        }
    }
}

bool Job::reap() {
    int status, culprit_status = 0, culprit = -1;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        const auto rank =
            std::find_if(ranks_.begin(), ranks_.end(), [pid](const Rank &each) { return each.pid == pid; });
        if (rank == ranks_.end()) {
            continue;
        }
        rank->ended = true;
        // Of those that ended at the same time, one that was killed is the cause, not a consequence.
        if (status != 0 && (culprit < 0 || (WIFSIGNALED(status) && !WIFSIGNALED(culprit_status)))) {
            culprit = static_cast<int>(rank - ranks_.begin());
            culprit_status = status;
        }
    }
    const bool none_left = pid < 0 && errno == ECHILD;
    if (culprit >= 0) {
        fail_job(name(culprit) + " " + describe_end(culprit_status), exit_code_of(culprit_status), Phase::grace);
    }
    if (phase_ == Phase::running &&
        std::all_of(ranks_.begin(), ranks_.end(), [](const Rank &each) { return each.ended; })) {
        enter(Phase::grace); // for what they have left running
    }
    return !none_left;
}

void Job::check_hub() {
    if (const auto &trouble = hub_->trouble(); trouble && !failed_) {
        fail_job(name(trouble->rank) + " " + trouble->text, job_broken, Phase::grace);
    }
    const auto deserter = hub_->deserter();
    if (!deserter || failed_) {
        deserted_ = 0;
        return;
    }
    const int64_t now = now_ms();
    const bool ended = ranks_[static_cast<size_t>(deserter->rank)].ended;
    if (deserted_ == 0) {
        deserted_ = now + deserter_ms;
    }
    if (ended || now >= deserted_) {
        fail_job(name(deserter->rank) + (ended ? " has ended, but " : " has closed its connection to xcollrun, but ") +
                     deserter->text,
                 job_broken, Phase::grace);
    }
}

void Job::check_deadlines() {
    const int64_t now = now_ms();
    if (timeout_ != 0 && now >= timeout_) {
        timeout_ = 0;
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", static_cast<double>(options_.timeout_ms) / 1000);
        if (!failed_) {
            fail_job("the job has not ended within " + std::string(seconds) + " s (--timeout): ending it", timed_out,
                     Phase::terminating);
        }
    }
    if (phase_ != Phase::running && now >= phase_end_) {
        enter(phase_ == Phase::grace ? Phase::terminating : Phase::killing);
    }
}

void Job::fail_job(const std::string &why, int exit_code, Phase phase) {
    if (failed_) {
        return;
    }
    failed_ = true;
    exit_code_ = exit_code;
    say(why);
    hub_->end(why);
    if (phase > phase_) {
        enter(phase);
    }
}

void Job::enter(Phase phase) {
    phase_ = phase;
    phase_end_ = now_ms() + (phase == Phase::killing ? again_ms : grace_ms);
    if (phase == Phase::grace) {
        return;
    }
    const int signal = phase == Phase::terminating ? SIGTERM : SIGKILL;
    signal_ranks(signal);
    for (const pid_t pid : tools::descendants(getpid())) {
        if (std::none_of(ranks_.begin(), ranks_.end(), [pid](const Rank &rank) { return rank.pid == pid; })) {
            kill(pid, signal);
        }
        kill(pid, SIGCONT); // a stopped process does not notice SIGTERM
    }
}

int Job::finish_output() {
    output_.close_all();
    while (output_.has_unwritten()) {
        entries_ = {{signals_.descriptor(), POLLIN, 0}, {guard_.descriptor(), POLLIN, 0}};
        output_.add_entries(entries_);
        poll(entries_.data(), entries_.size(), -1);
        while (const auto signal = signals_.next()) {
            guard_.came_to_group(*signal);
        }
        const auto signal = guard_.next();
        if (signal && (signal->number == SIGINT || signal->number == SIGTERM || signal->number == SIGHUP)) {
            return 128 + signal->number;
        }
        if (guard_.gone()) {
            break;
        }
        output_.serve(entries_.data() + 2);
    }
    constexpr int exit_lost = 1; // as other programs that cannot write what they are asked for
    return exit_code_ == 0 && output_.has_lost() ? exit_lost : exit_code_;
}

std::string Job::name(int rank) const {
    return "rank " + std::to_string(rank) + " (pid " + std::to_string(ranks_[static_cast<size_t>(rank)].pid) + ")";
}

} // namespace xcoll::launcher
