# SPDX-License-Identifier: BSD-3-Clause
# Every source names its licence near its top.
set -eu

cd "$SOURCE"
find include lib cli emulator tests bench examples tools doc .ci Makefile meson.build \
	\( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' -o -name meson.build -o -name '*.map' \
	-o -name '*.scd' -o -name Makefile -o -path '.ci/*' \) -type f -exec \
	sh -c 'for file; do head -n 3 "$file" | grep -q "SPDX-License-Identifier: BSD-3-Clause" ||
		printf "%s\n" "$file"; done' sh {} + >"$OLDPWD/without"
cd "$OLDPWD"
if [ -s without ]; then
	echo 'without a licence line:'
	cat without
	exit 1
fi
