package week_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestSlowMonth plays a month of ordinary acts, drawn by a seed, with each write a commit of its own and without. No
// command of git is refused, nothing that was said is lost, cairn check finds nothing in what a day brought, and every
// evening both people are told the same.
func TestSlowMonth(t *testing.T) {
	slowtest.Skip(t)
	cmdtest.Stories(t, []string{"month.txtar", "month-of-commits.txtar"},
		cmdtest.Command{Usage: "month AUTOCOMMIT SEED", Least: 2, Most: 2, Run: playMonth})
}

const (
	days       = 20 // on which people work
	actsOfADay = 9
	longest    = 50 * time.Second // where the machine is slow, the month ends early
)

// month is what the acts of a month have made so far.
type month struct {
	*testscript.TestScript
	*rand.Rand
	commits bool // each write is one
	people  []*actor
	me      *actor
	tasks   []string // ids, in the order in which they were made
	said    []string // words of which each is in the record for good
	refused int
	acts    int
}

// actor is a person in a clone.
type actor struct {
	name   string
	topic  string // the branch of theirs that is not merged yet; "" for none
	agent  string
	topics int
}

func playMonth(ts *testscript.TestScript, args []string) {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	ts.Check(err)
	m := &month{TestScript: ts, Rand: rand.New(rand.NewPCG(seed, seed)), commits: args[0] == "on"}
	m.begin()
	begun, day := time.Now(), 0
	for ; day < days && time.Since(begun) < longest; day++ {
		since := m.head()
		for range actsOfADay {
			m.me = m.people[m.IntN(len(m.people))]
			person(ts, []string{m.me.name})
			m.act()
		}
		m.evening(day, since)
	}
	ts.Logf("%d days: %d acts, of which %d were refused; %d tasks", day, m.acts, m.refused, len(m.tasks))
	if 3*m.refused > m.acts {
		ts.Fatalf("%d of %d acts were refused", m.refused, m.acts)
	}
}

// begin makes the clones of two people.
func (m *month) begin() {
	m.people = []*actor{{name: "ada", agent: "agent:helper"}, {name: "taro", agent: "agent:clerk"}}
	m.Check(m.Exec("git", "init", "-q", "--bare", "-b", "main", "hub.git"))
	for i, one := range m.people {
		m.Check(m.Chdir(m.Getenv("WORK")))
		m.Check(m.Exec("git", "clone", "-q", "hub.git", one.name))
		person(m.TestScript, []string{one.name, strings.ToUpper(one.name)})
		if i > 0 {
			m.git("config", "merge.cairn.name", "")
			m.Check(m.Exec("cairn", "setup", "merge-driver", "--yes"))
			continue
		}
		m.Check(m.Exec("cairn", "init", "--prefix", "SHOP", "--merge-driver"))
		if m.commits {
			m.Check(m.Exec("cairn", "settings-set", "autocommit", "on"))
		}
		m.me = one
		for range 5 {
			m.add()
		}
		m.commit()
		m.git("push", "-q", "-u", "origin", "main")
	}
}

// git runs git, which must not refuse.
func (m *month) git(args ...string) { m.Check(m.Exec("git", args...)) }

func (m *month) head() string {
	m.git("rev-parse", "HEAD")
	return strings.TrimSpace(m.ReadFile("stdout"))
}

// commit has a person commit by hand what there is, who is not spared that.
func (m *month) commit() {
	m.git("add", "-A")
	if m.git("status", "--porcelain"); m.ReadFile("stdout") != "" {
		m.git("commit", "-q", "-m", "Work")
	}
}

// beforeGit is what a person does before git changes files.
func (m *month) beforeGit() {
	if !m.commits {
		m.commit()
	}
}

// do runs cairn, which may refuse what the other person or the rules are in the way of.
func (m *month) do(args ...string) bool {
	m.acts++
	err := m.Exec("cairn", args...)
	said := m.ReadFile("stderr")
	if strings.Contains(said, "not committed") || strings.Contains(said, "panic") {
		m.Fatalf("cairn %v: %s", args, said)
	}
	if err != nil {
		m.refused++
	}
	return err == nil
}

// word is a word that nobody has said before.
func (m *month) word() string { return fmt.Sprintf("word%04d", len(m.said)+m.acts) }

// task draws a task, the newer the likelier.
func (m *month) task() string {
	known := m.tasks
	if m.me.topic == "" || m.IntN(2) == 0 {
		return known[len(known)-1-min(m.IntN(len(known)), m.IntN(len(known)))]
	}
	return known[m.IntN(len(known))]
}

func (m *month) add() {
	if m.do("add", "Sell "+m.word()) {
		id := strings.Fields(m.ReadFile("stdout"))[0]
		m.tasks, m.said = append(m.tasks, id), append(m.said, "id: "+id)
	}
}

func (m *month) note() {
	if word := m.word(); m.do("note", m.task(), "heard "+word) {
		m.said = append(m.said, word)
	}
}

// act does one thing that people do.
func (m *month) act() {
	of := m.task()
	switch n := m.IntN(100); {
	case n < 14:
		m.add()
	case n < 30:
		m.note()
	case n < 44:
		m.do("start", of)
	case n < 56:
		m.do("done", of)
	case n < 62:
		m.do("update", of, "--add-label", []string{"fruit", "season", "shop"}[m.IntN(3)])
	case n < 66:
		m.do("update", of, "--title", "Sell it as "+m.word())
	case n < 70:
		m.do("update", of, "-p", strconv.Itoa(m.IntN(4)))
	case n < 73:
		m.do("update", of, "--add-dep", m.task())
	case n < 76:
		m.undo()
	case n < 80:
		if m.do("--actor", m.me.agent, "begin", of) {
			m.do("--actor", m.me.agent, "finish", of, "It is done")
		}
	case n < 84:
		m.edit(of)
	case n < 87:
		m.takeBack()
	case n < 90:
		m.gitRevert()
	case n < 96:
		m.branch()
	default:
		share(m.TestScript)
	}
}

// undo takes the newest write back. A task that was just made is in the trash then.
func (m *month) undo() {
	if !m.do("undo", "--yes") || !strings.Contains(m.ReadFile("stdout"), "it goes into the trash") {
		return
	}
	id := strings.Fields(m.ReadFile("stdout"))[0]
	m.tasks = slices.DeleteFunc(m.tasks, func(one string) bool { return one == id })
	m.said = slices.DeleteFunc(m.said, func(one string) bool { return one == "id: "+id })
}

// edit changes a priority in the file, as with an editor.
func (m *month) edit(of string) {
	name := filepath.Join(m.Getenv("WORK"), m.me.name, ".cairn", "tasks", of+".md")
	src, err := os.ReadFile(name)
	if err != nil {
		return // the other person has it
	}
	m.Check(os.WriteFile(name, []byte(strings.Replace(string(src), "\n---\n", "\n---\nBy hand: "+m.word()+".\n", 1)), 0o644))
	if m.commits {
		m.do("note", of, "wrote in the file") // which brings the edit into a commit
	}
}

// takeBack reverts a commit of the record by cairn.
func (m *month) takeBack() {
	m.beforeGit()
	if m.do("update", m.task(), "--add-label", "mistake") {
		m.beforeGit()
		m.do("revert", "HEAD")
	}
}

// gitRevert reverts a commit by git, and brings back what that took out of the record.
func (m *month) gitRevert() {
	m.beforeGit()
	m.note()
	m.beforeGit()
	m.git("revert", "--no-edit", "HEAD")
	m.Check(m.Exec("cairn", "check", "--fix", "--yes", "--no-base"))
}

// branch begins a branch with some work, or ends the one there is.
func (m *month) branch() {
	m.beforeGit()
	if m.me.topic != "" {
		m.git("merge", "-q", "--no-edit", m.me.topic)
		m.me.topic = ""
		return
	}
	m.me.topics++
	m.me.topic = fmt.Sprintf("%s-%d", m.me.name, m.me.topics)
	m.git("switch", "-q", "-c", m.me.topic)
	m.add()
	m.do("start", m.tasks[len(m.tasks)-1])
	m.note()
	m.beforeGit()
	m.git("push", "-q", "-u", "origin", m.me.topic)
	m.git("switch", "-q", "main")
}

// evening has both share what they did, and looks whether all of it is there.
func (m *month) evening(day int, since string) {
	var names []string
	for _, one := range m.people {
		names = append(names, one.name)
		if m.me = one; one.topic != "" && day%3 == 2 { // no branch lives for ever
			person(m.TestScript, []string{one.name})
			m.branch()
		}
	}
	evening(m.TestScript, names)
	for _, one := range m.people {
		person(m.TestScript, []string{one.name})
		m.Check(m.Exec("cairn", "check", "--base", since))
		m.nothingLost(one)
	}
	f, err := os.OpenFile(m.Getenv("CLOCK"), os.O_APPEND|os.O_WRONLY, 0)
	m.Check(err)
	_, err = fmt.Fprintln(f, "12h")
	m.Check(err)
	m.Check(f.Close())
}

// nothingLost fails if a word that was said is not in the record of a clone any more, on whatever branch it was.
func (m *month) nothingLost(one *actor) {
	var all strings.Builder
	m.Check(filepath.WalkDir(filepath.Join(m.Getenv("WORK"), one.name, ".cairn"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(name)
		all.Write(src)
		return err
	}))
	for _, other := range m.people {
		if other.topic != "" {
			m.git("log", "-p", "--format=", "HEAD..origin/"+other.topic, "--", ".cairn")
			all.WriteString(m.ReadFile("stdout"))
		}
	}
	for _, word := range m.said {
		if !strings.Contains(all.String(), word) {
			m.Fatalf("%s has lost %s", one.name, word)
		}
	}
}
