# SPDX-License-Identifier: BSD-3-Clause
# What `make install` leaves below DESTDIR is enough to build and run a program that knows the
# library only by its pkg-config file.
# time limit: 180
set -eu

DESTDIR=$PWD/root meson install -C "$BUILD" --no-rebuild --quiet
found=$(find root -name unhalted.pc)
[ -n "$found" ] || { echo 'no unhalted.pc'; find root -type f; exit 1; }
export PKG_CONFIG_SYSROOT_DIR="$PWD/root"
export PKG_CONFIG_PATH="$PWD/${found%/*}"

cat >program.c <<'C'
#include <stdio.h>
#include <unhalted/error.h>
int main(void)
{
	return puts(uh_version()) < 0;
}
C
# The flags are words on purpose.
# shellcheck disable=SC2046
gcc program.c -o program $(pkg-config --cflags --libs unhalted)
library=$(find "$PWD/root" -name libunhalted.so.0)
version=$(LD_LIBRARY_PATH="${library%/*}" ./program)
[ "$version" = "$(pkg-config --modversion unhalted)" ] || {
	echo "the program says $version, unhalted.pc $(pkg-config --modversion unhalted)"
	exit 1
}
objdump -p program | grep -q 'NEEDED *libunhalted\.so\.0$' || {
	echo 'the program does not ask for libunhalted.so.0'
	exit 1
}

for header in "$SOURCE"/include/unhalted/*.h; do
	name=$(find root -path "*/include/unhalted/${header##*/}")
	[ -n "$name" ] || { echo "${header##*/} is not installed"; exit 1; }
done
command=$(find root -path '*/bin/unhalted')
[ -x "$command" ] || { echo 'the command is not installed'; exit 1; }
said=$("$command" --version)
[ "$said" = "unhalted $version" ] || { echo "--version says: $said"; exit 1; }
