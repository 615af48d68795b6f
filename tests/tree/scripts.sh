# SPDX-License-Identifier: BSD-3-Clause
# Shell scripts are free of what shellcheck knows to go wrong; python scripts compile.
set -eu

command -v shellcheck >/dev/null || { echo 'shellcheck is not installed'; exit 77; }
cd "$SOURCE"
find . -name 'build*' -prune -o -name .git -prune -o -type f -print | sort >"$OLDPWD/files"
cd "$OLDPWD"
scripts=0
while read -r file; do
	first=$(head -c 64 "$SOURCE/$file" | tr -d '\0' | head -n 1)
	case $file:$first in
	*.py:* | *:'#!'*python3)
		python3 -c 'import sys; compile(open(sys.argv[1], encoding="utf-8").read(), *sys.argv[1:], "exec")' \
			"$SOURCE/$file"
		;;
	*.sh:* | *:'#!/bin/sh')
		shellcheck --shell=sh "$SOURCE/$file"
		;;
	*) continue ;;
	esac
	scripts=$((scripts + 1))
done <files
[ "$scripts" -gt 5 ] || { echo "only $scripts scripts found"; exit 1; }
