# Which lines of src/ the tests reach. It has a build directory of its own; TESTS and KINDS pick tests as for `make check`.
# The tests of house/ look at the tree or build it again, so they reach nothing here.

.PHONY: coverage run-coverage coverage-needs
coverage_target := 90
# A process that becomes another program writes its counts down first, which g++ sees to by itself in its own dialect only.
coverage_flags := -O1 -g --coverage -fprofile-update=atomic -Dexecv=__gcov_execv -Dexecvp=__gcov_execvp
coverage_kinds := unit sim fuzz ranks faults abi net examples

coverage: setup-coverage
	@+$(again) BUILD='$(BUILD)-coverage' CXXFLAGS='$(coverage_flags)' CFLAGS='$(coverage_flags)' run-coverage

coverage-needs:
	@command -v gcovr >/dev/null || { echo 'make coverage needs gcovr, which is not installed (Debian, Ubuntu: apt-get install gcovr).' >&2; exit 1; }
	@! $(CXX) -x c++ -dM -E /dev/null | grep -q __clang__ || { echo 'make coverage counts with gcc: make coverage CXX=g++ CC=gcc' >&2; exit 1; }

# Counters take time, so the tests have three times as long. Those that fail still tell which lines they reached. What only
# some tests reach is held against no target.
run-coverage: coverage-needs tests
	@find '$(BUILD)' -name '*.gcda' -delete
	@+SLOWNESS=3 $(MAKE) -f '$(main)' BUILD='$(BUILD)' KINDS='$(or $(KINDS),$(coverage_kinds))' TESTS='$(TESTS)' --no-print-directory run-tests; \
	  tests=$$?; sh $(S).build/coverage.sh '$(BUILD)' '$(or $(S),.)' '$(CXX)' $(coverage_target) $(if $(KINDS)$(TESTS),,whole) && exit $$tests
