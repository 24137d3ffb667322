#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The main job on real data: handwritten digits, of which the first 1,000 teach
# what the mean image of each digit is, and the other 797 are told by the mean that
# is nearest. All of it is one expression, digits.expr; here it is planned, drawn
# and run. `./build.sh demo` builds first.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${CANDELA_BUILD_DIR:-$source_dir/_build}
examples=$source_dir/examples
picture=$build_dir/digits-plan.svg

# A plan needs dtypes and shapes alone; so its inputs have names to be drawn with.
plan ()
{
  "$source_dir/run" candela plan -f "$examples/digits.expr" 'images=uint8[1797,64]' 'labels=uint8[1797]' "$@"
}

run ()
{
  "$source_dir/run" candela run -f "$examples/digits.expr" \
    images="$examples/data/digits-images.npy" labels="$examples/data/digits-labels.npy" "$@"
}

echo "The expression (examples/digits.expr):"
echo
sed 's/^/  /' "$examples/digits.expr"
echo
echo "Its plan:"
echo
plan
echo
rm -f "$picture"
if plan --format=svg -o "$picture" 2> "$picture.log"; then
  echo "The plan as a picture: $picture"
else
  echo "The plan as a picture: $(cat "$picture.log")"
fi
rm -f "$picture.log"

stats=$(mktemp)
trap 'rm -f "$stats"' EXIT
accuracy=$(run --stats 2> "$stats")
# A line of --stats without what it is.
told () { sed -n "s/^$1: *//p" "$stats"; }
echo
echo "Accuracy: $accuracy of the 797 digits that were not learnt from"
echo "Memory:   $(told peak) at most at once, in $(told allocations) allocations"
echo "          $(told intermediates) if every value were kept"
echo "Time:     $(told time) on $(told threads) thread(s)"
