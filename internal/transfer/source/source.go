package source

import (
	"cmp"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
)

// Source is a system whose tasks can be read.
type Source struct {
	Name  string   // as it is typed
	About string   // what is read
	Paths []string // where its files lie in a folder, the likeliest first; none for one whose files lie nowhere in particular
	Ext   []string // what the names of its files in a folder end in; nil for a system that has one file
	In    []string // the folders below it that are read, for one that has a folder; nil for the folder itself
	Read  func([]File) (Batch, error)
	table *table // of a system whose files are read by columns
}

// File is a file of a system.
type File struct {
	Name string // with slashes, from the folder that was named
	Data []byte
}

// Batch is what the files of a system have.
type Batch struct {
	Items []transfer.Item
	Aside []transfer.Loss // what is no task: what it is, and which one

	place map[string]int // of each item, by its ref
}

func (b *Batch) aside(what, which string) {
	b.Aside = append(b.Aside, transfer.Loss{Field: what, Value: which})
}

// All lists the systems.
func All() []Source {
	return append([]Source{
		{Name: "beads", About: "JSON lines: .beads/issues.jsonl, or what bd export prints", Paths: []string{".beads/issues.jsonl", ".beads/beads.jsonl"}, Read: readBeads},
		{Name: "backlog", About: "the folder of Backlog.md", Paths: []string{"backlog", ".backlog"}, Ext: []string{".md"},
			In: []string{"tasks", "completed", "drafts", "archive/tasks", "archive/drafts"}, Read: readBacklog},
		{Name: "tk", About: "the folder of tickets of tk: .tickets", Paths: []string{".tickets"}, Ext: []string{".md"}, Read: readTickets},
		{Name: "taskmaster", About: "tasks.json of Task Master", Paths: []string{".taskmaster/tasks/tasks.json", "tasks/tasks.json"}, Read: readTaskMaster},
		{Name: "github", About: "issues as JSON: of the API, or of gh issue list --json; gh itself without a path", Read: readGitHub},
		{Name: "taskwarrior", About: "JSON: what task export prints", Read: readTaskwarrior},
		{Name: "markdown", About: "a checklist: lines that begin with - [ ]", Paths: []string{"TODO.md", "todo.md", "TASKS.md", "tasks.md", "docs/TODO.md"}, Read: readMarkdown},
		{Name: "cairn", About: "JSON lines of another workspace: cairn export --format jsonl", Read: readCairn},
	}, tableSources()...)
}

// Named finds a system by its name, or by another name that people know it by.
func Named(name string) (Source, error) {
	name = strings.ToLower(name)
	also := map[string]string{
		"bd": "beads", "backlog.md": "backlog", "backlogmd": "backlog", "ticket": "tk", "tickets": "tk", "task-master": "taskmaster", "task_master": "taskmaster",
		"taskmaster-ai": "taskmaster", "gh": "github", "task": "taskwarrior", "tw": "taskwarrior", "md": "markdown", "todo": "markdown", "jsonl": "cairn",
	}
	name = cmp.Or(also[name], name)
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Source{}, record.Errorf(record.InvalidInput, "there is no source %q", record.Clip(name, 40)).WithHint("the sources are %s", strings.Join(names, ", "))
}

// has reports whether there is an item with a ref.
func (b *Batch) has(ref string) bool { _, ok := b.place[ref]; return ok }

// put adds an item, whose ref no other has.
func (b *Batch) put(it transfer.Item) {
	if b.place == nil {
		b.place = map[string]int{}
	}
	b.place[it.Ref] = len(b.Items)
	b.Items = append(b.Items, it)
}

// add adds an item. Where another item has its id already, its ref is the id and a mark of its title, so that a second
// import finds it again.
func (b *Batch) add(it transfer.Item) {
	id := it.Ref
	for n := 1; b.has(it.Ref); n++ {
		it.Ref = id + "~" + record.ContentHash(it.Title)[:8]
		if n > 1 {
			it.Ref += "." + itoa(n)
		}
	}
	if it.Ref != id {
		it.Lose("an id that another has too; who names it means the first", id)
	}
	b.put(it)
}

// addLatest adds an item, in the place of an earlier one with the same ref, which is what is put aside.
func (b *Batch) addLatest(it transfer.Item, what string) {
	if !b.has(it.Ref) {
		b.put(it)
		return
	}
	b.aside(what, it.Ref)
	b.Items[b.place[it.Ref]] = it
}

// bad is the error about a place in a file; line 0 is the whole of it.
func bad(file string, line int, format string, args ...any) *record.Error {
	e := record.Errorf(record.InvalidInput, format, args...)
	at := file
	if line > 0 {
		at += ":" + itoa(line)
	}
	e.Msg = at + ": " + e.Msg
	return e
}
