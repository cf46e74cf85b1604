package main

import (
	"context"
	"strings"
)

// story is who takes part, and the tasks it is about.
type story struct {
	*narrator
	repo   repo
	person shell
	agent  *agent

	fix, announce, release string // ids
	ses                    string // the agent's session on announce
}

// Exit numbers of cairn, as "cairn help exit-codes" prints them.
const (
	refusedByGate = 4
	heldByAnother = 5
)

// tell tells the story from beginning to end, and returns the first thing that did not go as told.
func tell(ctx context.Context, n *narrator, r repo) error {
	s := &story{narrator: n, repo: r, person: shell{n, r}}
	for _, chapter := range []func(context.Context){
		s.somethingIsBroken, s.planning, s.depsGate, s.checksGate, s.agentBegins, s.agentIsRefused, s.agentWorks, s.review, s.whatGitSees,
	} {
		chapter(ctx)
	}
	s.agent.close()
	return n.err
}

func (s *story) somethingIsBroken(ctx context.Context) {
	s.say("A repository whose test fails.")
	s.person.exits(ctx, 1, "want 849", "go", "test", "./...")
}

func (s *story) planning(ctx context.Context) {
	s.say("A person makes it a workspace and plans three tasks. Checks say when each is done.")
	s.person.runs(ctx, "cairn", "init", "--prefix", "SHOP")
	s.fix = s.add(ctx, "Round discounts to the nearest cent", "--priority", "1", "--check", "tests pass=go test ./...")
	s.announce = s.add(ctx, "Announce the new prices", "--dep", s.short(s.fix),
		"--check", "it names a price=grep -q 8.49 PRICES.md", "--manual", "a person has read it")
	s.release = s.add(ctx, "Release 1.0", "--dep", s.short(s.announce), "--manual", "customers were told")
	s.person.runs(ctx, "git", "add", ".cairn")
	s.person.runs(ctx, "git", "commit", "--quiet", "--message=Plan the release")
	s.onlyReady(ctx, s.fix)
}

// add makes a task and returns its id, which is the first word that cairn prints.
func (s *story) add(ctx context.Context, title string, flags ...string) string {
	out := s.person.runs(ctx, append([]string{"cairn", "add", title}, flags...)...)
	id, _, _ := strings.Cut(out, " ")
	s.expect(strings.HasPrefix(id, "SHOP-"), "cairn add prints %q, not an id", id)
	return id
}

// short is the end of an id that one would type: four characters, or more if another task has the same ones.
func (s *story) short(id string) string {
	for n := 4; n < len(id); n++ {
		end, unique := id[len(id)-n:], true
		for _, other := range []string{s.fix, s.announce, s.release} {
			unique = unique && (other == id || !strings.Contains(other, end))
		}
		if unique {
			return end
		}
	}
	return id
}

// onlyReady looks at what can be started now.
func (s *story) onlyReady(ctx context.Context, want string) {
	out := s.person.runs(ctx, "cairn", "ready")
	for _, id := range []string{s.fix, s.announce, s.release} {
		s.expect(strings.Contains(out, id) == (id == want), "only %s is ready", want)
	}
}

func (s *story) depsGate(ctx context.Context) {
	s.say("The deps gate: a task cannot be started before those it depends on are closed.")
	s.person.exits(ctx, refusedByGate, "waits for "+s.fix, "cairn", "start", s.short(s.announce))
}

func (s *story) checksGate(ctx context.Context) {
	s.say("The checks gate: done runs the test, and closes the task only once it has passed.")
	s.person.runs(ctx, "cairn", "start", s.short(s.fix))
	s.person.exits(ctx, refusedByGate, "want 849", "cairn", "done", s.short(s.fix))
	s.edits("the person", "price.go", fixedPrice)
	closed := s.person.runs(ctx, "cairn", "done", s.short(s.fix))
	s.expect(strings.Contains(closed, s.fix+"  done"), "the task is done")
	s.onlyReady(ctx, s.announce)
}

func (s *story) agentBegins(ctx context.Context) {
	s.say("An agent connects over MCP, looks for work, and begins a session.")
	s.agent = connect(ctx, s.narrator, s.repo, "agent:claude-1")
	me := s.agent.does(ctx, "identity", args{}).Actor
	found := s.agent.does(ctx, "list", args{"ready": true, "status": "backlog"}).Tasks
	s.expect(len(found) == 1 && found[0].ID == s.announce, "the agent finds one task to start")
	begun := s.agent.does(ctx, "begin", args{"id": s.announce, "expected_actor": me, "idempotency_key": "first try"})
	s.ses = begun.ID
	s.expect(begun.Status == "active", "the session is active")
	s.say("From now on nobody else starts the same work.")
	s.person.exits(ctx, heldByAnother, "held by agent:claude-1", "cairn", "start", s.short(s.announce))
}

func (s *story) agentIsRefused(ctx context.Context) {
	s.say("The gates hold for the agent too. It says that it is done, cairn runs the check, and it is told why not.")
	no := s.agent.refused(ctx, "CHECKS_FAILED", "transition", args{"id": s.announce, "to": "done"})
	s.expect(len(no.Details.Run.Checks) == 1 && strings.Contains(no.Details.Run.Checks[0].Output, "PRICES.md"),
		"the refusal shows what the command printed")
	s.expect(no.NextTool == "run_checks", "the refusal names the next tool")
}

func (s *story) agentWorks(ctx context.Context) {
	s.say("The agent reports, writes PRICES.md, runs the checks, and hands the task over for review.")
	s.agent.does(ctx, "heartbeat", args{"session": s.ses, "progress": "writing the announcement"})
	s.edits("the agent", "PRICES.md", "15% off: 8.49 instead of 9.99.\n")
	ran := s.agent.does(ctx, "run_checks", args{"id": s.announce}).Run
	s.expect(ran.Passed == 1, "the check passes now")
	done := s.agent.does(ctx, "finish", args{"session": s.ses, "summary": "PRICES.md names the new price"})
	s.expect(done.Task == "in_review", "the task waits for a reviewer")
	s.say("It cannot close the task yet: a check asks for a person, and a name alone is not enough to pass for one.")
	s.agent.refused(ctx, "CHECKS_PENDING", "transition", args{"id": s.announce, "to": "done"})
}

// edits is somebody writing a file, with whatever tool they have for that.
func (s *story) edits(who, name, content string) {
	if s.err == nil {
		s.print("(" + who + " edits " + name + ")")
		s.fail(s.repo.write(name, content))
	}
}

func (s *story) review(ctx context.Context) {
	s.say("The person reviews and closes. The command is not run again: its pass is on record for these very files.")
	out := s.person.runs(ctx, "cairn", "list-sessions", "--health", "awaiting_review")
	s.expect(strings.Contains(out, s.ses), "the session is listed for review")
	s.person.runs(ctx, "cat", "PRICES.md")
	s.person.types(ctx, "attesting check 1 (a person has read it) as passed",
		"cairn", "attest", s.short(s.announce), "a person", "--pass", "--text", "did the sums by hand")
	closed := s.person.runs(ctx, "cairn", "done", s.short(s.announce))
	s.expect(strings.Contains(closed, s.announce+"  done"), "the task is done")
	s.expect(!strings.Contains(closed, "it names a price"), "a fresh pass is not earned again")
	s.onlyReady(ctx, s.release)
}

func (s *story) whatGitSees(ctx context.Context) {
	s.say("All of it is in the task's file, a line for each write, to be committed with the work.")
	diff := s.person.runs(ctx, "git", "diff", ".cairn/tasks/"+s.announce+".md")
	for _, line := range []string{"-status: backlog", "+status: done", "+assignee: agent:claude-1", "did: attested"} {
		s.expect(strings.Contains(diff, line), "the diff has a line %q", line)
	}
}
