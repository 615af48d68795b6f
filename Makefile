# SPDX-License-Identifier: BSD-3-Clause
# The front door. Meson does the work; this file only spares you its options.
#
#   make              build into build/
#   make run          install what is missing, build, and compare two programs
#   make check        install what is missing, build, run every test
#   make bench        measure what measuring costs
#   make install      install into PREFIX (default /usr/local), below DESTDIR if set
#   make packages     install what building and testing needs (Debian, Ubuntu)
#   make sanitize     unit tests under the address and undefined-behaviour sanitizers
#   make fuzz         every fuzzer for FUZZ_SECONDS (default 60) each; needs clang
#   make tidy         clang-tidy over the tree
#   make format       lay out the code as .clang-format says; format-check only looks
#   make clean        remove what was built
BUILD ?= build
MESON ?= meson
NINJA ?= ninja
PREFIX ?=
DESTDIR ?=
FUZZ_SECONDS ?= 60

.PHONY: all
all: $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD)

$(BUILD)/build.ninja:
	@command -v $(MESON) >/dev/null || { \
		echo "meson is missing; 'make packages' installs all that building needs" >&2; exit 1; }
	$(MESON) setup $(BUILD)

.PHONY: packages
packages:
	@tools/install-packages build test

.PHONY: run
run:
	@tools/install-packages build
	@$(MAKE) --no-print-directory all
	$(BUILD)/unhalted compare -- $(BUILD)/examples/matmul row -- $(BUILD)/examples/matmul column

.PHONY: check
check:
	@tools/install-packages build test
	@tests/check --build $(BUILD)

.PHONY: bench
bench: all
	@$(MESON) test -C $(BUILD) --benchmark --verbose

.PHONY: install
install: $(BUILD)/build.ninja
	$(if $(PREFIX),$(MESON) configure $(BUILD) -Dprefix=$(PREFIX))
	@$(NINJA) -C $(BUILD)
	DESTDIR='$(DESTDIR)' $(MESON) install -C $(BUILD) --no-rebuild

.PHONY: sanitize
sanitize:
	@tools/install-packages build test
	@tests/check --build $(BUILD) --only-sanitize

.PHONY: fuzz
fuzz:
	@tools/install-packages build develop
	@tests/fuzz/run --build $(BUILD)-fuzz --seconds $(FUZZ_SECONDS)

.PHONY: tidy
tidy:
	@tools/install-packages build test develop
	@tools/tidy $(BUILD)-tidy

.PHONY: format
format:
	@tools/format

.PHONY: format-check
format-check:
	@tools/format --check

.PHONY: clean
clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-fuzz $(BUILD)-tidy
