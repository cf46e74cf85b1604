// Package catalogue lists every verb there is. Front-ends make their commands and tools of it.
package catalogue

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/brief"
	"github.com/cairn-tasks/cairn/internal/verb/config"
	"github.com/cairn-tasks/cairn/internal/verb/decisions"
	"github.com/cairn-tasks/cairn/internal/verb/directory"
	"github.com/cairn-tasks/cairn/internal/verb/evidence"
	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
	"github.com/cairn-tasks/cairn/internal/verb/guards"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/verb/milestones"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/refs"
	"github.com/cairn-tasks/cairn/internal/verb/remotes"
	"github.com/cairn-tasks/cairn/internal/verb/search"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/link"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

func init() { verb.LinkWing(link.Wing()) }

// All is the catalogue, in the order in which help and tool lists show it. Only Add changes it.
var All = verb.Link(inOrder(
	tasks.Verbs,
	status.Verbs,
	proposals.Verbs,
	transfer.Verbs,
	sessions.Verbs,
	activity.Verbs,
	graphs.Verbs,
	guards.Verbs,
	evidence.Verbs,
	config.Verbs,
	handoffs.Verbs,
	identity.Verbs,
	directory.Verbs,
	feedback.Verbs,
	guide.Verbs,
	skills.Verbs,
	refs.Verbs,
	brief.Verbs,
	prime.Verbs,
	search.Verbs,
	decisions.Verbs,
	knowledge.Verbs,
	milestones.Verbs,
	jobs.Verbs,
	trees.Verbs,
	projects.Verbs,
	review.Verbs,
	pairs.Verbs,
	remotes.Verbs,
)...)

// Add puts verbs behind those that are there, in help and in lists of tools. A program that has kinds of record of its
// own calls it before cmd.Main or mcpserver.New: what these have made of the catalogue does not change any more. It
// panics if a name is taken.
func Add(verbs ...verb.Verb) {
	for _, v := range verbs {
		if _, taken := Named(v.Name); taken {
			panic("catalogue: there is a verb " + v.Name + " already")
		}
		All = append(All, v)
	}
	verb.Link(All...)
}

// order names the verbs in the order in which they are shown. A verb that it does not name comes behind those that it
// does.
var order = []string{
	"identity", "status", "list", "get", "create", "claim", "next", "wait",
	"start", "release", "update", "transition", "run_checks", "attest", "note",
	"plan", "propose", "list_proposals", "get_proposal", "import", "delete", "restore", "undo", "archive", "logs", "history", "log", "stats", "graph", "settings_get", "settings_set",
	"begin", "heartbeat", "ask", "finish", "cancel", "get_session", "list_sessions", "session_summary", "prime",
	"brief", "guide", "search",
	"decision_log", "decision_set_status", "decision_query",
	"knowledge_write", "knowledge_search",
	"milestone_add", "milestone_set", "milestone_list", "milestone_show",
	"handoff_create", "handoff_claim", "handoff_respond", "handoff_resolve", "handoff_query", "inbox",
	"ref_add", "ref_update", "ref_remove", "ref_query",
	"skill_list", "skill_get", "skill_upsert",
	"project_list", "project_open", "project_create", "repo_list", "repo_register", "repo_link",
	"register", "directory", "feedback_create", "feedback_query",
	"job_start", "job_poll", "job_list", "job_say", "job_cancel", "job_discard", "pair_open", "pair_read", "pair_close",
	"review_apply", "land", "review_sync",
	"worktree_list", "worktree_remove", "conflicts", "evidence_list",
	"remote_status", "remote_probe", "remote_sync",
}

func inOrder(folders ...[]verb.Verb) []verb.Verb {
	all := slices.Concat(folders...)
	rank := func(v verb.Verb) int {
		if i := slices.Index(order, v.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted.By(all, func(a, b verb.Verb) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// Named finds a verb by its name.
func Named(name string) (verb.Verb, bool) {
	return record.Find(All, func(v verb.Verb) bool { return v.Name == name })
}

// Nouns lists the commands under which verbs have theirs, in the order of the catalogue.
func Nouns() []string {
	var out []string
	for _, v := range All {
		if v.Noun != "" && !slices.Contains(out, v.Noun) {
			out = append(out, v.Noun)
		}
	}
	return out
}
