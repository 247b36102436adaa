# Builds corners.c for xcoll and for the MPIs of this machine into $(BUILD)/bench/corners; `run` measures with them and
# writes $(BUILD)/bench/results/corners.md. Works on its own: make -f bench/corners/corners.mk BUILD=build run
BUILD ?= build
CC ?= cc
corners_source := $(dir $(lastword $(MAKEFILE_LIST)))
corners_out := $(BUILD)/bench/corners
corners_mpis := $(foreach mpi,openmpi mpich,$(if $(shell command -v mpicc.$(mpi)),$(mpi)))
corners_flags := -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Wconversion
# The header of Open MPI 4 calls its ignored statuses an array of none.
corners_mpi_flags := -DWITH_MPI -Wno-stringop-overflow
corners_programs := $(addprefix $(corners_out)/corners.,xcoll $(corners_mpis))

.PHONY: programs run
programs: $(corners_programs)

run: programs
	python3 -B $(corners_source)run.py $(BUILD) $(ROUNDS)

corners_sources := $(addprefix $(corners_source),corners.c library.h)

$(corners_out)/corners.xcoll: $(corners_sources) $(BUILD)/libxcoll.so
	@mkdir -p $(@D)
	$(CC) $(corners_flags) -I$(corners_source)../../include -o $@ $(filter %.c %.so,$^) -Wl,-rpath,'$$ORIGIN/../..'

$(addprefix $(corners_out)/corners.,$(corners_mpis)): $(corners_out)/corners.%: $(corners_sources)
	@mkdir -p $(@D)
	mpicc.$* $(corners_flags) $(corners_mpi_flags) -o $@ $(filter %.c,$^)
