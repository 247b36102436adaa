# Builds xcoll. GNU make and autoconf; nothing generated lands in this tree outside the build directory.
# `make help` lists the targets.

# S is the source tree with a slash at its end, empty when make runs in it. BUILD is where everything goes.
S := $(filter-out ./,$(dir $(lastword $(MAKEFILE_LIST))))
BUILD ?= build
$(foreach v,BUILD CURDIR,$(if $(word 2,$($v)),$(error $v=$($v): expected a path without blanks)))
# Of a path of this file with blanks the last word was taken above, and no file is called so.
$(if $(realpath $(lastword $(MAKEFILE_LIST))),,$(error $(strip $(MAKEFILE_LIST)): expected a path without blanks))
export LC_ALL := C
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(patsubst $(BUILD)/%,%,$(2))';)

# These work on a machine that lacks a compiler or autoconf: they install what is missing or need nothing.
unconfigured := help clean distclean demo check bench bench-peers bench-ancestors bench-corners lint asan tsan ubsan sanitize fuzz coverage setup-%
goals := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out $(unconfigured),$(goals)),)
include $(BUILD)/config.mk
endif

# ------------------------------------------------------------------------------------------------ configuration
# configure is made in the build directory and runs there. CONFIGURE_ARGS reach it the first time; it is asked again,
# with the same arguments, when its inputs change or when packages were installed that it may want to know of.

CONFIGURE_ARGS ?=
chosen := $(foreach v,CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS,$(if $(filter command environment,$(firstword $(origin $v))),$v='$($v)'))
templates := $(addprefix $(S).build/,config.mk.in config.h.in Makefile.in)

$(BUILD)/configure: $(S)configure.ac $(S)include/xcoll.h
	@command -v autoconf >/dev/null || { echo 'xcoll needs autoconf, which is not installed.' \
	  'Install it (Debian, Ubuntu: apt-get install g++ autoconf); `make demo` does that.' >&2; exit 1; }
	@mkdir -p '$(BUILD)'
	$(call say,AUTOCONF,$@) cd '$(BUILD)' && autoconf -o configure '$(abspath $(S)configure.ac)'
	@touch $@ # autoconf leaves one alone that would not change

$(BUILD)/config.mk: $(BUILD)/configure $(templates) $(wildcard $(BUILD)/packages-changed)
	$(call say,CONFIGURE,$@) cd '$(BUILD)' && { if test -x config.status; \
	  then ./config.status --quiet --recheck && ./config.status --quiet; \
	  else ./configure --quiet $(chosen) $(CONFIGURE_ARGS); fi; } >configure.out 2>&1 || { cat configure.out >&2; exit 1; }
	@touch $@

# -------------------------------------------------------------------------------------------------------- flags
# What the code cannot do without comes after the user's flags, so that it wins.

, := ,
# Wno-psabi: g++ notes on what changed between its own versions 4.5 and 4.6.
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi $(if $(filter 1,$(WERROR)),-Werror)
# Wno-uninitialized: what a sanitizer adds to the code makes g++ 12 see variants that nobody has set.
# Wno-tsan: g++ warns that ThreadSanitizer does not know fences; ours order what processes do, of which it sees nothing.
sanitize := $(if $(sanitizer),-fsanitize=$(sanitizer) -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-uninitialized)
sanitize += $(if $(filter thread,$(sanitizer)),-Wno-tsan -Wno-unknown-warning-option)
common := $(CPPFLAGS) -I$(S)include -I$(S)src -I$(BUILD) $(warnings) $(sanitize) -fPIC -MMD -MP
cxx := $(CXX) $(CXXFLAGS) $(common) -std=c++20 -ffp-contract=off -fno-math-errno -fvisibility=hidden $(clear_flags) -pthread
cc := $(CC) $(CFLAGS) $(common) -std=gnu11 -pthread
link := $(CXX) $(CXXFLAGS) $(LDFLAGS) $(sanitize) -pthread
# The library brings its C++ runtime along and leaves no symbol open. A sanitizer's runtime must be the only one and
# comes with the program.
self_contained := $(if $(sanitizer),,-static-libstdc++ -static-libgcc)
closed := $(if $(sanitizer),,-Wl$(,)-z$(,)defs)

# Where the sources lie shows in no object, so that the same sources give the same bytes anywhere (make reproducible).
# It shows in no file of flags either: a tree may be moved.
nowhere = -ffile-prefix-map='$(CURDIR)=.' $(if $S,-ffile-prefix-map='$(abspath $S)=.')

# src/kernels/isa_NAME.cpp is compiled for its instruction set, with flags that configure knows.
isa_flags = $(if $(filter isa_%,$(basename $(notdir $<))),$($(basename $(notdir $<))_flags))

# A file that changes when its text changes, so that what depends on it is made again: by other flags, or when a
# source has come or gone.
define text_file
$(BUILD)/$1: FORCE
	@mkdir -p $$(@D); printf '%s\n' '$$(subst ','\'',$2)' | cmp -s - $$@ || printf '%s\n' '$$(subst ','\'',$2)' >$$@
endef
FORCE:
.PHONY: FORCE
$(eval $(call text_file,flags.txt,$$(cxx) $$(cc) $$(link)))

# ------------------------------------------------------------------------------------------------------ library
# Every source of these folders belongs to the library. The static one is for the tests, which see hidden symbols.

floors := base run kernels topo boot fabric coll fused core api
sources_in = $(sort $(wildcard $(S)src/$1/*.cpp $(S)src/$1/*/*.cpp $(S)src/$1/*/*/*.cpp))
objects = $(patsubst $(S)src/%.cpp,$(BUILD)/obj/%.o,$1)
library_objects := $(call objects,$(foreach f,$(floors),$(call sources_in,$f)))
soname := libxcoll.so.$(firstword $(subst ., ,$(version)))
library := $(BUILD)/libxcoll.so
static := $(BUILD)/libxcoll.a
$(eval $(call text_file,obj/library.txt,$$(library_objects)))

$(BUILD)/obj/%.o: $(S)src/%.cpp $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,CXX,$<) $(cxx) $(nowhere) $(isa_flags) $(plugin_flags) -c $< -o $@

$(BUILD)/obj/%.o: $(S)src/%.c $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,CC,$<) $(cc) $(nowhere) -c $< -o $@

$(BUILD)/libxcoll.so.$(version): $(library_objects) $(BUILD)/obj/library.txt $(S)src/libxcoll.map
	$(call say,LINK,$@) $(link) -shared $(self_contained) $(closed) -Wl,-z,now -Wl,--as-needed -Wl,-soname,$(soname) \
	  -Wl,--version-script,$(S)src/libxcoll.map $(library_objects) -ldl -o $@

$(library): $(BUILD)/libxcoll.so.$(version)
	$(Q)ln -sf $(<F) $(BUILD)/$(soname) && ln -sf $(soname) $@

$(static): $(library_objects) $(BUILD)/obj/library.txt
	$(call say,AR,$@) rm -f $@ && $(AR) crs $@ $(library_objects)

# ------------------------------------------------------------------------------------------- plug-ins and tools
# A plug-in lies in xcoll/ beside the library, here as where it is installed.

# A blank between two that are left out is not empty to $(if).
plugins := $(strip $(foreach p,ucx crypto hwloc,$(if $(filter-out no,$($p)),$p)))
plugin_files := $(patsubst %,$(BUILD)/xcoll/libxcoll_%.so,$(plugins))
plugin_cflags_ucx := $(UCX_CFLAGS)
plugin_libs_ucx := $(UCX_LIBS)
plugin_cflags_crypto := $(CRYPTO_CFLAGS)
plugin_libs_crypto := $(CRYPTO_LIBS)
plugin_cflags_hwloc := $(HWLOC_CFLAGS)
plugin_libs_hwloc := $(HWLOC_LIBS)
plugin_flags = $(plugin_cflags_$(word 2,$(subst /, ,$(patsubst $(BUILD)/obj/plugins/%,plugin /%,$@))))

define plugin_rule
$(eval $(call text_file,obj/plugins/$1.txt,$$(call objects,$$(call sources_in,plugins/$1))))
$(BUILD)/xcoll/libxcoll_$1.so: $(call objects,$(call sources_in,plugins/$1)) $(BUILD)/obj/plugins/$1.txt
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@) $$(link) -shared $$(self_contained) $$(closed) -Wl,--as-needed $$(filter %.o,$$^) \
	  $$(plugin_libs_$1) -o $$@
endef
$(foreach p,$(plugins),$(eval $(call plugin_rule,$p)))

# A tool is src/tools/NAME.cpp and perhaps a folder src/tools/NAME/; src/tools/shared/ is for all of them, in C where
# bench/ shares it too. A tool takes what is public from the shared library and the rest from the static one.
tools := $(sort $(basename $(notdir $(wildcard $(S)src/tools/*.cpp))))
tool_files := $(addprefix $(BUILD)/,$(tools))
bin_to_lib = $(shell realpath -m --relative-to='$(bindir)' '$(libdir)')

tools_shared := $(BUILD)/obj/tools/shared.a

$(tools_shared): $(call objects,$(call sources_in,tools/shared)) \
  $(patsubst $(S)src/%.c,$(BUILD)/obj/%.o,$(wildcard $(S)src/tools/shared/*.c))
	$(call say,AR,$@) rm -f $@ && $(AR) crs $@ $^

define tool_rule
$(BUILD)/$1: $(call objects,$(S)src/tools/$1.cpp $(call sources_in,tools/$1)) $(tools_shared) $(library) $(static)
	$$(call say,LINK,$$@) $$(link) $$(self_contained) $$(filter %.o,$$^) $(tools_shared) -Wl,--as-needed $(library) $(static) -ldl \
	  '-Wl,-rpath,$$$$ORIGIN:$$$$ORIGIN/$$(bin_to_lib)' -o $$@
endef
$(foreach t,$(tools),$(eval $(call tool_rule,$t)))

# The operation table in a form that generators read.
api_json := $(BUILD)/xcoll-api.json
$(api_json): $(S).build/api_json.cpp $(S)src/api/operations.def $(BUILD)/flags.txt
	$(call say,JSON,$@) $(if $(filter $(CXX),$(CXX_FOR_BUILD)),$(cxx),$(CXX_FOR_BUILD) -std=c++20 -I$(S)src) $< -o $(BUILD)/api_json && $(BUILD)/api_json >$@

# ------------------------------------------------------------------------------------------------ tests, examples
# NAME_test.cpp sees the inside of the library. Every other program is linked as a user's would be: with the public
# library only.

test_folders := unit sim fuzz ranks faults abi net
inner_tests := $(wildcard $(foreach f,$(test_folders),$(S)tests/$f/*_test.cpp))
programs_in = $(filter-out $(inner_tests),$(wildcard $(foreach f,$1,$(S)$f/*.c $(S)$f/*.cpp)))
inner_files := $(patsubst $(S)%.cpp,$(BUILD)/%,$(inner_tests))
program_files = $(patsubst $(S)%,$(BUILD)/%,$(basename $(call programs_in,$1)))
test_files := $(inner_files) $(call program_files,$(addprefix tests/,$(test_folders)))
example_files := $(call program_files,examples)
up = $(subst $() ,,$(foreach part,$(subst /, ,$(dir $(patsubst $(BUILD)/%,%,$@))),/..))
with_library = -L$(BUILD) -lxcoll '-Wl,-rpath,$$ORIGIN$(up)' -ldl -lm

$(inner_files): $(BUILD)/%: $(S)%.cpp $(static) $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,TEST,$@) $(cxx) -I$(S)tests -MF $@.d -MT $@ $< $(filter %.o,$^) $(filter %/shared.a,$^) $(static) $(LDFLAGS) -lcmocka -ldl -o $@

# This one sees the inside of a tool too.
$(BUILD)/tests/unit/tune_test: $(call objects,$(call sources_in,tools/xcoll-tune)) $(tools_shared)

outer_files := $(filter-out $(inner_files),$(test_files)) $(example_files)
$(patsubst $(S)%.c,$(BUILD)/%,$(wildcard $(patsubst $(BUILD)/%,$(S)%.c,$(outer_files)))): $(BUILD)/%: $(S)%.c $(library) $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,PROGRAM,$@) $(cc) -I$(S)tests -MF $@.d -MT $@ $< $(LDFLAGS) $(with_library) -o $@

$(patsubst $(S)%.cpp,$(BUILD)/%,$(wildcard $(patsubst $(BUILD)/%,$(S)%.cpp,$(outer_files)))): $(BUILD)/%: $(S)%.cpp $(library) $(BUILD)/flags.txt
	@mkdir -p $(@D)
	$(call say,PROGRAM,$@) $(cxx) -I$(S)tests -MF $@.d -MT $@ $< $(LDFLAGS) $(with_library) -o $@

-include $(shell find $(BUILD) -name '*.d' -type f ! -path '*/bench/peers/*' 2>/dev/null)

# ---------------------------------------------------------------------------------------------------- what to build

.PHONY: all tests examples
all: $(library) $(plugin_files) $(tool_files) $(api_json)
examples: all $(example_files)
tests: examples $(static) $(test_files)

# -------------------------------------------------------------------------------------- the commands of a new user
# Each installs what is missing, then builds and runs in a second make, which sees the machine as it is by then.

main := $(firstword $(MAKEFILE_LIST))
again = $(MAKE) -f '$(main)' $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) --no-print-directory
# The library takes an unknown XCOLL_ variable for a mistake, so this one does not reach the programs that run here.
quietly := env -u XCOLL_NO_INSTALL

.PHONY: demo run-demo check run-tests soak bench bench-peers bench-ancestors bench-corners setup-demo setup-check setup-lint setup-clang setup-fuzz setup-coverage setup-bench
setup-demo setup-check setup-lint setup-clang setup-fuzz setup-coverage setup-bench:
	@CC='$(CC)' CXX='$(CXX)' sh $(S).build/setup.sh $(@:setup-%=%) '$(BUILD)'

demo: setup-demo
	@+$(again) run-demo

run-demo: $(tool_files) $(BUILD)/examples/01_hello
	@echo '+ $(BUILD)/xcollrun -n 2 $(BUILD)/examples/01_hello'
	@$(quietly) $(BUILD)/xcollrun -n 2 $(BUILD)/examples/01_hello
	@echo 'Next: `make check` tests this machine, `man -l $(S)man/man7/xcoll.7` explains the library, $(S)README.md the project.'

check: setup-check
	@+$(again) run-tests

# TESTS picks tests by words that their names contain. KINDS picks the folders. EMULATOR runs programs for another processor.
run-tests: tests
	@$(quietly) BUILD='$(abspath $(BUILD))' SRC='$(abspath $(or $(S),.))' CC='$(CC)' CXX='$(CXX)' SANITIZER='$(sanitizer)' \
	  EMULATOR='$(EMULATOR)' MAKE_HERE='make -C $(CURDIR) -f $(main) BUILD=$(BUILD)' bash $(S)tests/run_all $(KINDS) -- $(TESTS)

# Until a case fails, or for SOAK_SECONDS.
soak: setup-check
	@+$(again) tests
	@$(quietly) BUILD='$(abspath $(BUILD))' SRC='$(abspath $(or $(S),.))' SOAK_SECONDS='$(SOAK_SECONDS)' bash $(S)tests/soak

# Which contenders, sizes and how long: make bench BENCH_ARGS='--full --time-budget 3600' (bench/README.md).
# bench/bench.mk looks for the library and the peers when it is read, so it is read when they are there.
bench: setup-bench
	@+$(again) all
	@+$(quietly) $(MAKE) -f $(S)bench/bench.mk BUILD='$(BUILD)' CC='$(CC)' CXX='$(CXX)' BENCH_ARGS='$(BENCH_ARGS)' \
	  --no-print-directory bench-run

# Some peers come as Python packages, large ones, so they are asked for: bench finds them from then on.
bench-peers:
	@+$(MAKE) -f $(S)bench/bench.mk BUILD='$(BUILD)' CC='$(CC)' --no-print-directory bench-peers

bench-ancestors: setup-demo
	@+$(again) all
	@+$(quietly) $(MAKE) -f $(S)bench/ancestors/ancestors.mk BUILD='$(BUILD)' CC='$(CC)' BENCH_ARGS='$(BENCH_ARGS)' \
	  --no-print-directory run

bench-corners: setup-bench
	@+$(again) all
	@+$(quietly) $(MAKE) -f $(S)bench/corners/corners.mk BUILD='$(BUILD)' CC='$(CC)' --no-print-directory run

# --------------------------------------------------------------------------------------------------- other checks
# A sanitizer has a build directory of its own. ThreadSanitizer sees only threads, so it runs the tests whose ranks
# are threads of one process.

.PHONY: asan tsan ubsan sanitize lint run-lint
sanitize:
	@+$(again) asan
	@+$(again) ubsan
	@+$(again) tsan

asan: sanitizer_kind := address
ubsan: sanitizer_kind := undefined
tsan: sanitizer_kind := thread
asan tsan ubsan: setup-check
	@+$(again) BUILD='$(BUILD)-$@' CONFIGURE_ARGS='$(CONFIGURE_ARGS) --enable-sanitizer=$(sanitizer_kind)' run-tests

lint: setup-lint
	@+$(again) run-lint

clang_tool = $(shell command -v $1-14 || command -v $1)
lint_files := $(wildcard $(foreach d,include src tests bench examples,$(foreach e,h c cpp,$(S)$d/*.$e $(S)$d/*/*.$e $(S)$d/*/*/*.$e)))
tidy_stamps := $(patsubst $(S)%,$(BUILD)/lint/%,$(filter $(S)src/%.cpp,$(lint_files)))

# Looks again only at what has changed, which it knows from its folder. include/ is read by way of those who include it.
cppcheck = cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c++20 --std=c11 \
  --suppressions-list=$(S).build/cppcheck.txt --cppcheck-build-dir=$(BUILD)/lint -j$(shell nproc) -I$(S)include -I$(S)src -I$(BUILD)

run-lint: $(tidy_stamps)
	@mkdir -p $(BUILD)/lint
	$(call say,CPPCHECK,sources) $(cppcheck) $(addprefix $(S),src bench examples)
	$(call say,FORMAT,sources) $(call clang_tool,clang-format) --dry-run -Werror $(lint_files)

$(tidy_stamps): $(BUILD)/lint/%: $(S)% $(filter %.h,$(lint_files)) $(S).clang-tidy $(BUILD)/config.mk
	@mkdir -p $(@D)
	$(call say,TIDY,$<) $(call clang_tool,clang-tidy) --quiet $< -- $(CPPFLAGS) -I$(S)include -I$(S)src -I$(BUILD) -std=c++20 \
	  $(isa_flags) >$@.log 2>&1 || { cat $@.log; exit 1; }
	@touch $@

include $(S).build/coverage.mk
include $(S).build/fuzz.mk
include $(S).build/package.mk

# --------------------------------------------------------------------------------------------------- installation
# DESTDIR stands before every path; prefix and the other directories may be given here again.

.PHONY: install uninstall check-folders clean distclean help
man_pages := $(wildcard $(foreach n,1 3 7,$(S)man/man$n/*.$n))
to = '$(DESTDIR)$(1)$(if $2,/$2)'

lib_to_include = $(shell realpath -m --relative-to='$(libdir)' '$(includedir)')
cmake_files := $(addprefix $(BUILD)/,xcoll-config.cmake xcoll-config-version.cmake)
completions := $(call to,$(datarootdir),bash-completion/completions)
# An environment module, for a machine on which many versions are kept side by side; empty for none.
modulefiles = $(datarootdir)/modulefiles

# What is installed names its folders. A relative one would be another one for everybody, and these signs mean something
# to the shell, to sed, in those files or in a path of folders; blanks are welcome.
signs := ' " : \ | & $$ ` [ ] \#
is_no_folder = $(or $(filter-out /%,$(firstword $1 .)),$(strip $(foreach sign,$(signs),$(findstring $(sign),$1))))
check_folder = $(if $(call is_no_folder,$($1)),$(error $1=$($1): expected a path from / on, without $(signs)))
check-folders:
	$(foreach f,prefix exec_prefix bindir libdir includedir datarootdir mandir,$(call check_folder,$f))@:

$(BUILD)/xcoll.pc: $(S)src/xcoll.pc.in FORCE
	@sed $(foreach v,prefix exec_prefix libdir includedir version,-e 's|@$v@|$(value $v)|') $< >$@

$(cmake_files): $(BUILD)/%: $(S)src/%.in FORCE
	@sed $(foreach v,lib_to_include soname version,-e 's|@$v@|$($v)|') $< >$@

$(BUILD)/xcoll.tcl: $(S)src/xcoll.tcl.in FORCE
	@sed $(foreach v,version bindir libdir includedir prefix,-e 's|@$v@|$($v)|') $< >$@

install $(BUILD)/xcoll.pc $(BUILD)/xcoll.tcl $(cmake_files): check-folders
install: all $(BUILD)/xcoll.pc $(BUILD)/xcoll.tcl $(cmake_files)
	install -d $(call to,$(includedir)) $(call to,$(libdir),pkgconfig) $(call to,$(libdir),cmake/xcoll) $(completions) $(if $(tools),$(call to,$(bindir)))
	install -m 644 $(S)include/xcoll.h $(call to,$(includedir))
	install -m 755 $(BUILD)/libxcoll.so.$(version) $(call to,$(libdir))
	ln -sf libxcoll.so.$(version) $(call to,$(libdir),$(soname))
	ln -sf $(soname) $(call to,$(libdir),libxcoll.so)
	install -m 644 $(BUILD)/xcoll.pc $(call to,$(libdir),pkgconfig)
	install -m 644 $(cmake_files) $(call to,$(libdir),cmake/xcoll)
	install -m 644 $(S)src/tools/shared/completion.bash $(completions)/xcollrun
	$(foreach t,$(filter-out xcollrun,$(tools)),ln -sf xcollrun $(completions)/$t && ):
	$(if $(modulefiles),install -d $(call to,$(modulefiles),xcoll) && install -m 644 $(BUILD)/xcoll.tcl $(call to,$(modulefiles),xcoll/$(version)))
	install -d $(call to,$(datarootdir),xcoll)
	install -m 644 $(api_json) $(call to,$(datarootdir),xcoll)
	$(if $(tools),install -m 755 $(tool_files) $(call to,$(bindir)))
	$(if $(plugins),install -d $(call to,$(libdir),xcoll) && install -m 755 $(plugin_files) $(call to,$(libdir),xcoll))
	@for page in $(man_pages); do d=$(call to,$(mandir))/man"$${page##*.}"; install -d "$$d" && install -m 644 "$$page" "$$d"; done

uninstall: $(BUILD)/config.mk
	rm -f $(call to,$(includedir),xcoll.h) $(call to,$(libdir),libxcoll.so) $(call to,$(libdir),$(soname)) \
	  $(call to,$(libdir),libxcoll.so.$(version)) $(call to,$(libdir),pkgconfig/xcoll.pc) $(call to,$(datarootdir),xcoll/xcoll-api.json) \
	  $(if $(modulefiles),$(call to,$(modulefiles),xcoll/$(version))) \
	  $(foreach f,$(notdir $(cmake_files)),$(call to,$(libdir),cmake/xcoll/$f)) $(addprefix $(completions)/,$(tools)) \
	  $(foreach t,$(tools),$(call to,$(bindir),$t)) $(foreach f,$(notdir $(plugin_files)),$(call to,$(libdir),xcoll/$f))
	@for page in $(notdir $(man_pages)); do rm -f $(call to,$(mandir))/man"$${page##*.}/$$page"; done
	@rmdir $(call to,$(libdir),cmake/xcoll) $(call to,$(libdir),xcoll) $(call to,$(datarootdir),xcoll) $(call to,$(modulefiles),xcoll) 2>/dev/null || true

# What was built goes, what was configured stays; distclean leaves nothing that came from here.
clean:
	rm -rf $(addprefix $(BUILD)/,obj tests examples bench lint deb spack distcheck fuzz xcoll-*.tar.gz xcoll xcoll.pc xcoll.tcl xcoll-config.cmake xcoll-config-version.cmake xcoll-api.json api_json api_json.d flags.txt) $(BUILD)/libxcoll.* $(tool_files)

distclean: clean
	rm -rf $(addprefix $(BUILD)/,configure configure.out config.mk config.h config.log config.status Makefile autom4te.cache packages-changed)
	rm -rf $(foreach s,asan tsan ubsan fuzz coverage,'$(BUILD)-$s')
	@rmdir '$(BUILD)' 2>/dev/null || true

help:
	@cat $(S).build/help.txt
