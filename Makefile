# The front door. CMake does the building; every verb here is a command or a script in
# tools/ that can be run by itself. Settings: BROWSER=0, BOOTSTRAP=0, JOBS, FUZZ_SECONDS,
# PREFIX, DESTDIR, SOFTLAB_DATA, BENCH, LONG=1 (every browser test), SERVE=1 (demo).
.PHONY: help demo check check-long lint format bench bench-crowd bench-estimates bench-import bench-mpi bench-nn bench-plan bench-python bench-replay bench-server bench-soft \
    bench-tutorial bench-build fuzz fuzz-http docs site site-pictures install wheel build coverage update-golden clean
.NOTPARALLEL:

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BROWSER ?= 1
FUZZ_SECONDS ?= 30
PREFIX ?= /usr/local
export BROWSER JOBS DESTDIR

configure = tools/quietly "configuring build/$(1)" cmake --preset $(1)
compile = tools/quietly "building build/$(1)" cmake --build --preset $(1) -j $(JOBS)

help: ## list these verbs
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 18

demo: ## set up, build, and do the main job end to end (SERVE=1 leaves the study's page running)
	@tools/bootstrap demo
	@$(call configure,release)
	@$(call compile,release)
	@tools/demo $(if $(SERVE),--serve)

check: ## set up, build and run the tests under ASan and UBSan (minutes)
	@tools/bootstrap check
	@$(call configure,dev)
	@$(call compile,dev)
	@ctest --preset dev -j $(JOBS)
	@tools/browser-tests

check-long: FUZZ_SECONDS = 60
check-long: export LONG = 1
check-long: ## check, clang, TSan, all of lint, faults and load, fuzzing, parity and a bare machine
	@tools/bootstrap check-long
	@$(MAKE) --no-print-directory check
	@$(call configure,dev-clang)
	@$(call compile,dev-clang)
	@ctest --preset dev-clang -j $(JOBS)
	@tools/fault-tests
	@$(call configure,tsan)
	@$(call compile,tsan)
	@ctest --preset tsan -j $(JOBS)
	@tools/lint --full
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@tools/fuzz $(FUZZ_SECONDS)
	@$(call configure,release)
	@$(call compile,release)
	@tests/parity/run build/release
	@tests/long/soft_labels.py build/release/softlab
	@tests/long/report_latex.py build/release/softlab
	@tests/long/threads.py build/release/softlab
	@tests/long/large_crowd.sh build/release
	@tests/long/notebooks.sh build/release
	@tests/long/site.sh build/release
	@tests/long/slurm.sh build/dev/softlab
	@cd build/dev/tests/fault && ./fault_power_cuts --cuts 200 && ./fault_kill_writer --kills 30
	@tools/check-bootstrap

lint: ## layout, clang-tidy, cppcheck and shellcheck over what changed
	@tools/bootstrap lint
	@$(call configure,dev)
	@$(call compile,dev)
	@tools/lint

format: ## lay out the C files
	@tools/bootstrap lint
	@tools/our-files c | xargs clang-format -i

bench: bench-build ## files, data sets, corruptions, answers, Dawid-Skene, scores, threads, training, reports and the store
	@tools/bench arrays csv dataset corrupt answers ds eval eval_threads train report store

bench-import: bench-build ## reading 10 million answers, one thread beside all cores, and what limits it
	@tools/bench import

bench-crowd: bench-build ## every aggregator beside published accuracies, against held-out answers (SOFTLAB_DATA), speed
	@tools/bench crowd heldout crowd_methods crowd_speed

bench-plan: bench-build ## whether forecasts of softlab plan come true on CIFAR-10H (SOFTLAB_DATA)
	@tools/bench plan

bench-mpi: bench-build ## labels of 100 million answers on 1 and 2 ranks: time and memory (BENCH="--answers 1e9")
	@"$$(tools/find-python numpy)" bench/large_crowd.py build/release $(BENCH)

bench-replay: bench-build ## answers that adaptive assignment saves, by recorded answers through a real server (an hour, SOFTLAB_DATA)
	@"$$(tools/find-python numpy)" bench/replay_study.py build/release/softlab $(BENCH)

bench-server: bench-build ## the study server: start, saves, memory, 2,000 people, exports, adaptive decisions (minutes, loopback only)
	@tools/bench server asking
	@bench/server_exports.py build/release/softlab
	@bench/server_databases.py build/release/softlab

bench-estimates: bench-build ## what --dry-run says a run of every recipe takes against what it takes (an hour, SOFTLAB_DATA)
	@tools/bench estimates

bench-soft: bench-build ## methods that read distributions against CIFAR-10H (SOFTLAB_DATA)
	@tools/bench soft

bench-nn: bench-build ## networks against PyTorch on one core and on two (options: BENCH=--help)
	@tools/bootstrap bench-nn
	@tools/bench-nn $(BENCH)

bench-python: bench-build ## 10 million answers from a DataFrame against the program
	@"$$(tools/find-python numpy pandas)" bench/python_aggregate.py build/release/softlab build/release/libsoftlab.so.0

bench-tutorial: bench-build ## how long a person takes through the site's first tutorial
	@tests/e2e/install
	@bench/tutorial_time.py build/release/softlab

bench-build:
	@tools/bootstrap demo
	@$(call configure,release)
	@$(call compile,release)

fuzz: ## fuzz each target for FUZZ_SECONDS (30)
	@tools/bootstrap fuzz
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@tools/fuzz $(FUZZ_SECONDS)

fuzz-http: FUZZ_SECONDS = 3600
fuzz-http: ## clients that mean harm, against the server, for FUZZ_SECONDS (3600)
	@tools/bootstrap fuzz
	@$(call configure,fuzz)
	@$(call compile,fuzz) --target fuzz_http_talk
	@tools/fuzz $(FUZZ_SECONDS) http_talk

docs: build ## write the manual and docs/results.md anew from the program
	@tools/make-docs build/release/softlab docs
	@build/release/softlab report results/ledger.jsonl --format md -o docs/results.md

site: ## build the documentation site, build/site/html/index.html
	@tools/bootstrap site
	@$(call configure,release)
	@$(call compile,release) --target softlab-cli
	@tools/make-site build/release/softlab build/site
	@echo build/site/html/index.html

site-pictures: build ## take the pictures of docs/site anew (node, chromium and pngquant)
	@SCREENSHOTS=$(CURDIR)/docs/site/pictures tests/e2e/run build/release/softlab site-pictures.test.mjs

# These two install no packages: they are for packagers, and for systems other than Debian.
install: ## install to DESTDIR and PREFIX (/usr/local)
	@$(call configure,release)
	@$(call compile,release) --target installed
	@cmake --install build/release --prefix $(PREFIX)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

wheel: ## write build/wheel/softlab-*.whl: the Python package with the library and the program
	@$(call configure,release)
	@$(call compile,release) --target softlab-cli softlab_shared
	@tools/make-wheel build/release build/wheel

build: ## build what is installed and measured
	@$(call configure,release)
	@$(call compile,release)

coverage: ## run the tests and print the lines they reach, per file
	@$(call configure,coverage)
	@$(call compile,coverage)
	@tools/coverage build/coverage

update-golden: ## let the golden tests write what they now see, and show it
	@$(call configure,dev)
	@$(call compile,dev)
	@UPDATE_GOLDEN=1 ctest --preset dev -L golden
	@git --no-pager diff --stat -- tests experiments

clean: ## remove what was built
	@rm -rf build
