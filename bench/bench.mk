# Builds the contenders of the benchmark into $(BUILD)/bench; bench-run measures too, with BENCH_ARGS. Works on its own
# (`make -f bench/bench.mk BUILD=build`) and included. A contender whose compiler is missing is left out, and
# bench/run.py says so.
BUILD ?= build
CC ?= cc
CXX ?= c++
bench_source := $(dir $(lastword $(MAKEFILE_LIST)))
bench_library ?= $(BUILD)/libxcoll.so
# For this machine: whoever measures here runs here. Wno-psabi: where it has no vectors of 64 bytes, the compiler notes
# that a function that gives one back would fit no caller built for others; those of vec.h are inlined.
bench_flags := -std=gnu11 -O3 -g -march=native -Wall -Wextra -Wshadow -Wconversion -Wno-psabi \
               -I$(bench_source)../src/tools/shared
# The warning that is switched off is about a header of g++ (its defect 105593).
bench_cxx_flags := -std=c++17 -O3 -g -march=native -D_GNU_SOURCE -Wall -Wextra -Wno-maybe-uninitialized -I$(bench_source)../src/tools/shared
bench_shared := $(bench_source)../src/tools/shared
bench_core := $(addprefix $(bench_source),core.c pattern.c probe.c) $(bench_shared)/shape.c
bench_headers := $(wildcard $(bench_source)*.h $(bench_source)bare/*.h) $(bench_shared)/shape.h
# Where bench/peers.sh installs those that come as Python packages.
bench_peers := $(BUILD)/bench/peers
# UCC is where UCC_HOME says, as for PyTorch, or where pkg-config finds it.
ucc_library := $(or $(UCC_HOME:%=%/lib),$(shell pkg-config --variable=libdir ucc 2>/dev/null))
ucc_include := $(or $(UCC_HOME:%=%/include),$(shell pkg-config --variable=includedir ucc 2>/dev/null))
# Within $(shell) make before 4.3 wants it escaped, and later ones do not.
hash := \#
bench_names := bare $(if $(shell command -v mpicc.openmpi),openmpi) $(if $(shell command -v mpicc.mpich),mpich) \
               $(if $(wildcard $(bench_peers)/include/mpi.h),intelmpi \
               $(if $(wildcard $(bench_peers)/include/oneapi/ccl.hpp),oneccl)) \
               $(if $(shell echo '$(hash)include <gloo/config.h>' | $(CXX) -x c++ -E - 2>&1 >/dev/null),,gloo) \
               $(if $(wildcard $(ucc_include)/ucc/api/ucc.h),ucc) $(if $(wildcard $(bench_library)),xcoll)

.PHONY: bench-programs bench-run bench-peers
bench-programs: $(addprefix $(BUILD)/bench/,$(bench_names))

bench-run: bench-programs
	$(bench_source)run.py --build $(BUILD) $(BENCH_ARGS)

bench-peers: | $(BUILD)/bench
	$(bench_source)peers.sh $(bench_peers)

$(BUILD)/bench:
	mkdir -p $@

$(BUILD)/bench/bare: $(bench_core) $(bench_source)contender_bare.c $(wildcard $(bench_source)bare/*.c) $(bench_headers) | $(BUILD)/bench
	$(CC) $(bench_flags) -o $@ $(filter %.c,$^)

$(BUILD)/bench/openmpi $(BUILD)/bench/mpich: $(BUILD)/bench/%: $(bench_core) $(bench_source)contender_mpi.c $(bench_headers) | $(BUILD)/bench
	mpicc.$* $(bench_flags) -o $@ $(filter %.c,$^)

$(BUILD)/bench/intelmpi: $(bench_core) $(bench_source)contender_mpi.c $(bench_headers) $(bench_peers)/include/mpi.h | $(BUILD)/bench
	$(CC) $(bench_flags) -isystem $(bench_peers)/include -o $@ $(filter %.c,$^) -L$(bench_peers)/lib -lmpi -Wl,-rpath,'$$ORIGIN/peers/lib'

# Those of C++ bring its runtime along.
$(BUILD)/bench/%.o: $(bench_source)%.cpp $(bench_headers) | $(BUILD)/bench
	$(CXX) $(bench_cxx_flags) -isystem $(bench_peers)/include $(addprefix -idirafter ,$(ucc_include)) -c -o $@ $<

$(BUILD)/bench/gloo: $(bench_core) $(BUILD)/bench/contender_gloo.o $(bench_headers)
	$(CC) $(bench_flags) -o $@ $(filter %.c %.o,$^) -lgloo -lstdc++ -lm

$(BUILD)/bench/ucc: $(bench_core) $(BUILD)/bench/contender_ucc.o $(bench_headers) $(ucc_include)/ucc/api/ucc.h
	$(CC) $(bench_flags) -o $@ $(filter %.c %.o,$^) -L$(ucc_library) -lucc -lstdc++ -lm -Wl,-rpath,$(ucc_library)

$(BUILD)/bench/oneccl: $(bench_core) $(BUILD)/bench/contender_oneccl.o $(bench_headers) $(bench_peers)/include/oneapi/ccl.hpp
	$(CC) $(bench_flags) -o $@ $(filter %.c %.o,$^) -L$(bench_peers)/lib -lccl -lmpi -lstdc++ -lm -Wl,-rpath,'$$ORIGIN/peers/lib'

$(BUILD)/bench/xcoll: $(bench_core) $(bench_source)contender_xcoll.c $(bench_headers) $(bench_library) | $(BUILD)/bench
	$(CC) $(bench_flags) -I$(bench_source)../include -o $@ $(filter %.c,$^) $(bench_library) -Wl,-rpath,'$$ORIGIN/..'
