#!/usr/bin/env bash
# Draws travel.svg, the picture of README.md:
#
#	beam/travel.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

box() { # X Y FILL TEXT
	printf '<rect x="%d" y="%d" width="150" height="34" rx="4" fill="%s" stroke="#444"/><text x="%d" y="%d" text-anchor="middle">%s</text>\n' \
		"$1" "$2" "$3" $(($1 + 75)) $(($2 + 22)) "$4"
}
line() { # X1 Y1 X2 Y2 COLOUR
	printf '<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="1.5" marker-end="url(#arrow)"/>\n' "$@"
}

{
	echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 230" font-family="sans-serif" font-size="13">'
	echo '<rect width="800" height="230" fill="white"/>'
	echo '<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto"><path d="M0,0 L8,3 L0,6 z" fill="#444"/></marker></defs>'
	echo '<text x="95" y="24" text-anchor="middle">blocks of ids</text><text x="385" y="24" text-anchor="middle">shards, .npy files</text><text x="685" y="24" text-anchor="middle">blocks of rows</text>'
	for i in 0 1 2; do
		box 20 $((44 + 54 * i)) '#dbe9f6' "ids, block $i"
		box 310 $((44 + 54 * i)) '#fdf0d5' "users-0000$i-of-00003"
		box 610 $((44 + 54 * i)) '#dff0d8' "rows, block $i"
		for j in 0 1 2; do
			line 170 $((61 + 54 * i)) 308 $((61 + 54 * j)) '#3b75af'
			line 460 $((61 + 54 * i)) 608 $((61 + 54 * j)) '#c44e52'
		done
	done
	echo '<text x="240" y="216" text-anchor="middle" fill="#3b75af">GatherFrom: 8 bytes an id</text>'
	echo '<text x="540" y="216" text-anchor="middle" fill="#c44e52">Assemble: a row an id</text>'
	echo '</svg>'
} >travel.svg
