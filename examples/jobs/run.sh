#!/bin/sh
# From an empty repository to a house that five jobs have built: six tasks, three at a time, by a small program that edits files.
# It needs cairn and git, and this folder; it works in the folder that is given, which must be empty.
#
#     sh run.sh FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
top=$(pwd)
mkdir house config
export XDG_CONFIG_HOME="$top/config" XDG_STATE_HOME="$top/state" CAIRN_ACTOR=human:ada
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com

# The executor is in the user's own config: a repository can only name one.
mkdir config/cairn
cat > config/cairn/config.yaml <<EOF
executors:
  mason: {dialect: command, cmd: [sh, "$here/mason.sh"]}
EOF

cd house
git init --quiet --initial-branch main
cp "$here/build.sh" .
cairn init --prefix HOUSE
cat >> .cairn/config.yaml <<EOF
executor: mason
job_timeout: ${TIMEOUT:-15s}
close_by: merge              # a task with a branch is done when it is merged
EOF
cairn plan "$here/plan.yaml"
git add --all
git commit --quiet --message 'An empty site, and a plan'
cairn trust --yes

# in_review prints the ids of the tasks whose jobs have handed over. Their records are on their branches until they are merged.
handed_over() { cairn job list --state SUCCEEDED --json | sed -n 's/.*"task": "\(.*\)".*/\1/p' | sort -u; }

merged=" "
while :; do
	cairn work --jobs 3 || true # some fail, and that is looked at below
	more=no
	for job in $(cairn job list --json | sed -n 's/.*"job": "\(job-[a-z0-9]*\)".*/\1/p'); do # what timed out is tried once more
		case $(cairn job poll "$job" --json) in
		*'"reason": "TIMEOUT"'*)
			[ -e "$top/retried-$job" ] && continue
			: > "$top/retried-$job"
			cairn job retry "$job" --wait > /dev/null
			;;
		esac
	done
	for id in $(handed_over); do
		case $merged in *" $id "*) continue ;; esac
		cairn review show "$id" > /dev/null
		CAIRN_ACTOR=agent:inspector cairn review approve "$id" 'stands as drawn'
		CAIRN_ACTOR=agent:inspector cairn review merge "$id"
		merged="$merged$id "
		more=yes
	done
	[ $more = no ] && break
done

cairn list --all
cairn job list
