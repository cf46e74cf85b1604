package crashtest

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/layout"
)

// flushes is what each story flushes, in order: the content of a file as tasks/*, the names in a folder as tasks/. A
// file is flushed before it gets its name, and a folder once for all names that change in it in one turn
// (store.publish). Folders that are made for records, and the first time for the trash, are flushed by their name. Live
// state and logs of runs are not flushed: they may be lost.
var flushes = map[string]string{
	"create": "tasks/* tasks/",
	"claim":  "tasks/* tasks/",
	"claim that takes over from a session that stalled": "tasks/* sessions/* tasks/ sessions/",
	"next":                   "tasks/* tasks/",
	"plan":                   "tasks/* tasks/* tasks/* tasks/",
	"import":                 "tasks/* tasks/* tasks/",
	"propose":                "./ plans/* plans/",
	"plan that was proposed": "tasks/* tasks/* plans/* tasks/ plans/",
	"delete":                 "local/ ./ local/trash/* local/trash/ tasks/",
	"delete of a task with a session that stalled": "local/ ./ local/trash/* local/trash/* local/trash/ sessions/ tasks/",
	"archive":         "./ closed/ closed/2026-06/ tasks/",
	"repo_register":   "* ./",
	"repo_link":       "* ./",
	"settings_set":    "* ./",
	"restore":         "tasks/* tasks/",
	"undo of a claim": "tasks/* tasks/",
	"start":           "tasks/* tasks/",
	"start that takes over from a session that stalled": "tasks/* sessions/* tasks/ sessions/",
	"release":                           "tasks/* tasks/",
	"release of a session that stalled": "tasks/* sessions/* tasks/ sessions/",
	"update":                            "tasks/* tasks/",
	"update that gives the task to another than its session": "tasks/* sessions/* tasks/ sessions/",
	"transition":                       "tasks/* tasks/",
	"close that runs checks":           "tasks/* tasks/",
	"close that ends a session":        "tasks/* sessions/* tasks/ sessions/",
	"run_checks":                       "tasks/* tasks/",
	"attest":                           "tasks/* tasks/",
	"review_apply that approves":       "tasks/* tasks/",
	"review_apply that rejects":        "tasks/* tasks/",
	"note":                             "tasks/* tasks/",
	"note on a session":                "sessions/* sessions/",
	"ref_add":                          "tasks/* tasks/",
	"ref_add of a file":                "./ files/* files/* files/* tasks/* files/ tasks/",
	"ref_update":                       "tasks/* tasks/",
	"ref_remove":                       "tasks/* tasks/",
	"decision_log":                     "./ decisions/* decisions/",
	"decision_set_status":              "decisions/* decisions/",
	"note on a decision":               "decisions/* decisions/",
	"risk_create":                      "./ risks/* risks/",
	"note on a record of another kind": "risks/* risks/",
	"risk_close":                       "risks/* risks/",
	"begin":                            "sessions/* tasks/* sessions/ tasks/",
	"begin that takes over from a session that stalled": "sessions/* tasks/* sessions/* sessions/ tasks/ sessions/",
	"note on a task at rest":                            "closed/2026-06/* closed/2026-06/",
	"transition of a task at rest":                      "closed/2026-06/* sessions/* closed/2026-06/ sessions/",
	"delete of a task at rest":                          "local/ ./ local/trash/* local/trash/* local/trash/ closed/2026-06/ sessions/",
	"heartbeat":                                         "",
	"finish":                                            "tasks/* sessions/* tasks/ sessions/",
	"cancel":                                            "tasks/* sessions/* tasks/ sessions/",
	"feedback_create":                                   "./ feedback/* feedback/",
	"skill_upsert":                                      "./ skills/* skills/",
	"skill_upsert of a skill that is there":             "skills/* skills/",
	"handoff_create":                                    "./ handoffs/* handoffs/",
	"handoff_claim":                                     "handoffs/* handoffs/",
	"release of a handoff":                              "handoffs/* handoffs/",
	"handoff_respond":                                   "handoffs/* handoffs/",
	"handoff_resolve":                                   "handoffs/* handoffs/",
	"inbox that acknowledges":                           "handoffs/* handoffs/",
	"register":                                          "./ actors/* actors/",
	"knowledge_write":                                   "./ knowledge/* knowledge/",
	"change of a note of knowledge":                     "knowledge/* knowledge/",
	"milestone_add":                                     "./ milestones/* milestones/",
	"milestone_set":                                     "milestones/* milestones/",
	"update of several tasks":                           "tasks/* tasks/* tasks/",
	"register again":                                    "actors/* actors/",
}

// flushed is what some calls flush, as flushes has it.
func flushed(h *house, calls []disk.Call) string {
	var out []string
	for _, c := range calls {
		if c.Op != disk.Sync {
			continue
		}
		name := layout.SlashRel(filepath.Join(h.root, layout.Folder), c.Path)
		if strings.HasSuffix(name, ".tmp") {
			name = path.Join(path.Dir(name), "*")
		} else {
			name += "/"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// A write waits for the disk as often as its guarantees need, and no more.
func TestWritesFlushNoMore(t *testing.T) {
	t.Parallel()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			want, ok := flushes[s.name]
			if got := flushed(h, newTrial(t, h, s).calls); !ok || got != want {
				t.Errorf("it flushes %q, and not %q", got, want)
			}
		})
	}
}

// The first write of a clone flushes no folder of the live state, which may be lost.
func TestFirstWriteFlushesNoMore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	must(t, os.RemoveAll(string(h.open(t).Live)))
	first := call{h.root, h.stateDir(), "agent:a", during, "note", in{"id": about, "text": "first"}}
	calls, err := h.watched(never, nil, first.do)
	must(t, err)
	if got := flushed(h, calls); got != flushes["note"] {
		t.Errorf("it flushes %s, and not %s", got, flushes["note"])
	}
}

// A plan flushes the content of each task, and their folder once.
func TestPlanFlushesItsFolderOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var tasks []in
	for range 20 {
		tasks = append(tasks, in{"title": "One of many"})
	}
	plan := call{h.root, h.stateDir(), "agent:a", during, "plan", in{"tasks": tasks}}
	calls, err := h.watched(never, nil, plan.do)
	must(t, err)
	if got, want := flushed(h, calls), strings.Repeat("tasks/* ", len(tasks))+"tasks/"; got != want {
		t.Errorf("it flushes %s, and not %s", got, want)
	}
}

// What must outlive a power cut is flushed in the order in which it must come: the content of a record before its name,
// the copy in the trash before the record is removed, and every name before the write is acknowledged.
func TestFlushesComeInOrder(t *testing.T) {
	t.Parallel()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			live := h.open(t).Live
			var content []string         // files whose content is flushed
			waiting := map[string]bool{} // folders with names that are not
			for _, c := range newTrial(t, h, s).calls {
				dir, name := filepath.Split(c.Path)
				dir = filepath.Clean(dir)
				volatile := strings.HasPrefix(c.Path, string(live)) && dir != live.Trash()
				temporary := atomicfile.IsTemp(name)
				switch {
				case c.Op == disk.Sync && temporary:
					content = append(content, name)
				case c.Op == disk.Sync:
					delete(waiting, c.Path)
				case volatile || temporary || strings.HasPrefix(dir, filepath.Join(h.root, layout.Folder, "runs")):
				case c.Op == disk.Link || c.Op == disk.Rename:
					if !slices.ContainsFunc(content, func(temp string) bool { return atomicfile.IsTempOf(name, temp) }) {
						t.Errorf("%s gets its name before its content is flushed", name)
					}
					waiting[dir] = true
				case c.Op == disk.Move: // its content was flushed when it was written
					waiting[dir], waiting[filepath.Join(h.root, layout.Folder, "tasks")] = true, true
				case c.Op == disk.Remove:
					if waiting[live.Trash()] {
						t.Errorf("%s is removed before its copy is flushed", name)
					}
					waiting[dir] = true
				}
			}
			if len(waiting) > 0 {
				t.Errorf("acknowledged with names that are not flushed, in %v", waiting)
			}
		})
	}
}
