# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports what the linker map lists, and that is what the headers declare.
set -eu

sed -n '/global:/,/local:/s/^[[:space:]]*\([a-z0-9_]*\);$/\1/p' "$SOURCE/lib/unhalted.map" |
	sort >mapped
nm -D --defined-only "$BUILD/lib/libunhalted.so" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
# gcc lists every prototype it reads; those of our headers that are not static are the public ones.
for header in "$SOURCE"/include/unhalted/*.h; do
	gcc -fsyntax-only -aux-info prototypes -I "$SOURCE/include" -x c "$header"
	sed -n 's/^.*include\/unhalted\/.*\*\/ extern .*\(uh_[a-z0-9_]*\) (.*/\1/p' prototypes
done | sort -u >declared

[ -s mapped ] || { echo 'no function in the linker map'; exit 1; }
echo 'linker map (-) and libunhalted.so (+):'
diff -u mapped exported
echo 'linker map (-) and headers (+):'
diff -u mapped declared
