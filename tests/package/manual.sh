# SPDX-License-Identifier: BSD-3-Clause
# Every page of doc/man is built, and man lays it out without a warning.
set -eu

for input in "$SOURCE"/doc/man/*.scd; do
	page=$(basename "$input" .scd)
	[ -s "$BUILD/doc/$page" ] || { echo "$page is not built: add it to doc/meson.build"; exit 1; }
	man --warnings=w -l "$BUILD/doc/$page" >text 2>warnings
	[ -s text ] || { echo "$page: empty"; exit 1; }
	if [ -s warnings ]; then
		echo "$page:"
		cat warnings
		exit 1
	fi
done
