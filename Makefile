# Rask's commands. Each is a thin cover over CMake presets and the scripts in tools/, so that a
# person, the continuous build and the documents all use the same words.
#
#   make                 release build: build/release/rask, build/release/examples/...
#   make demo            WordCount on a real English text, from nothing
#   make test            everything that must hold before a change lands
#   make install PREFIX=/usr/local [DESTDIR=...]
#   make bench [BENCH="wordcount counter-10000 ..."] [BENCH_SCALE=1]
#   make golden [GOLDEN=DIR]     replay facts printed by Flink
#   make sim SEED=n, make soak, make fuzz, make format, make tidy, make clean, make deps

PREFIX ?= /usr/local
DESTDIR ?=
BENCH ?=
BENCH_SCALE ?= 1
SEED ?= 1
SOAK_SECONDS ?= 600
FUZZ_SECONDS ?= 60
RELEASE := build/release
# All facts lie beside a checkout where there is one; the repository keeps a part.
GOLDEN ?= $(firstword $(wildcard ../shared/golden tests/golden/facts))

.DEFAULT_GOAL := all
.PHONY: all demo test install uninstall bench golden fuzz soak sim format tidy clean deps

all: build-release

# Configures once; ninja reruns CMake by itself when a build file changes.
.PHONY: build-release
build-release: deps-build
	@test -f $(RELEASE)/build.ninja || cmake --preset release
	@ninja -C $(RELEASE) --quiet

.PHONY: deps-build
deps-build:
	@tools/deps.sh build

deps:
	@tools/deps.sh all

demo: build-release
	@tools/demo.sh $(RELEASE)

test:
	@tools/deps.sh test
	@tools/data.sh
	@python3 tools/test.py

install: build-release
	@DESTDIR='$(DESTDIR)' cmake --install $(RELEASE) --prefix '$(PREFIX)'

uninstall:
	@sed 's|^|$(DESTDIR)|' $(RELEASE)/install_manifest.txt | xargs -r rm -fv

bench:
	@tools/deps.sh bench
	@$(MAKE) --no-print-directory build-release
	@BENCH_SCALE='$(BENCH_SCALE)' python3 bench/run.py --build $(RELEASE) $(BENCH_ARGS) $(BENCH)

golden: build-release
	@test -n '$(GOLDEN)' || { echo 'make golden: no folder of facts; name one: make golden GOLDEN=DIR' >&2; exit 2; }
	@$(RELEASE)/tests/rask-golden '$(GOLDEN)'

sim: build-release
	@$(RELEASE)/tests/rask-sim $(SEED)

soak: build-release
	@tools/soak.sh $(RELEASE) $(SOAK_SECONDS)

fuzz:
	@tools/deps.sh test
	@tools/fuzz.sh $(FUZZ_SECONDS)

format:
	@tools/deps.sh test
	@tools/format.sh

tidy:
	@tools/deps.sh test
	@test -f build/clang/build.ninja || cmake --preset clang
	@ninja -C build/clang --quiet
	@python3 tools/tidy.py build/clang

clean:
	@rm -rf build
