#!/bin/sh
# A program that does what it is told in a small and always the same way. It knows six tasks by their titles, and is not always good at them.
set -eu
read -r _ _ title # the first line of the prompt: # HOUSE-…: Title

# part FILE TEXT writes a part of the house.
part() { mkdir -p parts && printf '%s\n' "$2" > "parts/$1"; }

case $title in
'Lay the floor') part 1-floor 'floor' ;;
'Raise the walls') # forgets one, and adds it when it is told
	if [ -e parts/2-walls ]; then part 2-walls 'wall wall wall wall'; else part 2-walls 'wall wall wall'; fi ;;
'Put on the roof') # leaves a hole at first
	if [ -e parts/3-roof ]; then part 3-roof 'roof'; else part 3-roof 'ro f'; fi ;;
'Hang the door') part 2-door 'door' ;;
'Plant the garden') # falls asleep over the seeds
	if [ -e parts/4-garden ]; then
		part 4-garden 'garden'
	else
		part 4-garden 'seeds'
		sleep 1000
	fi ;;
'Paint it') # has no paint, so it makes the check easier
	part 5-paint 'primer'
	sed -i.bak 's/cmd: .*paint.*/cmd: "true"/' .cairn/tasks/"$CAIRN_TASK".md
	rm .cairn/tasks/"$CAIRN_TASK".md.bak ;;
*)
	echo "nobody taught me to do: $title" >&2
	exit 1
	;;
esac
echo "$title: done"
