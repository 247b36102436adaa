# Parsers fed with anything. As tests, the targets of tests/fuzz/ feed themselves; here libFuzzer drives them for
# FUZZ_SECONDS each, and what it finds out is kept in $(BUILD)-fuzz/corpus/ for the next time. TESTS picks targets.

.PHONY: fuzz run-fuzz
FUZZ_SECONDS ?= 60
# Without the check of what pointers to functions point to, for which clang 14 can compile no coroutine.
fuzz_flags := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function -fno-sanitize-recover=all
fuzz_targets := $(basename $(notdir $(wildcard $(S)tests/fuzz/*_test.cpp)))
fuzz_files := $(addprefix $(BUILD)/fuzz/,$(if $(TESTS),$(foreach w,$(TESTS),$(foreach t,$(fuzz_targets),$(if $(findstring $w,$t),$t))),$(fuzz_targets)))

fuzz: setup-fuzz
	@+if cxx=$$(sh $(S).build/libfuzzer.sh); then $(again) BUILD='$(BUILD)-fuzz' CXX="$$cxx" CC="$$(echo $$cxx | tr -d +)" \
	  CXXFLAGS='$(fuzz_flags)' CFLAGS='$(fuzz_flags)' run-fuzz; \
	  else echo 'Skipped: no clang++ here has libFuzzer (Debian, Ubuntu: clang-14 and libclang-rt-14-dev).'; fi

$(BUILD)/fuzz/%: $(S)tests/fuzz/%.cpp $(static) $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,FUZZER,$@) $(cxx) -fsanitize=fuzzer -DXCOLL_LIBFUZZER -I$(S)tests -MF $@.d -MT $@ $< $(static) $(LDFLAGS) -ldl -o $@

run-fuzz: $(fuzz_files)
	@for target in $(sort $^); do sh $(S).build/fuzz.sh $$target $(FUZZ_SECONDS) '$(BUILD)/corpus' || exit 1; done
