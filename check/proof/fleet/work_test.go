package fleet_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// work does one thing that people and agents do with records and code.
func (c *clone) work() {
	c.pass()
	who := pick(c.world, c.person, c.agent, c.agent)
	if acts := c.acts(); c.one(4) {
		acts[c.random.IntN(len(acts))](who)
	} else {
		c.onTask(who, pick(c.world, c.names("tasks", "closed/*")...))
	}
}

// onTask does something with a task.
func (c *clone) onTask(who, id string) {
	do := func(args ...string) { c.act(who, args...) }
	switch c.random.IntN(20) {
	case 0:
		do("note", id, "on it")
	case 1:
		do(pick(c.world, "claim", "release"), id)
	case 2, 3:
		do("start", id)
	case 4, 5:
		do("run-checks", id)
	case 6, 7:
		c.act(c.person, "attest", id, "read", pick(c.world, "--pass", "--pass", "--fail"))
	case 8, 9, 10:
		do("done", id)
	case 11:
		do("transition", id, pick(c.world, "backlog", "in_progress", "in_review", "canceled"))
	case 12:
		do("reopen", id, "--reason", "it broke")
	case 13:
		c.addDep(who, id)
	case 14:
		c.act(c.person, "update", id, "--check", "tests pass=test -f shop", "--manual", "read by a person", "--reason", "as agreed")
	case 15:
		do("update", id, "--title", "Do it better", "--add-label", pick(c.world, "web", "shop"), "--priority", pick(c.world, "1", "3"))
	case 16:
		c.act(c.person, "update", id, "--assignee", pick(c.world, "agent:a", "agent:b", "unassigned"))
	case 17:
		do("begin", id, "--expected-actor", who, "--idempotency-key", fmt.Sprint(c.story.Len()))
	case 18:
		c.act(c.person, "cancel", id, "not worth it")
	case 19:
		c.editByHand(id)
	}
}

// addDep makes a task wait for an older one, so that no two branches make a circle.
func (c *clone) addDep(who, id string) {
	other := pick(c.world, c.names("tasks")...)
	if other < id {
		c.act(who, "update", id, "--add-dep", other)
	}
	if c.one(4) {
		c.act(c.person, "update", id, "--remove-dep", other, "--reason", "not needed")
	}
}

// editByHand changes what may be changed in an editor.
func (c *clone) editByHand(id string) {
	paths, _ := filepath.Glob(filepath.Join(c.dir, ".cairn", "tasks", id+".md"))
	if len(paths) == 0 {
		return
	}
	name := filepath.Join(".cairn", "tasks", id+".md")
	switch c.random.IntN(3) {
	case 0:
		c.write(name, c.read(name)+"\nAlso this.\n")
	case 1:
		if text := c.read(name); !strings.Contains(text, "\nestimate:") { // or it is there twice
			c.write(name, strings.Replace(text, "\nstatus:", "\nestimate: 3d\nstatus:", 1))
		}
	case 2:
		unix := strings.ReplaceAll(c.read(name), "\r\n", "\n")
		c.write(name, strings.ReplaceAll(unix, "\n", pick(c.world, "\n", "\r\n")))
	}
	c.tell("# edited %s by hand", name)
}

// acts are those that are about no task that is there.
func (c *clone) acts() []func(who string) {
	of := func(folder string) string { return pick(c.world, append(c.names(folder), "none-0")...) }
	plan := "- title: First\n  checks: ['tests pass=test -f shop']\n- title: Second\n  deps: ['#0']\n"
	return []func(string){
		func(who string) {
			dep := pick(c.world, c.names("tasks")...)
			c.act(who, "create", "Another", "--check", "tests pass=test -f shop", "--dep", dep)
		},
		func(who string) { c.act(who, "create", "A small one") },
		func(who string) { c.enter(who, plan, "plan", "-") },
		func(string) { c.enter(c.agent, plan, "propose", "-", "--summary", "two steps") },
		func(string) { c.act(c.person, "plan", "--proposal", of("proposals")) },
		func(string) { c.act(c.agent, "finish", of("sessions"), "did it") },
		func(string) { c.act(c.agent, "cancel", of("sessions"), "cannot") },
		func(string) {
			c.act(c.agent, "handoff", "create", "Which one?", "--to", pick(c.world, "human:shah", "human:lee", "agent:b"))
		},
		func(who string) { c.act(who, "handoff", "claim", of("handoffs")) },
		func(who string) { c.act(who, "handoff", "respond", of("handoffs"), "--text", "this one") },
		func(who string) { c.act(who, "handoff", "resolve", of("handoffs")) },
		func(who string) { c.act(who, "decision", "log", "Locks", "A file lock", "--scope", "src/**") },
		func(string) {
			c.act(c.person, "decision", "set-status", of("decisions"), pick(c.world, "accepted", "rejected"), "--reason", "talked it over")
		},
		func(who string) { c.act(who, "knowledge", "write", "Keys", "--body", c.now.Format(time.TimeOnly)) },
		func(who string) {
			c.act(who, "knowledge", "write", "--id", of("knowledge"), "--label", pick(c.world, "ops", "keys"))
		},
		func(who string) { c.act(who, "note", of("decisions"), "as decided") },
		func(who string) { c.act(who, "feedback", "create", "Slow", "It takes long.") },
		func(string) { c.act(c.person, "undo", "--yes") },
		func(string) { c.act(c.person, "archive", "--older-than", "1h") },
		func(string) { c.code() },
		func(string) { c.code() },
	}
}

// code changes what is no record.
func (c *clone) code() {
	name := pick(c.world, "shop", "shop", "yard-"+c.name)
	c.write(name, "open "+c.now.Format(time.RFC3339Nano)+"\n")
	c.tell("# changed %s", name)
}
