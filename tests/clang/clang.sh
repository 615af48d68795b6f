# SPDX-License-Identifier: BSD-3-Clause
# clang compiles the whole tree without a warning, and clang-tidy has nothing to say.
# time limit: 900
set -eu

command -v clang >/dev/null || { echo 'clang is not installed'; exit 77; }
command -v clang-tidy >/dev/null || { echo 'clang-tidy is not installed'; exit 77; }
CC=clang meson setup "$PWD/build" "$SOURCE" -Dtests=enabled -Dwerror=true >log || { cat log; exit 1; }
ninja -C build all unit-tests >log || { cat log; exit 1; }
"$SOURCE/tools/tidy" "$PWD/build" >log 2>/dev/null || { cat log; exit 1; }
