# Builds the programs of this folder into $(BUILD)/bench/ancestors; `run` measures with them and writes the tables to
# $(BUILD)/bench/results/ancestors.md. Works on its own: make -f bench/ancestors/ancestors.mk BUILD=build run
BUILD ?= build
CC ?= cc
ancestors_source := $(dir $(lastword $(MAKEFILE_LIST)))
ancestors_out := $(BUILD)/bench/ancestors
ancestors := tp_decode zero_fetch ulysses dp_attention
ancestors_shared := $(ancestors_source)../../src/tools/shared
ancestors_flags := -std=gnu11 -O3 -g -march=native -Wall -Wextra -Wshadow -Wconversion -I$(ancestors_shared)

.PHONY: programs run
programs: $(addprefix $(ancestors_out)/,$(ancestors))

run: programs
	bash $(ancestors_source)run.sh $(BUILD) $(BENCH_ARGS)

$(ancestors_out)/%: $(ancestors_source)%.c $(addprefix $(ancestors_source),scene.c scene.h ../probe.c ../probe.h) $(addprefix $(ancestors_shared)/,touch.c touch.h) $(BUILD)/libxcoll.so
	@mkdir -p $(@D)
	$(CC) $(ancestors_flags) -I$(ancestors_source)../../include -o $@ $(filter %.c,$^) $(BUILD)/libxcoll.so -lm -Wl,-rpath,'$$ORIGIN/../..'
