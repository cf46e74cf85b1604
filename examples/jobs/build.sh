#!/bin/sh
# Builds the house of the parts that are there, and fails if one is not as it must be or stands on nothing.
set -eu
cd "$(dirname "$0")"
[ -d parts ] || exit 0
for part in parts/*; do
	case $part:$(cat "$part") in
	'parts/1-floor:floor' | 'parts/2-door:door' | 'parts/4-garden:garden' | 'parts/5-paint:paint') ;;
	'parts/2-walls:wall wall wall wall') [ -e parts/1-floor ] ;;
	'parts/3-roof:roof') [ -e parts/2-walls ] ;;
	*)
		echo "$part is not as it must be: $(cat "$part")" >&2
		exit 1
		;;
	esac
done
