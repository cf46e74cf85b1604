package fleet_test

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Honest work in three clones whose clocks are apart gives no error, however it is merged. A failure names its seed,
// and FLEET=seed tells that story again. KEEP names a folder for the clones of a failure.
func TestFleets(t *testing.T) { sail(t, 0, 1) }

func TestSlowFleets(t *testing.T) {
	slowtest.Skip(t)
	sail(t, 1, fleets(t))
}

// fleets is how many fleets there are: FLEETS, if not 8; make fleets has 200.
func fleets(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("FLEETS"), "8"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sail(t *testing.T, from, to uint64) {
	t.Helper()
	if seed, err := strconv.ParseUint(os.Getenv("FLEET"), 10, 64); err == nil {
		from, to = seed, seed+1
	}
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			for range 14 {
				pick(w, w.clones...).turn()
			}
			for _, c := range w.clones {
				c.land()
			}
			if os.Getenv("FLEET") != "" {
				t.Log(w.story.String())
			}
		})
	}
}

// turn is what somebody does before a break.
func (c *clone) turn() {
	c.pass()
	if c.skew > 0 && c.one(8) {
		c.tell("# the clock is set right")
		c.skew = 0
	}
	if c.one(6) {
		c.maintain()
		return
	}
	if c.topic == "" {
		c.begin()
	}
	for range 1 + c.random.IntN(4) {
		c.work()
	}
	c.commit()
	switch c.random.IntN(9) {
	case 0, 1, 2:
		c.land()
	case 3:
		c.update()
	case 4:
		c.rebase("--committer-date-is-author-date")
	case 5:
		c.rebase()
	case 6:
		c.push()
	case 7:
		c.pickFromAnother()
	case 8:
		c.revert()
	}
}

// maintain changes on main what the work of others rests on.
func (c *clone) maintain() {
	topic, pushed, refused := c.topic, c.pushed, c.refused
	c.beginAt(upstream)
	const tests, clean = "{desc: tests pass, cmd: test -f shop}", "{desc: it is clean, cmd: test -d .}"
	switch c.random.IntN(4) {
	case 0:
		c.config("default_checks: []", "default_checks: ["+tests+"]")
	case 1:
		c.config("default_checks: ["+tests+"]", "default_checks: ["+tests+", "+clean+"]")
	default:
		c.addDep(c.person, pick(c.world, c.names("tasks")...))
	}
	c.commit()
	c.land()
	if topic != "" {
		c.topic, c.pushed, c.refused = topic, pushed, refused
		c.must("switch", "-q", topic)
	}
}

func (c *clone) config(was, now string) {
	c.write(".cairn/config.yaml", strings.Replace(c.read(".cairn/config.yaml"), was+" ", now+" ", 1))
	c.tell("# config: %s", now)
}
