# SPDX-License-Identifier: BSD-3-Clause
# The code is laid out as .clang-format says. Versions of clang-format differ in details, so only
# the one the tree is kept with has a say.
set -eu

command -v clang-format >/dev/null || { echo 'clang-format is not installed'; exit 77; }
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
[ "$version" = 14 ] || { echo "clang-format is version $version, the tree is kept with 14"; exit 77; }
"$SOURCE/tools/format" --check
