package store_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

const (
	raceVar  = "RACETIME"             // how long writers run beside an editor; "make race" says for longer
	raceTime = 2 * time.Second        // unless the variable says otherwise
	thinking = 200 * time.Millisecond // what an editor needs between two saves; a hasty one
	blinking = time.Millisecond       // what a reader needs between two reads
	oldEvery = 5                      // one save in so many is of what was read the time before, as of a window long open
	maxLost  = 2                      // of the saves: those that fall between a write's last read and its rename
)

// Processes write notes while an editor, which takes no lock, keeps saving the same file, in place and by renaming
// another file over it. It overwrites what it has not read, and nobody can prevent that. But no write of ours takes
// anything away:
//   - Each starts from what the one before it left, or from a save that came in between. So an acknowledged note is
//     missing only where the editor saved the file without it.
//   - When the editor reads again it finds what it saved last, but for the window that stays open.
//   - What the editor overwrote is known, and can be offered back.
//   - A reader finds the file whole, or cut short by the editor while that saves in place.
func TestSlowWritersBesideAnEditor(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	history := storetest.TaskFile(s, "PROJ-1") + ".history"
	processes := storetest.StartAll(t, s, writers/2, "jot", history)
	stop, broken := make(chan struct{}), make(chan []string)
	go func() { broken <- readBroken(storetest.TaskFile(s, "PROJ-1"), stop) }()
	ed := &editor{path: storetest.TaskFile(s, "PROJ-1"), saves: []string{storetest.TaskText("PROJ-1")}}
	edited := make(chan error)
	go func() { edited <- ed.work(stop) }()

	acknowledged := map[string]bool{}
	time.AfterFunc(raceFor(t), func() {
		for _, p := range processes {
			p.Send(t, "stop")
		}
	})
	for _, p := range processes {
		for _, text := range p.Answers() {
			acknowledged[text] = true
		}
		p.End(t)
	}
	close(stop)
	storetest.WantCode(t, <-edited, "")
	for _, src := range <-broken {
		if !ed.wasSaving(src) {
			t.Errorf("somebody read\n%s", src)
		}
	}

	got, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	jots := append(readHistory(t, history, acknowledged), jot{rev: got.Rev, last: got.Provenance.Last().Text})
	wantUnbroken(t, ed.saves, jots)
	if len(storetest.NotesOf(got)) >= len(acknowledged) {
		t.Error("the editor overwrote nothing, so nothing was to be noticed")
	}
	wantOffered(t, s, got, acknowledged)
	if ed.lost > maxLost {
		t.Errorf("%d of the editor's saves were lost", ed.lost)
	}
	t.Logf("%d notes were acknowledged beside %d saves; %d saves were lost, and the editor overwrote %d notes",
		len(acknowledged), len(ed.saves)-1, ed.lost, len(acknowledged)-len(storetest.NotesOf(got)))
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "the last word"), "")
}

// wantOffered fails the test unless every acknowledged note that is missing from the file is known to be overwritten.
func wantOffered(t *testing.T, s *store.Store, now task.Task, acknowledged map[string]bool) {
	t.Helper()
	lost, err := s.Overwritten(t.Context(), now.Header())
	storetest.WantCode(t, err, "")
	offered := map[string]bool{}
	for _, e := range lost {
		offered[e.Text] = true
	}
	for _, text := range storetest.NotesOf(now) {
		offered[text] = true
	}
	for text := range acknowledged {
		if !offered[text] {
			t.Errorf("%q is neither in the file nor known to be overwritten", text)
		}
	}
}

func raceFor(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(raceVar)
	if text == "" {
		return raceTime
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", raceVar, err)
	}
	return d
}

// jot is one note: what it says, and the revision that it was added to, with the last note in that.
type jot struct {
	text string
	rev  record.Rev
	last string
}

// playJot notes without pause until it gets a line. It acknowledges each note that was written. What a note started
// from goes into the history, which is in the order of the writes, because the lock is held.
func playJot(s *store.Store, args []string) error {
	history, err := os.OpenFile(args[1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	go func() {
		storetest.WaitForLine()
		close(stop)
	}()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return history.Close()
		default:
		}
		text := noteText(args[0], n)
		err := s.Update(context.Background(), func(tx *store.Tx) error {
			t, err := kind.Tasks.Get(tx, "PROJ-1")
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(history, "%s\t%s\t%s\n", text, t.Rev, t.Provenance.Last().Text); err != nil {
				return err
			}
			return storetest.AddNote(tx, "PROJ-1", text)
		})
		switch code := record.CodeOf(err); {
		case err == nil:
			fmt.Println(text)
		case code == record.Conflict || code == record.BadFile: // the editor kept saving, or was at it: nothing was written
		default:
			return err
		}
	}
}

// readHistory returns the notes that were written, in order. Of a write that started over its last start counts.
func readHistory(t *testing.T, path string, acknowledged map[string]bool) []jot {
	t.Helper()
	var jots []jot
	for line := range strings.Lines(storetest.ReadFile(t, path)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		one := jot{parts[0], record.Rev(parts[1]), parts[2]}
		switch {
		case !acknowledged[one.text]:
		case len(jots) > 0 && jots[len(jots)-1].text == one.text:
			jots[len(jots)-1] = one
		default:
			jots = append(jots, one)
		}
	}
	if len(jots) == 0 || len(jots) != len(acknowledged) {
		t.Fatalf("the history knows %d of %d notes", len(jots), len(acknowledged))
	}
	return jots
}

// wantUnbroken fails the test unless each note was added to what the one before it left, or to a save that nobody had
// read yet and that is not older than one that was.
func wantUnbroken(t *testing.T, saves []string, jots []jot) {
	t.Helper()
	number := map[record.Rev]int{}
	for i, src := range saves {
		number[kind.Rev([]byte(src))] = i
	}
	left, read := "", -1
	for _, j := range jots {
		switch save, ok := number[j.rev]; {
		case ok && save <= read:
			t.Errorf("%q was added to save %d, and %d had been read", j.text, save, read)
		case ok:
			read = save
		case j.last != left:
			t.Errorf("%q was added to what ended with %q, and not with %q", j.text, j.last, left)
		}
		left = j.text
	}
}

// editor is a program that takes no lock. It numbers its saves by writing the number into the title.
type editor struct {
	path  string
	saves []string // what each save wrote; the first is what it found
	lost  int      // saves that were gone when it read again
	old   string   // what it read the time before
}

var titleLine = regexp.MustCompile(`(?m)^title: (.*)$`)

// work edits until it is stopped, and then reads a last time.
func (e *editor) work(stop <-chan struct{}) error {
	pause := time.NewTicker(thinking)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
			if err := e.edit(); err != nil {
				return err
			}
		case <-stop:
			_, err := e.read()
			return err
		}
	}
}

func (e *editor) edit() error {
	src, err := e.read()
	if err != nil {
		return err
	}
	if e.old != "" && len(e.saves)%oldEvery == 0 {
		src, e.old = e.old, src
	} else {
		e.old = src
	}
	next := titleLine.ReplaceAllString(src, fmt.Sprintf("title: Save %d", len(e.saves)))
	e.saves = append(e.saves, next)
	if len(e.saves)%2 == 0 {
		return os.WriteFile(e.path, []byte(next), 0o644)
	}
	if err := os.WriteFile(e.path+"~", []byte(next), 0o644); err != nil {
		return err
	}
	return os.Rename(e.path+"~", e.path)
}

// read reads the file, and counts the save before as lost if it is not in there.
func (e *editor) read() (string, error) {
	src, err := os.ReadFile(e.path)
	if err != nil {
		return "", err
	}
	saved := e.saves[len(e.saves)-1]
	if titleLine.FindString(string(src)) != titleLine.FindString(saved) {
		e.lost++
	}
	return string(src), nil
}

// wasSaving tells whether a content is the beginning of one that the editor saved.
func (e *editor) wasSaving(src string) bool {
	for _, saved := range e.saves {
		if strings.HasPrefix(saved, src) {
			return true
		}
	}
	return false
}

// readBroken reads a file again and again until it is stopped, and returns what was not whole.
func readBroken(path string, stop <-chan struct{}) (broken []string) {
	pause := time.NewTicker(blinking)
	defer pause.Stop()
	for {
		select {
		case <-stop:
			return broken
		case <-pause.C:
		}
		src, err := os.ReadFile(path)
		if err == nil {
			_, err = format.Parse(src, format.Markdown)
		}
		if err != nil {
			broken = append(broken, string(src))
		}
	}
}
