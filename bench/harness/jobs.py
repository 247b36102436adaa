"""Starts the contenders' jobs and talks to their ranks."""

import array
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

PAGE_BYTES = 4096
START_SECONDS = 60
ANSWER_SECONDS = 120
LATE_SECONDS = 0.01  # what a rank is given when the others took all of that; 0 would mean not to wait at all
OPS = ["barrier", "bcast", "allreduce", "reduce", "reduce_scatter", "allgather", "alltoall", "gather", "scatter",
       "allgatherv", "alltoallv", "scan", "exscan", "group", "reduce_scatterv", "gatherv", "scatterv", "sendrecv",
       "pingpong", "halo", "group_allreduce"]
CREDENTIALS = struct.Struct("3i")  # of a socket's other side: process, user and group
DTYPES = {"f32": 4, "bf16": 2}


class Broken(Exception):
    """A contender cannot go on; the text says why."""


class Variant:
    def __init__(self, text):
        name, op, memory, least, most, ranks = text.rsplit(":", 5)
        self.name, self.op = name, OPS[int(op)]
        self.shared_buffers = int(memory) == 1
        self.least, self.most, self.ranks = int(least), int(most), int(ranks)

    def serves(self, cell):
        return (self.op == cell.op and self.least <= cell.bytes <= self.most and cell.ranks <= self.ranks
                and not (self.shared_buffers and cell.in_place))


class Job:
    """One contender's ranks, started once and then idle in a blocking read between commands."""

    def __init__(self, contender, ranks, number):
        self.contender, self.ranks, self.number = contender, ranks, number
        self.sockets, self.readers = {}, {}
        self.variants = []
        self.process = None
        self.paused = []  # the processes that are stopped between commands
        self.log = tempfile.TemporaryFile()
        self.page = os.memfd_create("xcoll-bench")
        os.ftruncate(self.page, PAGE_BYTES)

    def command(self, text, patience=ANSWER_SECONDS):
        """Sends one line to every rank; returns each one's answer as a list of numbers."""
        until = time.monotonic() + patience
        self.signal_paused(signal.SIGCONT)
        try:
            for rank in range(self.ranks):
                self.sockets[rank].sendall(text.encode() + b"\n")
            answers = [self.answer(rank, until) for rank in range(self.ranks)]
        except OSError as error:
            raise Broken(f"no answer to '{text}' within {patience:.0f} s ({error}){self.last_words()}") from None
        self.signal_paused(signal.SIGSTOP)
        for rank, answer in enumerate(answers):
            if not answer.startswith("ok "):
                raise Broken(f"rank {rank} ended during '{text}'{self.last_words()}")
        return [[float(word) for word in answer.split()[1:]] for answer in answers]

    def answer(self, rank, until):
        self.sockets[rank].settimeout(max(until - time.monotonic(), LATE_SECONDS))
        return self.readers[rank].readline()

    def signal_paused(self, number):
        for process in self.paused:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass  # the next word to it says so

    def last_words(self):
        self.log.seek(0)
        text = self.log.read().decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if any(letter.isalnum() for letter in line)]
        told = [line for line in lines if line.startswith("bench:")] or lines
        return f": {told[-1]}" if told else ""

    def end(self):
        self.signal_paused(signal.SIGCONT)
        for channel in self.sockets.values():
            try:
                channel.sendall(b"end\n")
            except OSError:
                pass
        if self.process:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.kill()
        for channel in [*self.readers.values(), *self.sockets.values(), self.log]:
            channel.close()
        os.close(self.page)

    def kill(self):
        """The launcher leads a process group of its own; what it started dies with it."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Jobs:
    """All jobs of a run and the socket their ranks come to. Use as a context: nothing is left behind."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="xcoll-bench-")
        self.path = os.path.join(self.folder, "socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.jobs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for job in self.jobs:
            job.end()
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, contender, ranks):
        job = Job(contender, ranks, len(self.jobs))
        environment = dict(os.environ, BENCH_SOCKET=self.path, BENCH_JOB=str(job.number))
        self.jobs.append(job)
        job.process = subprocess.Popen(contender.command(ranks), env=environment, stdin=subprocess.DEVNULL,
                                       stdout=job.log, stderr=job.log, start_new_session=True)
        try:
            self.welcome(job)
        except Broken:
            job.kill()
            raise
        return job

    def end(self, job):
        self.jobs.remove(job)
        job.end()

    def welcome(self, job):
        until = time.monotonic() + START_SECONDS
        while len(job.sockets) < job.ranks:
            ready, _, _ = select.select([self.listener], [], [], 0.2)
            if not ready:
                if job.process.poll() is not None:
                    raise Broken(f"ended while starting, code {job.process.returncode}{job.last_words()}")
                if time.monotonic() > until:
                    raise Broken(f"not all of {job.ranks} ranks came within {START_SECONDS} s{job.last_words()}")
                continue
            channel, _ = self.listener.accept()
            channel.settimeout(ANSWER_SECONDS)
            reader = channel.makefile("r")
            words = reader.readline().split()
            if len(words) < 4 or words[0] != "hello" or words[1] != str(job.number) or int(words[3]) != job.ranks:
                raise Broken(f"expected {job.ranks} ranks of job {job.number}, got '{' '.join(words[:4])}'")
            rank = int(words[2])
            job.sockets[rank], job.readers[rank] = channel, reader
            if job.contender.threads > 1:
                credentials = channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
                job.paused.append(CREDENTIALS.unpack(credentials)[0])
            job.variants = [Variant(word) for word in words[4:]]
        for channel in job.sockets.values():
            passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [job.page]))]
            channel.sendmsg([b"p"], passed)
        job.signal_paused(signal.SIGSTOP)
