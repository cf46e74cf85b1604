package fleet_test

import (
	"fmt"
	"strings"
)

// begin starts a branch at the newest main, or goes on with one that another clone pushed.
func (c *clone) begin() {
	c.beginAt(upstream)
	if other := c.another(); other != "" && c.one(4) {
		c.must("reset", "-q", "--hard", other)
	}
}

// beginAt starts a branch.
func (c *clone) beginAt(commit string) {
	c.must("fetch", "-q", "--prune")
	c.topics++
	c.topic, c.pushed, c.refused = fmt.Sprintf("topic-%s%d", c.name, c.topics), false, 0
	c.must("switch", "-q", "--no-track", "-c", c.topic, commit)
}

// another names a branch that somebody pushed, or nothing.
func (c *clone) another() string {
	others := strings.Fields(c.must("branch", "-r", "--list", "origin/topic-*", "--format=%(refname:short)"))
	return pick(c.world, append(others, "")...)
}

// commit commits everything, or adds it to the commit before.
func (c *clone) commit() {
	c.must("add", "--all")
	own := c.must("rev-list", "--count", "origin/main..HEAD") != "0"
	if own && !c.pushed && c.one(5) {
		c.must("commit", "-q", "--amend", "--allow-empty", "--no-edit")
		return
	}
	c.must("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("work of %s, %d", c.name, c.story.Len()))
}

func (c *clone) push() {
	c.must("push", "-q", "--force", "origin", "HEAD:refs/heads/"+c.topic)
	c.pushed = true
}

// update merges main into the branch. It reports false if that needs a person who knows better than this one.
func (c *clone) update() bool {
	c.must("fetch", "-q")
	return c.merge("--no-ff", "-m", "take main in", "origin/main")
}

// merge merges, and settles what can be settled.
func (c *clone) merge(args ...string) bool {
	args = append([]string{"merge", "-q"}, args...)
	if c.may(args...) || c.settled("merge of two sides") {
		return true
	}
	c.must("reset", "-q", "--hard")
	if c.driver {
		return false
	}
	c.act(c.person, "setup", "merge-driver", "--yes") // as cairn check says
	c.driver = true
	if c.may(args...) || c.settled("merge of two sides") {
		return true
	}
	c.must("reset", "-q", "--hard")
	return false
}

func (c *clone) rebase(flags ...string) bool {
	c.must("fetch", "-q")
	if c.may(append(append([]string{"rebase", "-q"}, flags...), "origin/main")...) {
		return true
	}
	c.must("rebase", "--abort")
	return false
}

// pickFromAnother picks the newest commit of a branch that another clone pushed.
func (c *clone) pickFromAnother() {
	c.must("fetch", "-q", "--prune")
	from := c.another()
	if from == "" || strings.Contains(c.must("log", "-1", "--format=%P", from), " ") {
		return
	}
	if !c.may("cherry-pick", "--allow-empty", "--keep-redundant-commits", from) {
		c.must("cherry-pick", "--abort")
	}
}

// revert takes the code of the last commit back, and leaves the record as it is, as the pages say.
func (c *clone) revert() {
	parents := strings.Fields(c.must("log", "-1", "--format=%P"))
	if len(parents) != 1 || c.must("rev-list", "--count", "origin/main..HEAD") == "0" {
		return
	}
	c.must("revert", "--no-commit", "HEAD")
	c.must("restore", "--staged", "--worktree", "--", ".cairn")
	c.must("commit", "-q", "--allow-empty", "-m", "revert the code")
}

// land judges the branch and brings it to main by a merge, a squash or a rebase. A branch that does not merge is
// brought up to date first; one that cannot be is given up.
func (c *clone) land() {
	if c.topic == "" {
		return
	}
	c.must("fetch", "-q")
	c.judgeBranch()
	topic := c.topic
	landed := false
	switch c.random.IntN(4) {
	case 0, 1:
		c.must("switch", "-q", "--detach", "origin/main")
		landed = c.merge("--no-ff", "-m", "merge "+topic, topic)
	case 2:
		c.must("switch", "-q", "--detach", "origin/main")
		if landed = c.may("merge", "-q", "--squash", topic); landed {
			c.must("commit", "-q", "--allow-empty", "-m", "squash "+topic)
		} else if landed = c.settled("squash " + topic); !landed {
			c.must("reset", "-q", "--hard")
		}
	case 3:
		landed = c.rebase()
		c.must("switch", "-q", "--detach", "HEAD")
	}
	if landed {
		c.judgeResult()
		c.must("push", "-q", "origin", "HEAD:main")
		c.must("fetch", "-q")
	}
	if c.refused++; landed || c.refused > 2 {
		c.topic = ""
		return
	}
	c.must("switch", "-q", topic)
	if c.update() {
		c.judgeBranch()
	}
}
