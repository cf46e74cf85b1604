#!/bin/sh
# A program for an evening on which not all goes well. What it does at first depends on the title of its task; once its
# first job is over it always works.
set -eu
read -r _ _ title # the first line of the prompt: # HOUSE-…: Title
tries="$EVENING/$CAIRN_TASK"
echo once more >> "$tries"
case $title in
'Errs'*) usual=3 ;; # all rounds of its first job
*) usual=1 ;;
esac
if [ "$(wc -l < "$tries")" -le $usual ]; then
	case $title in
	'Falls'*) exit 1 ;;
	'Errs'*)
		echo wrong > "$CAIRN_TASK.txt"
		echo "wrote it"
		exit 0
		;;
	'Cheats'*)
		sed -i.bak 's/cmd: .*/cmd: "true"/' ".cairn/tasks/$CAIRN_TASK.md"
		rm ".cairn/tasks/$CAIRN_TASK.md.bak"
		;;
	'Sleeps'*)
		echo half > "$CAIRN_TASK.txt"
		sleep 1000
		;;
	esac
fi
echo right > "$CAIRN_TASK.txt"
echo "$title: done"
