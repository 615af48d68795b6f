# SPDX-License-Identifier: BSD-3-Clause
# The front door. Meson does the work; this file only spares you its options.
BUILD ?= build
MESON ?= meson

.PHONY: all
all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	$(MESON) setup $(BUILD)
