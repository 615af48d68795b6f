# SPDX-License-Identifier: BSD-3-Clause
# A folder of lib/ includes only itself and the folders before it in the floor plan; the library
# includes nothing of the command, and the emulator's plugin only base and what its two halves share.
set -eu

floors='base machine event count metric sample series mesh model render'

# includes FOLDER: "file: floor/header.h" for every quoted include of the library in it
includes()
{
	find "$1" -name '*.[ch]' -exec sed -n 's|^#include "\([a-z]*/[^"]*\)".*|{}: \1|p' {} \;
}

bad=0
# allow FOLDER FLOOR...: complains of includes in FOLDER that name none of the floors
allow()
{
	folder=$1
	shift
	includes "$SOURCE/$folder" >found
	for floor; do
		grep -v ": $floor" found >rest || true
		mv rest found
	done
	if [ -s found ]; then
		echo "$folder may not include:"
		sed "s|$SOURCE/||" found
		bad=1
	fi
}

below='unhalted/'
for floor in $floors; do
	below="$below $floor/"
	if [ -d "$SOURCE/lib/$floor" ]; then
		# The floors are words on purpose.
		# shellcheck disable=SC2086
		allow "lib/$floor" $below
	fi
done
# The plugin has what the two halves of the emulated machine share, and the front, which runs in it.
allow emulator emulator/ base/ machine/emulated_layout.h machine/emulated_program.h \
	machine/emulated_totals.h machine/emulated_front.h machine/emulated_predictor.h
allow include unhalted/

for folder in "$SOURCE"/lib/*/; do
	case " $floors " in
	*" $(basename "$folder") "*) ;;
	*) echo "$folder is not in the floor plan"; bad=1 ;;
	esac
done
exit "$bad"
