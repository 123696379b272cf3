# SPDX-License-Identifier: MIT
# A thin door; CMake does the work. Everything here installs what it needs first.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all help build hosts demo test check torture soak fuzz fuzz-planted coverage \
	test-full test-qemu test-redis-full test-package test-reproducible \
	bench bench-learned bench-redis bench-cluster bench-postgres bench-python \
	reproduce reproduce-ultrafilter reproduce-nickel-dime reproduce-bodega \
	format check-format install uninstall dist deb clean

all: build

help:
	@sed -n 's/^#: //p' Makefile

#: make build          build/ultrafilter, build/libultrafilter.{a,so}
#: make demo           what it does, in a minute
#: make test           all tests as released, and under the address and undefined-behaviour sanitizers
#: make test-full      the same at full sizes: tens of minutes
#: make test-redis-full  the Redis module at full sizes, with node-redis: minutes
#: make soak           an hour of mixed operations against an exact model; SOAK_SECONDS=60 is shorter, SEED=N the same again
#: make test-qemu      the same files and answers on other machines, emulated
#: make torture        all that is promised, each figure beside its target, also in build/torture.json: hours
#:                     (SIZE=short: minutes; PARTS="rot kills fuzz:spec": these now, the others as they last came out)
#: make check          layout, scripts, cppcheck, clang, clang-tidy, threads and leaks, sanitizers and valgrind
#: make fuzz           every parser, FUZZ_SECONDS=20 each; fuzz-planted: whether that finds bugs which are planted for it
#: make coverage       lines and branches of src/ that the tests reach: minutes
#: make test-reproducible  the same bytes from two clones in two folders
#: make bench          measures; bench-learned: learned filters only; bench-redis: the Redis module; bench-cluster: one filter over 3 masters;
#:                     bench-postgres: the extension; bench-python: the package
#: make reproduce      the papers' tables and figures beside ours, in build/reproduce
#: make hosts          the programs of hosts/
#: make format         clang-format decides layout; check-format only looks
#: make install        under PREFIX=/usr/local; uninstall takes it away again
#: make dist           the release, build/dist/ultrafilter-VERSION.tar.gz, the same bytes each time
#: make deb            Debian packages of the last commit, in build/deb
#: make test-package   builds them in a clean root, checks, installs, tests and purges them there: half an hour, needs root
#: make clean          removes the build folders
#: Variables: BUILD=build JOBS=2 PREFIX=/usr/local


build:
	@tools/install-deps build
	@cmake -S . -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory

hosts: build
	@tools/install-deps host
	@cmake -S . -B $(BUILD) -DUF_HOSTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory

demo: build
	@tools/install-deps demo
	@examples/demo.sh $(BUILD)/ultrafilter

test: build
	@tools/install-deps test
	@tests/run.sh $(BUILD) $(JOBS)

test-full: build
	@tools/install-deps test
	@UF_TEST_FULL=1 tests/run.sh $(BUILD) $(JOBS)

soak: build
	@tools/install-deps test
	@cmake -S . -B $(BUILD) -DUF_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target torture_soak -- --no-print-directory -s
	@SOAK_SECONDS=$(or $(SOAK_SECONDS),3600) tests/torture/parts/soak full $(BUILD)

check:
	@tools/install-deps build host test format check
	@tests/check/run.sh $(BUILD) $(JOBS)

SIZE ?= full
torture: build
	@tools/install-deps host test check coverage
	@cmake -S . -B $(BUILD) -DUF_TESTS=ON -DUF_HOSTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory -s
	@tests/torture/run $(SIZE) $(BUILD) $(BUILD)/torture.json $(PARTS)

# The same files and answers on big-endian and other machines, emulated. Minutes; needs cross compilers.
test-qemu: build
	@tests/qemu.sh $(BUILD)

# libFuzzer with the sanitizers. FUZZ_RUNS=100000000, what a release takes, needs hours. FUZZ="filter spec": these only.
fuzz:
	@tools/install-deps build host test fuzz
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_WORKERS=$(FUZZ_WORKERS) JOBS=$(JOBS) tests/fuzz/run.sh $(BUILD) $(FUZZ)

fuzz-planted:
	@tools/install-deps build host test fuzz
	@JOBS=$(JOBS) tests/fuzz/planted.sh $(BUILD) $(FUZZ)

coverage:
	@tools/install-deps build test coverage
	@tests/coverage/run.sh $(BUILD) $(JOBS)

test-reproducible:
	@tools/install-deps build
	@tests/reproducible.sh $(JOBS)

bench: build
	@tools/install-deps bench
	@cmake -S . -B $(BUILD) -DUF_BENCH=ON -DUF_HOSTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory
	@bench/run.sh $(BUILD) $(BENCH)

# Learned filters only. UF_LEARNED_DATA="NAME=FOLDER ..." adds lists of your own to Debian's words.
bench-learned:
	@$(MAKE) --no-print-directory bench BENCH=learned

# The extension in a server of its own. ROWS=1e6 is smaller; PARTS="aggregate join asked" are all.
bench-postgres: hosts
	@tools/install-deps test
	@hosts/postgres/bench/run.py $(BUILD)/ultrafilter_postgres.so $(BUILD)/libultrafilter.so.0 $(or $(ROWS),1e7) $(PARTS)

# The Redis module beside Redis' own commands. REDISBLOOM=FILE.so adds RedisBloom.
bench-redis: hosts
	@tools/install-deps redis
	@cmake --build $(BUILD) --target redis_noop -- --no-print-directory -s
	@hosts/redis/bench/run.py $(BUILD) $(REDISBLOOM)

# One filter of 10^9 keys over three masters: minutes, 4 GB of memory. KEYS=1e8 is smaller; FILE=BIG.uf was built before.
bench-cluster: hosts
	@tools/install-deps redis
	@KEYS=$(or $(KEYS),1e9) hosts/redis/bench/cluster.py $(BUILD) $(FILE)

# The Python package beside Python's other filters.
bench-python: hosts
	@tools/install-deps python
	@PYTHONPATH=$(BUILD)/python/site /usr/bin/python3 hosts/python/bench/run.py

# node-redis comes from the registry that npm is set up for, into the build folder.
test-redis-full: hosts
	@tools/install-deps test redis
	@command -v npm >/dev/null || tools/install-deps redis-node
	@cmake -S . -B $(BUILD) -DUF_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target ultrafilter_redis redis_test_load -- --no-print-directory -s
	@cp hosts/redis/tests/package.json $(BUILD)/redis && cd $(BUILD)/redis && npm install --no-audit --no-fund --silent
	@UF_TEST_FULL=1 ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -R '^redis_'

# Tables and figures of the papers, beside ours, in $(BUILD)/reproduce. DATA=DIR: keys of your own for the Bodega paper.
reproduce: build
	@tools/install-deps reproduce
	@$(BUILD)/ultrafilter-lab reproduce all --out $(BUILD)/reproduce $(if $(DATA),--data $(DATA))

reproduce-ultrafilter reproduce-nickel-dime reproduce-bodega: reproduce-%: build
	@tools/install-deps reproduce
	@$(BUILD)/ultrafilter-lab reproduce $* --out $(BUILD)/reproduce $(if $(DATA),--data $(DATA))

format:
	@tools/install-deps format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check-format:
	@tools/install-deps format
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

install: build
	@tools/install $(BUILD) $(PREFIX)

uninstall:
	@cmake --build $(BUILD) --target uninstall -- --no-print-directory

dist:
	@tools/dist $(BUILD)/dist

# DEB_BUILD_OPTIONS=nocheck leaves the tests out. REDISMODULE_H=FILE: a header of Redis' modules that is here already.
deb:
	@tools/install-deps build host package package-build
	@tools/deb -b $(BUILD)/deb

test-package:
	@tools/install-deps package
	@tests/package/run.sh $(BUILD)/package

clean:
	@rm -rf $(BUILD) $(BUILD)-*
