package crashtest

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// trial is a story whose start is kept and whose end is known.
type trial struct {
	*house
	call  call
	calls []disk.Call // that it makes when nothing goes wrong

	old, new         map[string]string // files, before and after
	oldRead, newRead string

	judged map[string]bool // what the disk may look like afterwards; most trials end like another
}

// newTrial plays a story to its end once.
func newTrial(t *testing.T, h *house, s story) *trial {
	t.Helper()
	tr := &trial{house: h, judged: map[string]bool{}}
	input := s.given(t, h)
	if v, _ := catalogue.Named(s.verb); v.Kind != verb.Read { // what reads and acknowledges can be repeated without a key
		input["idempotency_key"] = "the story's"
	}
	tr.call = call{h.root, h.stateDir(), s.actor, during, s.verb, input}
	h.keep(t)
	tr.old, tr.oldRead = h.files(t), h.readable(t)
	var err error
	tr.calls, err = h.watched(never, nil, tr.call.do)
	must(t, err)
	tr.new, tr.newRead = h.files(t), h.readable(t)
	tr.wantSound(t)
	if tr.oldRead == tr.newRead && maps.Equal(tr.old, tr.new) {
		t.Fatal("the story changes nothing")
	}
	return tr
}

// simple reports whether the story makes and removes no file and replaces one at most.
func (tr *trial) simple() bool {
	replaced := 0
	for name, content := range tr.new {
		if tr.old[name] != content {
			replaced++
		}
	}
	return len(tr.old) == len(tr.new) && replaced <= 1
}

// judge fails the test unless the house is as a failure or a kill may leave it.
func (tr *trial) judge(t *testing.T, acknowledged bool) {
	t.Helper()
	state := fmt.Sprint(acknowledged, tr.state(t))
	if tr.judged[state] {
		return
	}
	tr.wantWhole(t)
	tr.wantSettled(t, acknowledged)
	tr.judged[state] = !t.Failed()
}

// state is everything that is in the house, with names of temporary files that do not differ from one time to the next.
func (tr *trial) state(t *testing.T) []string {
	t.Helper()
	var out []string
	for path, content := range tr.snapshot(t) {
		out = append(out, tr.short(path)+": "+content)
	}
	slices.Sort(out)
	return out
}

// wantWhole fails the test unless every file holds what it held before or what it was to hold, and every task finds the
// session and the files that it names.
func (tr *trial) wantWhole(t *testing.T) {
	t.Helper()
	now := tr.files(t)
	if !tr.links {
		maps.DeleteFunc(now, func(_, content string) bool { return content == "" }) // reserved
	}
	for _, files := range []map[string]string{now, tr.old, tr.new} {
		for name := range files {
			if now[name] != tr.old[name] && now[name] != tr.new[name] {
				t.Errorf("%s is neither as it was nor as it was to be:\n%s", name, now[name])
			}
		}
	}
	s := tr.open(t)
	tasks, problems, err := kind.Tasks.List(context.Background(), s)
	if err != nil || tr.links && len(problems) > 0 {
		t.Errorf("problems %v (%v)", problems, err)
	}
	for _, one := range tasks {
		if id := one.Provenance.LastSession(); id != "" {
			if _, err := kind.Sessions.Get(s, id); err != nil {
				t.Errorf("task %s names session %s: %v", one.ID, id, err)
			}
		}
		for _, ref := range one.Refs {
			if strings.HasPrefix(ref.Path, layout.Folder+"/") && now[ref.Path] == "" {
				t.Errorf("task %s refers to %s, which is not there", one.ID, ref.Path)
			}
		}
	}
}

// wantSound fails the test if a checker finds anything, or a temporary file is left anywhere.
func (h *house) wantSound(t *testing.T) {
	t.Helper()
	problems, err := storetest.Verify(context.Background(), h.open(t))
	if err != nil || len(problems) > 0 {
		t.Errorf("verify finds %v (%v)", problems, err)
	}
	for path := range h.snapshot(t) {
		if atomicfile.IsTemp(filepath.Base(path)) {
			t.Errorf("%s is left", path)
		}
	}
}

// wantSettled makes the next write, and then fails the test unless the workspace is sound, and readers get the state
// before the call or after it. A call that was acknowledged must have come. Repeated under its key, the call finds that
// it was made, or is made now; it is never made twice.
func (tr *trial) wantSettled(t *testing.T, acknowledged bool) {
	t.Helper()
	tr.nextWrite(t)
	tr.wantSound(t)
	switch now := tr.readable(t); {
	case now == tr.newRead:
	case acknowledged:
		t.Errorf("it was acknowledged, and is not there:\n%s", now)
	case now != tr.oldRead:
		t.Errorf("readers get\n%s\nneither the state before\n%s\nnor that after\n%s", now, tr.oldRead, tr.newRead)
	}
	if acknowledged && tr.moves() {
		tr.wantMoved(t)
	}
	if _, err := tr.watched(never, nil, tr.call.do); err != nil {
		t.Errorf("when called again: %v", err)
	}
	if tr.moves() {
		tr.wantMoved(t)
	}
	if now := tr.readable(t); now != tr.newRead {
		t.Errorf("called again it leaves:\n%s\nnot:\n%s", now, tr.newRead)
	}
}

// moves reports whether the story changes only where files lie, which readers do not see.
func (tr *trial) moves() bool { return tr.oldRead == tr.newRead && len(tr.old) == len(tr.new) }

// wantMoved fails the test unless the files lie where the story put them, and nowhere else.
func (tr *trial) wantMoved(t *testing.T) {
	t.Helper()
	if now := tr.files(t); !maps.Equal(now, tr.new) {
		t.Errorf("files are %q, not %q", slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(tr.new)))
	}
}
