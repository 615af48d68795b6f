# SPDX-License-Identifier: BSD-3-Clause
# The manual page of stat names every option and every event of the emulated machine, with what it is.
set -eu

page=$SOURCE/doc/man/unhalted-stat.1.scd
sed 's,[\],,g' "$page" >plain
wrong=0
complain()
{
	echo "$*"
	wrong=1
}

unhalted stat --help | grep -o '^ *\(-[a-zA-Z], \)\?--[a-z-]*' | grep -o -e '--[a-z-]*' >options
[ "$(wc -l <options)" -gt 30 ] || complain "only $(wc -l <options) options found"
while read -r option; do
	grep -q -e "\*$option\*" plain || complain "$option is not in the page"
done <options

# Exact events stand between the two sentences, modelled ones behind the second.
sed -n '/These events are .emulated/,/These are .modelled/p' plain >exact
sed -n '/These are .modelled/,/By its own name/p' plain >modelled
sed -n '/Exact are:/,/Modelled are:/p' plain >exact-quantities
sed -n '/Modelled are:/,/^# CSV/p' plain >modelled-quantities
grep -v '^#' "$SOURCE/data/quantities.tsv" | cut -f 1,2 >quantities
while read -r name class; do
	grep -qw -e "$name" "$class-quantities" || complain "quantity $name is not among the $class ones"
done <quantities
grep -v '^#' "$SOURCE/data/events-emulated.tsv" >events
while read -r name sums; do
	class=exact
	for quantity in $sums; do
		grep -q "^$quantity	exact" quantities || class=modelled
	done
	grep -qF "*$name*" "$class" || complain "$name is not among the $class ones"
done <events
exit $wrong
