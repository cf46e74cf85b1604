package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// refusalCase is a call that is refused, and what the refusal must lead to.
type refusalCase struct {
	name    string
	from    string // the function that names the next call
	code    record.Code
	next    string
	provoke func(*fixture) (*mcp.ClientSession, string, object)
}

var refusalCases = []refusalCase{
	{"an id that names no task", "verb.setName", record.InvalidInput, "list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "get", object{"id": "../PROJ-1"}
	}},
	{"an id that names no session", "verb.setName", record.InvalidInput, "list_sessions", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "get_session", object{"session": "../ses-1"}
	}},
	{"an id that names no job", "job.ParseID", record.InvalidInput, "job_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "job_poll", object{"job": "../job-1"}
	}},
	{"a job that is not there", "jobs.notFound", record.JobNotFound, "job_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "job_poll", object{"job": "job-404"}
	}},
	{"a task in place of its job", "jobs.Get", record.JobNotFound, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, one := s.job()
		return cs, "job_poll", object{"job": one.Task}
	}},
	{"a task whose work is in its work tree", "verb.OfJob", record.Elsewhere, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		s.worked(dir)
		s.handOver(id)
		return s.person(), "transition", object{"id": id, "to": "done"}
	}},
	{"a job that has ended", "jobs.terminal", record.AlreadyTerminal, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, one := s.job()
		does[jobs.Job](s.T, cs, "job_cancel", object{"job": one.Job})
		return cs, "job_cancel", object{"job": one.Job}
	}},
	{"a task for a pair", "jobs.mayWork", record.TaskTypeMismatch, "pair_open", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, _ := s.job()
		return cs, "job_start", object{"id": s.create(object{"mode": "pair"}), "executor": "mine"}
	}},
	{"a task that a job works on", "jobs.worksAlready", record.AlreadyClaimed, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, one := s.job()
		return cs, "job_start", object{"id": one.Task, "executor": "mine"}
	}},
	{"a task that is not there", "kind.NotFound", record.NotFound, "list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "get", object{"id": "PROJ-404"}
	}},
	{"a session that is not there", "kind.NotFound", record.NotFound, "list_sessions", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "get_session", object{"session": "ses-404"}
	}},
	{"a proposal that was made real before", "proposals.pending", record.Conflict, "list", func(s *fixture) (*mcp.ClientSession, string, object) {
		made := does[proposals.Proposal](s.T, s.agent(), "propose", object{"summary": "A plan", "tasks": []object{{"title": "A task"}}})
		does[proposals.PlanOut](s.T, s.person(), "plan", object{"proposal": made.Proposal})
		return s.person(), "plan", object{"proposal": made.Proposal}
	}},
	{"a proposal without tasks", "proposals.storedItems", record.InvalidInput, "get_proposal", func(s *fixture) (*mcp.ClientSession, string, object) {
		made := does[proposals.Proposal](s.T, s.agent(), "propose", object{"summary": "A plan", "tasks": []object{{"title": "A task"}}})
		path := filepath.Join(s.w.Dir, filepath.FromSlash(made.Path))
		text := "id: " + made.Proposal + "\nsummary: A plan\ntasks: []\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
		return s.person(), "plan", object{"proposal": made.Proposal}
	}},
	{"a project that was never opened", "projects.Find", record.NotFound, "project_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "project_open", object{"project": "nowhere"}
	}},
	{"a repository that is not in the list", "tasks.knownRepo", record.InvalidInput, "repo_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "create", object{"title": "x", "repo": "nowhere"}
	}},
	{"a repository that nobody knows", "projects.LinkRepo", record.NotFound, "repo_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "repo_link", object{"name": "nowhere", "role": "docs"}
	}},
	{"a mode in place of a state", "tasks.modeInStatus", record.TaskTypeInStatus, "update", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "transition", object{"id": s.create(nil), "to": "PAIR"}
	}},
	{"a branch that is closed by its merge", "gates.byMerge", record.MergeRequired, "review_apply", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		s.worked(dir)
		s.configure("close_by: merge\n")
		return s.person(), "transition", object{"id": id, "to": "done"}
	}},
	{"a pair on whose task a job works", "pairs.noJob", record.Busy, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, one := s.job()
		return cs, "pair_close", object{"id": one.Task}
	}},
	{"a pair beside a job", "pairs.noJob", record.AlreadyClaimed, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		cs, one := s.job()
		return cs, "pair_open", object{"id": one.Task}
	}},
	{"a second pair", "pairs.Open", record.SessionLive, "pair_read", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, _ := s.tree(nil)
		return s.agent(), "pair_open", object{"id": id, "reuse": false}
	}},
	{"a project whose folder is gone", "projects.OpenProject", record.NotFound, "project_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		dir := filepath.Join(s.TempDir(), "shop")
		if err := os.Mkdir(dir, 0o755); err != nil {
			s.Fatal(err)
		}
		does[object](s.T, s.person(), "project_create", object{"path": dir})
		if err := os.RemoveAll(dir); err != nil {
			s.Fatal(err)
		}
		return s.person(), "project_open", object{"project": dir}
	}},
	{"a task without a branch to rebase", "review.branched", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.prepare()
		return s.person(), "review_apply", object{"id": s.create(nil), "action": "rebase"}
	}},
	{"a merge of what is not committed", "review.committed", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		writeFile(s, filepath.Join(dir, "half.txt"), "half\n")
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"a merge of what was given up", "review.prepare", record.TaskClosed, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		s.worked(dir)
		does[verb.Task](s.T, s.in(dir), "transition", object{"id": id, "to": "canceled"})
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"a merge of a branch that weakens a check", "review.sound", record.ChecksFailed, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(object{"checks": []object{{"desc": "holds", "cmd": "test -e nothing"}}})
		path := filepath.Join(dir, ".cairn", "tasks", string(id)+".md")
		writeFile(s, path, strings.Replace(readFile(s.T, path), "test -e nothing", "test -e .", 1))
		verbtest.ApproveAll(s, s.w.At(dir))
		s.commit() // the consent lies in the workspace here
		s.worked(dir)
		s.handOver(id)
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"a merge whose set-up fails", "review.setUp", record.ChecksFailed, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(object{"checks": []object{{"desc": "holds", "cmd": "true"}}})
		s.worked(dir)
		s.handOver(id)
		s.configure("worktree_setup: exit 1\n")
		verbtest.ApproveAll(s, &s.w)
		s.commit()
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"a merge during which the branch goes on", "review.unmoved", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(object{"checks": []object{{"desc": "goes on", "cmd": `git -C "$(cat "$(git rev-parse --git-common-dir)/of-the-test")" -c user.name=L -c user.email=l@example.com commit -q --allow-empty -m more`}}})
		writeFile(s, filepath.Join(s.w.Dir, ".git", "of-the-test"), dir)
		s.worked(dir)
		s.handOver(id)
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"a task without a pull request", "review.syncOne", record.NotFound, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.prepare()
		return s.person(), "review_sync", object{"id": s.create(nil)}
	}},
	{"a merge of what a job works on", "review.idle", record.Busy, "job_poll", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		s.worked(dir)
		does[object](s.T, s.agent(), "pair_close", object{"id": id})
		cs := s.jobs()
		does[jobs.Job](s.T, cs, "job_start", object{"id": id, "executor": "mine"})
		return s.person(), "review_apply", object{"id": id, "action": "merge"}
	}},
	{"files in a repository that nobody knows", "store.Files", record.InvalidInput, "repo_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "run_checks", object{"id": s.inRepo("nowhere")}
	}},
	{"files in a repository that is not here", "store.repoLayout", record.InvalidInput, "repo_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.configure("repos:\n  - name: far\n    url: https://example.com/far.git\n")
		return s.agent(), "run_checks", object{"id": s.inRepo("far")}
	}},
	{"a repository that has no name", "task.ValidRepo", record.InvalidInput, "repo_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "create", object{"title": "x", "repo": "../up"}
	}},
	{"the diff of no branch", "trees.diffUntold", record.NotFound, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.prepare()
		return s.agent(), "get", object{"id": s.create(nil), "part": "diff"}
	}},
	{"a work tree that is not recorded", "worktree.Remove", record.NotFound, "worktree_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.prepare()
		return s.agent(), "worktree_remove", object{"id": s.create(nil)}
	}},
	{"a work tree that was moved", "worktree.verified", record.Conflict, "worktree_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		if err := os.Rename(dir, dir+"-moved"); err != nil {
			s.Fatal(err)
		}
		return s.person(), "review_apply", object{"id": id, "action": "rebase"}
	}},
	{"a work tree with work in it", "worktree.stays", record.Conflict, "worktree_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, dir := s.tree(nil)
		writeFile(s, filepath.Join(dir, "half.txt"), "half\n")
		return s.person(), "worktree_remove", object{"id": id}
	}},
	{"a setting that does not exist", "kind.Set", record.InvalidInput, "settings_get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "settings_set", object{"key": "no_such_key", "value": "1"}
	}},
	{"a skill that is there no more", "skills.conflict", record.Conflict, "skill_list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.person(), "skill_upsert", object{"id": "review", "body": "x", "expected_version": 2}
	}},
	{"a skill that has another version", "skills.conflict", record.Conflict, "skill_get", func(s *fixture) (*mcp.ClientSession, string, object) {
		does[skills.Skill](s.T, s.person(), "skill_upsert", object{"id": "review", "description": "x", "body": "x"})
		return s.person(), "skill_upsert", object{"id": "review", "body": "y", "expected_version": 2}
	}},
	{"an actor who is somebody else", "directory.resolve", record.Conflict, "directory", func(s *fixture) (*mcp.ClientSession, string, object) {
		does[verb.Record](s.T, s.person(), "register", object{"actor": "agent:b", "external_ref": "b@example.org"})
		return s.person(), "register", object{"actor": "agent:b", "external_ref": "c@example.org"}
	}},
	{"an actor that is not the caller", "sessions.mayBegin", record.IdentityMismatch, "identity", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "begin", object{"id": s.create(nil), "expected_actor": "agent:other", "idempotency_key": "1"}
	}},
	{"a sum of no session", "sessions.Summary", record.InvalidInput, "list_sessions", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "session_summary", object{}
	}},
	{"a parent that is not there", "sessions.parentThere", record.InvalidInput, "list_sessions", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "begin", object{"id": s.create(nil), "expected_actor": "agent:claude-1", "idempotency_key": "1", "parent": "ses-gone"}
	}},
	{"a session in the environment that is not there", "verb.sessionKnown", record.InvalidInput, "list_sessions", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, w := s.create(nil), s.w
		w.Session = "ses-gone"
		return connect(s.T, w), "note", object{"id": id, "text": "hello"}
	}},
	{"an open dependency taken away after work began", "task.mayDropDeps", record.Forbidden, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		first := s.create(nil)
		id := s.create(nil)
		s.begin(s.agent(), id)
		does[verb.Task](s.T, s.agent(), "update", object{"id": id, "add_deps": []record.ID{first}})
		return s.agent(), "update", object{"id": id, "remove_deps": []record.ID{first}, "reason": "slow"}
	}},
	{"a decision to supersede that is not there", "ledger.validSuccession", record.NotFound, "decision_query", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "decision_log", object{"title": "Cards", "choice": "none", "supersedes": "DEC-404"}
	}},
	{"a decision that is not moved by update", "kind.Move", record.InvalidInput, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		made := does[verb.Record](s.T, s.agent(), "decision_log", object{"title": "Cards", "choice": "none"})
		return s.agent(), "update", object{"id": made.ID, "to": "accepted"}
	}},
	{"a page of the manual that is not there", "guide.Text", record.NotFound, "guide", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "guide", object{"topic": "cooking"}
	}},
	{"an item that is in no inbox", "handoffs.valid", record.InvalidInput, "inbox", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "inbox", object{"ack": []string{"nothing"}}
	}},
	{"a delta that was never shown", "identity.seen", record.InvalidInput, "identity", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "identity", object{"ack": "nothing"}
	}},
	{"a handoff that is for others", "ledger.mayAct", record.Forbidden, "inbox", func(s *fixture) (*mcp.ClientSession, string, object) {
		made := does[verb.Record](s.T, s.person(), "handoff_create", object{"to": []string{"agent:other"}, "title": "Look at it"})
		return s.agent(), "handoff_respond", object{"id": made.ID, "text": "I will"}
	}},
	{"an entry to answer that is not there", "tasks.answers", record.NotFound, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "note", object{"id": s.create(nil), "text": "yes", "re": "01234567"}
	}},
	{"another revision of a decision than expected", "verb.Moved", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		made := does[verb.Record](s.T, s.agent(), "decision_log", object{"title": "Cards", "choice": "none"})
		return s.agent(), "decision_set_status", object{"id": made.ID, "status": "rejected", "expected_rev": "0123456789abcdef"}
	}},
	{"another state than expected", "verb.Moved", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "update", object{"id": s.create(nil), "title": "Mine", "expected_status": "done"}
	}},
	{"another revision than expected", "verb.Moved", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "update", object{"id": s.create(nil), "title": "Mine", "expected_rev": "0123456789abcdef"}
	}},
	{"a task that moved while its checks ran", "gates.stillHolds", record.Conflict, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(object{"checks": []object{{"desc": "moves it", "cmd": "for f in .cairn/tasks/*; do sed 's/^status: backlog/status: in_progress/' $f >moved; cp moved $f; done"}}})
		return s.agent(), "transition", object{"id": id, "to": "done"}
	}},
	{"a second session of one's own", "sessions.noSecond", record.SessionLive, "get_session", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		s.begin(s.agent(), id)
		return s.agent(), "begin", object{"id": id, "expected_actor": "agent:claude-1", "idempotency_key": "2"}
	}},
	{"a release under one's own session", "verb.MayEndSession", record.SessionLive, "get_session", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		s.begin(s.agent(), id)
		return s.agent(), "release", object{"id": id}
	}},
	{"the deletion of what is worked on", "tasks.mayDelete", record.SessionLive, "get_session", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		s.begin(s.agent(), id)
		return s.person(), "delete", object{"id": id}
	}},
	{"the deletion of what is needed", "task.Delete", record.HasDependents, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		s.create(object{"deps": []record.ID{id}})
		return s.person(), "delete", object{"id": id}
	}},
	{"a task out of scope", "verb.InScope", record.OutOfScope, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		scoped := s.as("agent:claude-1", verb.Rights{Profile: verb.Operator, Scope: s.create(nil)})
		return scoped, "note", object{"id": s.create(nil), "text": "not mine"}
	}},
	{"a command that is attested", "task.verdict", record.InvalidInput, "run_checks", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "attest", object{"id": s.create(object{"checks": []object{{"desc": "runs", "cmd": "true"}}}), "check": "0", "pass": true}
	}},
	{"a check that the task does not have", "task.FindCheck", record.InvalidInput, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "attest", object{"id": s.create(nil), "check": "no such check", "pass": true}
	}},
	{"a task that waits", "task.DepsGate", record.DepsOpen, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "transition", object{"id": s.create(object{"deps": []record.ID{s.create(nil)}}), "to": "in_progress"}
	}},
	{"a task that waits for what is not there", "task.DepsGate", record.DepsOpen, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		writeFile(s, s.file(s.w, "tasks", "PROJ-1.md"), "---\nid: PROJ-1\ntitle: Waits\nstatus: backlog\ndeps: [PROJ-404]\n---\n")
		return s.agent(), "transition", object{"id": "PROJ-1", "to": "in_progress"}
	}},
	{"a check that fails", "task.sayWhatHelps", record.ChecksFailed, "run_checks", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "transition", object{"id": s.create(object{"checks": []object{{"desc": "fails", "cmd": "false"}}}), "to": "done"}
	}},
	{"a check that was never seen to fail", "task.redGate", record.NeverRed, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		config := filepath.Join(s.w.Dir, ".cairn", "config.yaml")
		writeFile(s, config, readFile(s.T, config)+"red: require\n")
		id := s.create(object{"checks": []object{{"desc": "passes", "cmd": "true"}}})
		s.commit()
		does[verb.Task](s.T, s.agent(), "start", object{"id": id})
		return s.agent(), "transition", object{"id": id, "to": "done"}
	}},
	{"a check that passes on a bent script", "task.guardsGate", record.GuardsChanged, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		writeFile(s, filepath.Join(s.w.Dir, "test.sh"), "exit 1\n")
		id := s.create(object{"checks": []object{{"desc": "passes", "cmd": "sh test.sh"}}})
		s.commit()
		does[verb.Task](s.T, s.agent(), "start", object{"id": id})
		writeFile(s, filepath.Join(s.w.Dir, "test.sh"), "exit 0\n")
		return s.agent(), "transition", object{"id": id, "to": "done"}
	}},
	{"a check that the caller settles", "task.sayWhatHelps", record.ChecksPending, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "transition", object{"id": s.create(object{"acceptance": "it reads well"}), "to": "done"}
	}},
	{"a check that the caller would settle, had it the tool", "task.sayWhatHelps", record.ChecksPending, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		core := s.as("agent:claude-1", verb.Rights{Profile: verb.Operator, Toolsets: []verb.Toolset{verb.Core}})
		return core, "transition", object{"id": s.create(object{"acceptance": "it reads well"}), "to": "done"}
	}},
	{"a check that a person settles", "task.sayWhatHelps", record.ChecksPending, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "transition", object{"id": s.create(object{"checks": []object{{"desc": "read", "type": "manual"}}}), "to": "done"}
	}},
	{"a task about files that another is at work on", "verb.refuseCollision", record.Collides, "wait", func(s *fixture) (*mcp.ClientSession, string, object) {
		one, two := s.create(object{"scope": []string{"src/**"}}), s.create(object{"scope": []string{"src/a.go"}})
		does[verb.Task](s.T, s.person(), "claim", object{"id": one})
		return s.agent(), "claim", object{"id": two}
	}},
	{"a task that another holds", "session.Refuse", record.AlreadyClaimed, "wait", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, _ := s.create(nil), s.create(nil)
		does[verb.Task](s.T, s.person(), "claim", object{"id": id})
		return s.agent(), "claim", object{"id": id}
	}},
	{"a task that another worktree carried further", "session.Refuse", record.Elsewhere, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		does[verb.Task](s.T, connect(s.T, s.worktree()), "transition", object{"id": id, "to": "in_review"})
		return s.agent(), "claim", object{"id": id}
	}},
	{"a task that another branch carried further", "session.Refuse", record.Elsewhere, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		s.commit()
		git(s, s.w.Dir, "switch", "-qc", "feature")
		does[verb.Task](s.T, s.agent(), "transition", object{"id": id, "to": "in_review"})
		s.commit()
		git(s, s.w.Dir, "switch", "-q", "main")
		return s.agent(), "claim", object{"id": id}
	}},
	{"a task of another branch", "verb.OffersTake", record.NotFound, "take", func(s *fixture) (*mcp.ClientSession, string, object) {
		s.commit()
		git(s, s.w.Dir, "switch", "-qc", "feature")
		id := s.create(nil)
		s.commit()
		git(s, s.w.Dir, "switch", "-q", "main")
		return s.agent(), "note", object{"id": id, "text": "here"}
	}},
	{"a task that no branch has", "tasks.otherOf", record.NotFound, "list", func(s *fixture) (*mcp.ClientSession, string, object) {
		return s.agent(), "take", object{"id": "PROJ-404"}
	}},
	{"a session that is over", "session.Usable", record.SessionEnded, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		ses := s.begin(s.agent(), s.create(nil))
		does[verb.Session](s.T, s.agent(), "finish", object{"session": ses.ID, "summary": "done"})
		return s.agent(), "heartbeat", object{"session": ses.ID, "progress": "more"}
	}},
	{"a session at work in another worktree", "session.Held", record.AlreadyClaimed, "wait", func(s *fixture) (*mcp.ClientSession, string, object) {
		id, there := s.create(nil), s.worktree()
		s.create(nil)
		ses := s.begin(connect(s.T, there), id)
		if err := os.MkdirAll(s.file(s.w, "sessions", ""), 0o755); err != nil {
			s.Fatal(err)
		}
		writeFile(s, s.file(s.w, "sessions", ses.ID+".yaml"), readFile(s.T, s.file(there, "sessions", ses.ID+".yaml")))
		writeFile(s, s.file(s.w, "tasks", string(id)+".md"), readFile(s.T, s.file(there, "tasks", string(id)+".md")))
		return s.agent(), "heartbeat", object{"session": ses.ID, "progress": "more"}
	}},
	{"a claim that git took away", "session.Yielded", record.ClaimLost, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		before := readFile(s.T, s.file(s.w, "tasks", string(id)+".md"))
		does[verb.Task](s.T, s.agent(), "claim", object{"id": id})
		writeFile(s, s.file(s.w, "tasks", string(id)+".md"), before)
		return s.agent(), "transition", object{"id": id, "to": "in_progress"}
	}},
	{"a claim that the git remote gave to another clone", "session.Lost", record.ClaimLost, "get", func(s *fixture) (*mcp.ClientSession, string, object) {
		id := s.create(nil)
		there := s.otherClone()
		does[verb.Task](s.T, s.agent(), "claim", object{"id": id})
		there.Actor = verb.As("human:eve")
		does[verb.Task](s.T, connect(s.T, there), "claim", object{"id": id, "takeover": true})
		_, _ = verbtest.CallAny(s.T, &s.w, "remote_sync", verbtest.Args{}) // says so too
		return s.agent(), "transition", object{"id": id, "to": "in_progress"}
	}},
	{"checks that take long", "mcpserver.comeBack", record.ChecksRunning, "run_checks", func(s *fixture) (*mcp.ClientSession, string, object) {
		server := newServer(s.w, slog.New(slog.DiscardHandler))
		server.SetPatience(time.Nanosecond)
		return connectTo(s, server, "", nil), "run_checks", object{"id": s.create(object{"checks": []object{{"desc": "slow", "cmd": "sleep 0.1"}}})}
	}},
}

// harmlessNext are the verbs that a refusal may lead to: they read, they run what the task itself says is to be run, or
// they say something. Not one of them makes a refusal go away by itself. A call that goes on in the server may be made
// again.
var harmlessNext = []string{"decision_query", "directory", "get", "get_proposal", "get_session", "guide", "identity", "inbox", "job_list", "job_poll", "list", "list_sessions", "note", "pair_open", "pair_read", "project_list", "repo_list", "run_checks", "settings_get", "skill_get", "skill_list", "wait", "worktree_list", computed}

// meantNext are the verbs that a refusal may lead to because they are the right way to what the refused call was meant
// to do.
var meantNext = []string{"review_apply", "take", "update"}

// keys are the arguments with which a call would settle, take over, give up or close something.
var keys = []string{"pass", "takeover", "reason", "text", "to", "checks", "remove_deps", "acceptance", "assignee", "value"}

// unusable are the codes of calls that should not have been named.
var unusable = []record.Code{record.InvalidInput, record.NotFound, record.Forbidden, record.OutOfScope, record.ReadOnly}

// A refusal names a call that the caller can make as it stands: it is understood, is allowed, and is about what is
// there. An agent that makes each call that a refusal names, and nothing else, settles nothing by that: no task is
// closed, started, released or taken over, no check is attested, and nothing is weakened.
func TestSlowNextCalls(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the checks are POSIX shell")
	}
	for _, tt := range refusalCases {
		t.Run(tt.name, func(t *testing.T) {
			s := newFixture(t)
			cs, tool, args := tt.provoke(s)
			no := refused(t, cs, tt.code, tool, args)
			if no.NextTool != tt.next {
				t.Fatalf("the next tool is %q, want %q", no.NextTool, tt.next)
			}
			if !slices.Contains(offered(t, cs), no.NextTool) {
				t.Errorf("the caller has no tool %s", no.NextTool)
			}
			for _, key := range keys {
				if value, there := no.NextArguments[key]; there {
					t.Errorf("the next call comes with %s: %v", key, value)
				}
			}
			before := s.settled()
			steps := 0
			for ; no.NextTool != "" && steps < 10; steps++ {
				answer, isError := call(t, cs, no.NextTool, no.NextArguments)
				if !isError {
					break
				}
				no = as[catalogue.Failure](t, answer).Error
				if steps == 0 && slices.Contains(unusable, no.Code) {
					t.Errorf("the next call fails: %v", answer)
				}
			}
			if after := s.settled(); !maps.Equal(before, after) && !slices.Contains(meantNext, tt.next) {
				t.Errorf("after %d steps, the last to %s:\n%v\nbefore:\n%v", steps+1, no.NextTool, after, before)
			}
		})
	}
}

// settled is what is decided about each task: where it stands, who holds it, what it must pass and wait for, and which
// manual checks have a verdict.
func (s *fixture) settled() map[record.ID]string {
	s.Helper()
	at, err := s.w.Open()
	if err != nil {
		s.Fatal(err)
	}
	all, _, err := kind.Tasks.List(s.Context(), at)
	if err != nil {
		s.Fatal(err)
	}
	out := map[record.ID]string{}
	for _, t := range all {
		says := fmt.Sprint(t.Status, t.Assignee, t.Deps, t.CheckHashes())
		for _, c := range t.Checks {
			if c.Manual() {
				says += fmt.Sprint(c.Desc, c.Result)
			}
		}
		for _, e := range t.Provenance {
			if e.Did != record.Checked && e.Did != record.Noted {
				says += fmt.Sprint(e.Did, e.Who)
			}
		}
		out[t.ID] = says
	}
	return out
}

// Every place in the code that names a next call has a case above, and every case its place.
func TestEveryNextCallIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range refusalCases {
		tried[c.from+" "+c.next] = true
		tried[c.from+" "+computed] = true
	}
	named := map[string]bool{}
	for _, place := range nextCalls(t) {
		named[place] = true
		if _, verbName, _ := strings.Cut(place, " "); !slices.Contains(harmlessNext, verbName) && !slices.Contains(meantNext, verbName) {
			t.Errorf("%s: is that call harmless to a caller who makes it without reading it?", place)
		}
		if !tried[place] {
			t.Errorf("no case for %s", place)
		}
	}
	for _, c := range refusalCases {
		if !named[c.from+" "+c.next] && !named[c.from+" "+computed] {
			t.Errorf("%s: %s names no %s", c.name, c.from, c.next)
		}
	}
}

// computed stands for a verb that is no literal.
const computed = "?"

// nextCalls returns what the source names as next calls, each as package.function and the verb: by WithNext, and by a
// hint without WithNext that holds one call, which has all that its verb requires and is not for a person.
func nextCalls(t *testing.T) []string {
	found, named := map[string]bool{}, map[ast.Node]bool{}
	eachCall(t, []string{"WithNext"}, func(place string, call *ast.CallExpr) {
		found[place+" "+verbOf(call.Args[0])] = true
		ast.Inspect(call.Fun, func(n ast.Node) bool { named[n] = true; return true })
	})
	eachCall(t, []string{"WithHint"}, func(place string, call *ast.CallExpr) {
		if verbs := callsIn(call); !named[call] && len(verbs) == 1 && verbs[0] != "" {
			found[place+" "+verbs[0]] = true
		}
	})
	return slices.Sorted(maps.Keys(found))
}

// callsIn returns the verbs of the calls that a hint makes: "" for one that is no next call.
func callsIn(hint *ast.CallExpr) []string {
	var verbs []string
	person := map[ast.Node]bool{}
	ast.Inspect(hint, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch nameOf(call) {
		case "ByPerson", "OnlyShown":
			person[call.Fun.(*ast.SelectorExpr).X] = true
		case "CallTo":
			name := literal(call.Args[0])
			v, ok := catalogue.Named(name)
			ok = ok || name == computed
			for _, f := range v.Fields() {
				ok = ok && (!f.Required || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return literal(arg) == f.Name }))
			}
			if !ok || person[call] {
				name = ""
			}
			if !person[call] {
				verbs = append(verbs, name)
			}
		}
		return true
	})
	return verbs
}

// verbOf returns the verb of a call that the source makes with CallTo, or computed.
func verbOf(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && nameOf(call) == "CallTo" {
		return literal(call.Args[0])
	}
	return computed
}

// nameOf returns the name of the function or method that is called, without its package.
func nameOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// handedOut are flags and arguments that lift a refusal without any work. A hint names none of them, but that what has
// lapsed may be taken over.
var handedOut = []string{"--pass", "pass: true", "--yes", "--no-base", "--remove-dep", "--takeover", "takeover", "--i-trust", "--force",
	"--actor", "CAIRN_ACTOR", "rules:", "--no-"}

// A hint names no way around what was refused.
func TestNoHintHandsOutItsKey(t *testing.T) {
	hints := 0
	eachCall(t, []string{"WithHint"}, func(place string, call *ast.CallExpr) {
		hint := literal(call.Args[0])
		hints++
		if place == "session.Refuse" && strings.HasPrefix(hint, "take it over with takeover: true") ||
			place == "cmd.run" && strings.HasPrefix(hint, "cairn serve --actor agent:NAME") {
			return // the claim has lapsed, and taking it over is recorded; a server has no actor of its own
		}
		if place == "snapshot.hidden" && strings.HasPrefix(hint, "git update-index --no-") {
			return // it has git look at the files again
		}
		for _, key := range handedOut {
			if strings.Contains(hint, key) {
				t.Errorf("%s hands out %s: %q", place, key, hint)
			}
		}
	})
	if hints < 100 {
		t.Errorf("%d hints are looked at", hints)
	}
}

// eachCall visits the calls of methods in the source, each with the function that it is in.
func eachCall(t *testing.T, methods []string, visit func(place string, call *ast.CallExpr)) {
	t.Helper()
	calls := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if method, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(methods, method.Sel.Name) {
					calls++
					visit(file.Name.Name+"."+f.Name.Name, call)
				}
				return true
			})
		}
		return nil
	})
	if err != nil || calls == 0 {
		t.Fatalf("%v are not called (%v)", methods, err)
	}
}

// literal is the text of a literal.
func literal(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		if text, err := strconv.Unquote(lit.Value); err == nil {
			return text
		}
	}
	return computed
}

func offered(t *testing.T, cs *mcp.ClientSession) []string {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return namesOf(list.Tools)
}

// An answer leads to no tool that the server does not offer.
func TestAnswersLeadToOfferedTools(t *testing.T) {
	long := jobs.Job{NextTool: "job_poll", NextArguments: object{"wait": true}}
	for _, out := range []any{verb.Short{ID: "PROJ-1", NextTool: "job_poll"}, long, long.Short(verb.Verb{})} {
		for _, offered := range []bool{true, false} {
			left, err := json.Marshal(verb.Leading(out, func(name string) bool { return offered && name == "job_poll" }))
			if err != nil || strings.Contains(string(left), "next_") != offered {
				t.Errorf("%T, offered %v: %s, %v", out, offered, left, err)
			}
		}
	}
}

// fixture is a workspace with an agent and a person in it.
type fixture struct {
	*testing.T
	w verb.Workspace
}

func newFixture(t *testing.T) *fixture { return &fixture{t, newWorkspace(t)} }

func (s *fixture) agent() *mcp.ClientSession { return connect(s.T, s.w) }

func (s *fixture) person() *mcp.ClientSession {
	return s.as("human:shah", verb.Rights{Profile: verb.Maintainer})
}

func (s *fixture) as(who record.Actor, rights verb.Rights) *mcp.ClientSession {
	w := s.w
	w.Actor, w.Rights = verb.As(who), rights
	return connect(s.T, w)
}

func (s *fixture) create(args object) record.ID {
	s.Helper()
	with := object{"title": "A task"}
	maps.Copy(with, args)
	return does[verb.Task](s.T, s.agent(), "create", with).ID
}

func (s *fixture) begin(cs *mcp.ClientSession, id record.ID) verb.Session {
	s.Helper()
	return does[verb.Session](s.T, cs, "begin", object{"id": id, "expected_actor": "agent:claude-1", "idempotency_key": "1"})
}

// prepare makes the workspace one with a commit whose commands may run.
func (s *fixture) prepare() verb.Workspace {
	s.Helper()
	w := s.w
	w.ConfigDir = s.TempDir()
	verbtest.PrepareJobs(s.T, &w)
	return w
}

// jobs is an agent that can start jobs, whose supervisors do nothing.
func (s *fixture) jobs() *mcp.ClientSession { return connect(s.T, s.prepare()) }

// tree is a task with a work tree of its own, in which a pair works, and its folder.
func (s *fixture) tree(args object) (record.ID, string) {
	s.Helper()
	s.prepare()
	id := s.create(args)
	s.commit()
	return id, does[struct{ Worktree string }](s.T, s.agent(), "pair_open", object{"id": id}).Worktree
}

// worked commits a change in a work tree.
func (s *fixture) worked(dir string) {
	s.Helper()
	writeFile(s, filepath.Join(dir, "work.txt"), "work\n")
	git(s, dir, "add", "-A")
	git(s, dir, "commit", "-qm", "work")
}

// handOver ends the pair of a task, and hands its work over.
func (s *fixture) handOver(id record.ID) {
	s.Helper()
	does[object](s.T, s.agent(), "pair_close", object{"id": id, "summary": "worked"})
}

// in is a person in another folder.
func (s *fixture) in(dir string) *mcp.ClientSession {
	w := s.w
	w.Dir, w.Actor, w.Rights = dir, verb.As("human:shah"), verb.Rights{Profile: verb.Maintainer}
	return connect(s.T, w)
}

// configure adds settings to the workspace.
func (s *fixture) configure(lines string) {
	s.Helper()
	path := filepath.Join(s.w.Dir, ".cairn", "config.yaml")
	writeFile(s, path, readFile(s.T, path)+lines)
}

// inRepo is a task whose files are in another repository.
func (s *fixture) inRepo(name string) record.ID {
	s.Helper()
	s.prepare()
	writeFile(s, s.file(s.w, "tasks", "PROJ-1.md"), "---\nid: PROJ-1\ntitle: There\nstatus: backlog\nrepo: "+name+"\nchecks:\n- desc: holds\n  cmd: \"true\"\n---\n")
	verbtest.ApproveAll(s, &s.w)
	return "PROJ-1"
}

// job starts a job, whose supervisor does nothing.
func (s *fixture) job() (*mcp.ClientSession, jobs.Job) {
	s.Helper()
	cs := s.jobs()
	return cs, does[jobs.Job](s.T, cs, "job_start", object{"id": s.create(nil), "executor": "mine"})
}

func (s *fixture) commit() {
	s.Helper()
	git(s, s.w.Dir, "add", "-A")
	git(s, s.w.Dir, "commit", "-qm", "work")
}

// worktree is the workspace in another worktree of the repository.
func (s *fixture) worktree() verb.Workspace {
	s.Helper()
	s.commit()
	w := s.w
	w.Dir = filepath.Join(s.TempDir(), "worktree")
	git(s, s.w.Dir, "worktree", "add", "-q", w.Dir, "-b", "feature")
	return w
}

// otherClone has claims hold among clones, and returns another clone of the same remote.
func (s *fixture) otherClone() verb.Workspace {
	s.Helper()
	hub := verbtest.ShareClaims(s.T, &s.w)
	s.commit()
	git(s, s.w.Dir, "push", "-q", "origin", "HEAD:main")
	w := s.w
	w.Dir = filepath.Join(s.TempDir(), "clone")
	git(s, s.w.Dir, "clone", "-q", hub, w.Dir)
	return w
}

func (*fixture) file(w verb.Workspace, folder, name string) string {
	return filepath.Join(w.Dir, ".cairn", folder, name)
}
