# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles by itself, twice in a row, as C11 and as C++, without a warning.
set -eu

strict='-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only'
for header in "$SOURCE"/include/unhalted/*.h; do
	name=unhalted/${header##*/}
	printf '#include <%s>\n#include <%s>\n' "$name" "$name" >use.c
	cp use.c use.cpp
	# The options are words on purpose.
	# shellcheck disable=SC2086
	gcc -std=c11 -Wstrict-prototypes $strict -I "$SOURCE/include" use.c
	# shellcheck disable=SC2086
	g++ -std=c++11 $strict -I "$SOURCE/include" use.cpp
done
