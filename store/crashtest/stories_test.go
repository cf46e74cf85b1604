package crashtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/store/layout"
)

// story is a verb in a situation in which it writes as much as it can.
type story struct {
	name  string
	verb  string
	actor record.Actor
	given func(t *testing.T, h *house) (input map[string]any)
}

type in = map[string]any

// nothing went before; the verb is about the task.
func nothing(more in) func(*testing.T, *house) in {
	return func(*testing.T, *house) in {
		input := in{"id": about}
		for key, value := range more {
			input[key] = value
		}
		return input
	}
}

// begun is that agent:a has a session on the task. The function makes the input from its id.
func begun(input func(ses string) in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "begin", in{"id": about, "expected_actor": "agent:a", "idempotency_key": "first"})
		return input(out.(verb.Session).ID)
	}
}

// claimed is that agent:a holds the task.
func claimed(more in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		h.given(t, "agent:a", "claim", in{"id": about})
		return nothing(more)(t, h)
	}
}

// atRest is that the task was moved to where closed tasks rest, and an agent has a session on it all the same.
func atRest(more in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		h.given(t, "agent:a", "begin", in{"id": about, "expected_actor": "agent:a", "idempotency_key": "first"})
		dir := filepath.Join(h.root, layout.Folder)
		must(t, os.MkdirAll(filepath.Join(dir, "closed", "2026-06"), 0o755))
		must(t, os.Rename(filepath.Join(dir, "tasks", about+".md"), filepath.Join(dir, "closed", "2026-06", about+".md")))
		return nothing(more)(t, h)
	}
}

// referring is that the task has a reference.
func referring(more in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "ref_add", in{"id": about, "type": "link", "url": "https://example.com/"})
		input := nothing(more)(t, h)
		input["ref"] = out.(verb.Task).Refs[0].Ref
		return input
	}
}

// aRisk is that there is a risk; the verb is about it.
func aRisk(more in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "risk_create", in{"title": "It rains", "likelihood": "low"})
		input := nothing(more)(t, h)
		input["id"] = out.(verb.Record).ID
		return input
	}
}

// aDecision is that an agent logged a decision; the verb is about it.
func aDecision(more in) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "decision_log", in{"title": "Locks", "choice": "A file lock"})
		input := nothing(more)(t, h)
		input["id"] = out.(verb.Record).ID
		return input
	}
}

// aHandoff is that a person asked an agent something; the verb is about it. It is done after the calls given.
func aHandoff(more in, done ...string) func(*testing.T, *house) in {
	return func(t *testing.T, h *house) in {
		out := h.given(t, "human:lee", "handoff_create", in{"title": "Which color?", "to": []string{"agent:a"}, "options": []string{"red", "blue"}})
		id := out.(handoffs.Handoff).ID
		for _, verb := range done {
			h.given(t, "agent:a", verb, in{"id": id})
		}
		input := nothing(more)(t, h)
		input["id"] = id
		return input
	}
}

func needShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell to run checks with")
	}
}

var stories = []story{
	{"create", "create", "agent:a", func(*testing.T, *house) in {
		return in{"title": "A new task", "deps": []string{aside}, "checks": []in{{"desc": "tests pass", "cmd": "true"}}}
	}},
	{"claim", "claim", "agent:a", nothing(nil)},
	{"claim that takes over from a session that stalled", "claim", "agent:b", begun(func(string) in { return in{"id": about, "takeover": true} })},
	{"next", "next", "agent:a", func(t *testing.T, h *house) in {
		h.given(t, "agent:b", "claim", in{"id": aside})
		return in{}
	}},
	{"plan", "plan", "agent:a", func(*testing.T, *house) in {
		return in{"tasks": []in{{"title": "Second", "deps": []string{"#1"}}, {"title": "First", "parent": "#2"}, {"title": "All"}}}
	}},
	{"propose", "propose", "agent:a", func(*testing.T, *house) in {
		return in{"tasks": []in{{"title": "One"}}, "summary": "one task"}
	}},
	{"import", "import", "agent:a", func(*testing.T, *house) in {
		return in{"source": "jira", "items": []in{{"ref": "J-1", "title": "First", "state": "done"}, {"ref": "J-2", "title": "Second", "deps": []string{"J-1"}, "comments": []in{{"text": "seen"}}}}}
	}},
	{"plan that was proposed", "plan", "human:lee", func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "propose", in{"tasks": []in{{"title": "One"}, {"title": "Two"}}, "summary": "two tasks"})
		return in{"proposal": out.(proposals.Proposal).Proposal}
	}},
	{"delete", "delete", "human:lee", nothing(nil)},
	{"delete of a task with a session that stalled", "delete", "human:lee", begun(func(string) in { return in{"id": about} })},
	{"archive", "archive", "human:lee", func(t *testing.T, h *house) in {
		out := h.given(t, "human:lee", "create", in{"title": "Another"})
		for _, id := range []string{about, string(out.(verb.Task).ID)} {
			h.given(t, "human:lee", "transition", in{"id": id, "to": "canceled", "reason": "no longer wanted"})
		}
		return in{"older_than": "1s"}
	}},
	{"repo_register", "repo_register", "human:lee", func(*testing.T, *house) in { return in{"remote_url": "https://github.com/o/r"} }},
	{"repo_link", "repo_link", "human:lee", func(t *testing.T, h *house) in {
		h.given(t, "human:lee", "repo_register", in{"remote_url": "https://github.com/o/r"})
		return in{"name": "r", "role": "docs"}
	}},
	{"settings_set", "settings_set", "human:lee", func(*testing.T, *house) in { return in{"key": "claim_ttl", "value": "2h"} }},
	{"start", "start", "agent:a", nothing(nil)},
	{"restore", "restore", "human:lee", func(t *testing.T, h *house) in {
		h.given(t, "human:lee", "delete", in{"id": about})
		return in{"id": about}
	}},
	{"undo of a claim", "undo", "agent:a", claimed(in{"confirm": true})},
	{"start that takes over from a session that stalled", "start", "agent:b", begun(func(string) in { return in{"id": about, "takeover": true} })},
	{"release", "release", "agent:a", claimed(in{"reason": "no time"})},
	{"release of a session that stalled", "release", "human:lee", begun(func(string) in { return in{"id": about} })},
	{"update", "update", "agent:a", nothing(in{"title": "A better title", "labels": []string{"new"}, "to": "in_progress", "assignee": "me"})},
	{"update that gives the task to another than its session", "update", "human:lee", begun(func(string) in { return in{"id": about, "assignee": "agent:b"} })},
	{"transition", "transition", "agent:a", nothing(in{"to": "in_progress"})},
	{"close that runs checks", "transition", "agent:a", func(t *testing.T, h *house) in {
		needShell(t)
		h.given(t, "human:lee", "attest", in{"id": about, "check": "1", "pass": true})
		return in{"id": about, "to": "done"}
	}},
	{"close that ends a session", "transition", "human:lee", begun(func(string) in { return in{"id": about, "to": "canceled", "reason": "no longer wanted"} })},
	{"run_checks", "run_checks", "agent:a", func(t *testing.T, _ *house) in {
		needShell(t)
		return in{"id": about}
	}},
	{"attest", "attest", "human:lee", nothing(in{"check": "it reads well", "pass": true})},
	{"review_apply that approves", "review_apply", "human:lee", nothing(in{"action": "approve", "text": "it holds"})},
	{"review_apply that rejects", "review_apply", "human:lee", nothing(in{"action": "reject", "text": "it does not hold"})},
	{"note", "note", "agent:a", nothing(in{"text": "worth remembering"})},
	{"note on a session", "note", "agent:a", begun(func(ses string) in { return in{"id": ses, "text": "half way"} })},
	{"ref_add", "ref_add", "agent:a", nothing(in{"type": "link", "url": "https://example.com/"})},
	{"ref_add of a file", "ref_add", "agent:a", func(t *testing.T, h *house) in {
		must(t, os.WriteFile(filepath.Join(h.root, "report.txt"), []byte("all is well\n"), 0o644))
		return in{"id": about, "type": "file", "path": "report.txt"}
	}},
	{"ref_update", "ref_update", "agent:a", referring(in{"title": "how others do it"})},
	{"ref_remove", "ref_remove", "agent:a", referring(nil)},
	{"note on a task at rest", "note", "agent:a", atRest(in{"text": "worth remembering"})},
	{"transition of a task at rest", "transition", "human:lee", atRest(in{"to": "canceled", "reason": "no longer wanted"})},
	{"delete of a task at rest", "delete", "human:lee", atRest(nil)},
	{"risk_create", "risk_create", "agent:a", func(*testing.T, *house) in {
		return in{"title": "It rains", "likelihood": "high", "body": "All gets wet."}
	}},
	{"note on a record of another kind", "note", "agent:a", aRisk(in{"text": "worth remembering"})},
	{"risk_close", "risk_close", "agent:a", aRisk(in{"as": "mitigated", "reason": "there is a roof"})},
	{"decision_log", "decision_log", "agent:a", func(*testing.T, *house) in {
		return in{"title": "Locks", "choice": "A file lock", "scope": []string{"src/**"}, "about": []string{about}, "rationale": "It is simple."}
	}},
	{"decision_set_status", "decision_set_status", "human:lee", aDecision(in{"status": "accepted", "reason": "measured"})},
	{"note on a decision", "note", "agent:a", aDecision(in{"text": "worth remembering"})},
	{"knowledge_write", "knowledge_write", "agent:a", func(*testing.T, *house) in {
		return in{"title": "Locks", "body": "They hold.", "labels": []string{"locks"}, "about": []string{about}}
	}},
	{"change of a note of knowledge", "knowledge_write", "agent:a", func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "knowledge_write", in{"title": "Locks", "body": "They hold."})
		return in{"id": out.(knowledge.Note).ID, "body": "They do not."}
	}},
	{"milestone_add", "milestone_add", "agent:a", func(*testing.T, *house) in { return in{"title": "Open the shop", "due": "2026-08-01"} }},
	{"milestone_set", "milestone_set", "agent:a", func(t *testing.T, h *house) in {
		out := h.given(t, "agent:a", "milestone_add", in{"title": "Open the shop"})
		return in{"id": out.(verb.Record).ID, "status": "reached"}
	}},
	{"update of several tasks", "update", "human:lee", func(t *testing.T, h *house) in {
		out := h.given(t, "human:lee", "create", in{"title": "Another"})
		return in{"ids": []string{about, string(out.(verb.Task).ID)}, "labels": []string{"both"}}
	}},
	{"begin", "begin", "agent:a", nothing(in{"expected_actor": "agent:a"})},
	{"begin that takes over from a session that stalled", "begin", "agent:b", begun(func(string) in {
		return in{"id": about, "expected_actor": "agent:b", "takeover": true}
	})},
	{"heartbeat", "heartbeat", "agent:a", begun(func(ses string) in { return in{"session": ses, "progress": "half way"} })},
	{"finish", "finish", "agent:a", begun(func(ses string) in { return in{"session": ses, "summary": "it works"} })},
	{"feedback_create", "feedback_create", "agent:a", func(*testing.T, *house) in {
		return in{"title": "It is slow", "body": "A list took a minute.", "fingerprint": "slow"}
	}},
	{"skill_upsert", "skill_upsert", "agent:a", func(*testing.T, *house) in {
		return in{"id": "review", "description": "How changes are reviewed.", "body": "Read the tests first."}
	}},
	{"skill_upsert of a skill that is there", "skill_upsert", "agent:a", func(t *testing.T, h *house) in {
		h.given(t, "agent:a", "skill_upsert", in{"id": "review", "description": "How changes are reviewed.", "body": "Read the tests first."})
		return in{"id": "review", "body": "Read the issue first.", "expected_version": 1}
	}},
	{"handoff_create", "handoff_create", "agent:a", func(*testing.T, *house) in {
		return in{"title": "Which color?", "to": []string{"human:lee"}, "options": []string{"red", "blue"}, "fingerprint": "color", "about": []string{about}}
	}},
	{"handoff_claim", "handoff_claim", "agent:a", aHandoff(in{})},
	{"release of a handoff", "release", "agent:a", aHandoff(in{"reason": "not today"}, "handoff_claim")},
	{"handoff_respond", "handoff_respond", "agent:a", aHandoff(in{"option": "red", "text": "as always"}, "handoff_claim")},
	{"handoff_resolve", "handoff_resolve", "human:lee", aHandoff(in{"note": "thanks"}, "handoff_claim")},
	{"inbox that acknowledges", "inbox", "agent:a", func(t *testing.T, h *house) in {
		id := aHandoff(in{}, "handoff_claim")(t, h)["id"].(string)
		return in{"ack": []string{id}}
	}},
	{"register", "register", "agent:a", func(*testing.T, *house) in { return in{"actor": "me", "group": "reviewers"} }},
	{"register again", "register", "agent:a", func(t *testing.T, h *house) in {
		h.given(t, "agent:a", "register", in{"actor": "me", "group": "reviewers"})
		return in{"actor": "me", "role": "reads changes"}
	}},
	{"cancel", "cancel", "agent:a", begun(func(ses string) in { return in{"session": ses, "reason": "too hard"} })},
}

// untried are the verbs that write, and make no write of a workspace that is there, or the write of another verb.
var untried = map[string]string{
	"worktree_remove": "it writes no record: what a kill leaves of a work tree and of its record is tried in internal/work/worktree",
	"pair_open":       "its writes are those of begin, release and transition; the work tree is git's",
	"pair_close":      "its writes are those of finish and cancel",
	"project_create":  "it makes what init makes: files that each appear whole, and that another call completes",
	"land":            "what it merges and what it sends back is tried where it is, with kills at random moments",
	"review_sync":     "it changes a reference as ref_update does",
	"remote_probe":    "it writes no record: what is cut short at a git remote is tried in store/remote",
	"remote_sync":     "it writes no record: what is cut short at a git remote is tried in store/remote",
	"job_start":       "a job is a folder and no record: what a kill leaves of one is tried in internal/work/jobs, and of its task it makes what create makes",
	"take":            "it puts whole files, as restore does, of several tasks in one write, as plan does",
	"revert":          "it writes what update, delete and restore write, of several tasks in one write",
	"ask":             "it writes what cancel and handoff_create write, in one write",
	"job_say":         "its note is tried as note is, and its words are one file that is replaced whole",
	"job_discard":     "what a kill leaves of a work tree is tried in internal/work/worktree, and what the task loses is live state",
	"job_cancel":      "it leaves one file, which whoever looks next acts on: internal/work/jobs tries it",
}

// A verb that writes and is not tried here promises more than anybody knows.
func TestEveryVerbThatWritesHasAStory(t *testing.T) {
	for _, v := range catalogue.All {
		covered := slices.ContainsFunc(stories, func(s story) bool { return s.verb == v.Name })
		if v.Kind >= verb.Write && !covered && untried[v.Name] == "" {
			t.Errorf("%s has no story", v.Name)
		}
	}
}
