package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// What is compared with other programs. Each does it in its own way; docs/performance.md says which command that is.
const (
	peerList   = "list"
	peerReady  = "ready"
	peerShow   = "show"
	peerCreate = "create"
)

var peerCommands = []string{peerList, peerReady, peerShow, peerCreate}

// peerLimit is how long one run of another program may take.
const peerLimit = 15 * time.Second

// peer is another program that keeps tasks. Its figures are of plain tasks: what every format can hold.
type peer struct {
	name  string // of the program
	title string
	env   func(dir string) []string               // what it needs beside an empty home
	setUp func(ctx context.Context, h home) error // makes the tasks
	lines map[string]func(id record.ID) []string  // the arguments of each command that it has; of a task
}

// home is where another program has its tasks.
type home struct {
	graph
	dir string
	env []string
}

var peers = []peer{
	{
		name: "tk", title: "tk",
		setUp: func(_ context.Context, h home) error { return h.each(".tickets", tkFile) },
		lines: map[string]func(record.ID) []string{
			peerList:   plainly("ls"),
			peerReady:  plainly("ready"),
			peerShow:   func(id record.ID) []string { return []string{"show", string(id)} },
			peerCreate: plainly("create", "Measured"),
		},
	},
	{
		name: "dstask", title: "dstask",
		env:   func(dir string) []string { return []string{"DSTASK_GIT_REPO=" + filepath.Join(dir, "dstask")} },
		setUp: setUpDstask,
		lines: map[string]func(record.ID) []string{ // what is ready it cannot tell: its dependencies are not asked
			peerList:   plainly("show-open"),
			peerShow:   plainly("show-open", "1"),
			peerCreate: plainly("add", "Measured"),
		},
	},
	{
		name: "task", title: "taskwarrior",
		env: func(dir string) []string {
			return []string{"TASKRC=" + filepath.Join(dir, "taskrc"), "TASKDATA=" + filepath.Join(dir, "data")}
		},
		setUp: setUpTaskwarrior,
		lines: map[string]func(record.ID) []string{
			peerList:   plainly("list", "limit:50"),
			peerReady:  plainly("ready", "limit:50"),
			peerShow:   func(id record.ID) []string { return []string{uuidOf(id), "information"} },
			peerCreate: plainly("add", "Measured"),
		},
	},
	{
		name: "beans", title: "beans",
		setUp: setUpBeans,
		lines: map[string]func(record.ID) []string{
			peerList:   plainly("list", "--json"),
			peerReady:  plainly("list", "--ready", "--json"),
			peerShow:   func(id record.ID) []string { return []string{"show", beanOf(id), "--json"} },
			peerCreate: plainly("create", "Measured", "--json"),
		},
	},
}

// plainly are arguments that name no task.
func plainly(args ...string) func(record.ID) []string {
	return func(record.ID) []string { return args }
}

// compared is what was measured of cairn and other programs with the same tasks, by program and command.
type compared struct {
	tasks    int
	programs []string
	figures  map[string]figure
}

// installed divides the peers into those that are on PATH and the names of the others.
func installed() (there []peer, absent []string) {
	for _, p := range peers {
		if _, err := exec.LookPath(p.name); err == nil {
			there = append(there, p)
		} else {
			absent = append(absent, p.title)
		}
	}
	return there, absent
}

// compare measures cairn, in its workspace, beside the peers with the same tasks, in the same rounds.
func (r runner) compare(ctx context.Context, dir string, there []peer) (compared, error) {
	out := compared{tasks: r.n, programs: []string{"cairn"}, figures: map[string]figure{}}
	mine := map[string][]string{
		peerList: {"list", "--json"}, peerReady: {"list", "--ready", "--json"},
		peerShow: {"show", string(r.id(r.n / 2)), "--json"}, peerCreate: {"create", "Measured"},
	}
	var probes []probe
	for _, command := range peerCommands {
		probes = append(probes, probe{
			name:    "cairn " + command,
			command: func(int) []string { return append([]string{r.cairn}, mine[command]...) },
		})
	}
	for _, p := range there {
		out.programs = append(out.programs, p.title)
		h, err := p.move(ctx, filepath.Join(dir, p.name), r.graph)
		for _, command := range peerCommands {
			name := p.title + " " + command
			line := p.lines[command]
			switch {
			case line == nil:
			case err != nil:
				out.figures[name] = figure{name: name, failed: err.Error()}
			default:
				args := line(r.id(r.n / 2))
				probes = append(probes, probe{
					name: name, limit: peerLimit, env: h.env, dir: h.dir,
					command: func(int) []string { return append([]string{p.name}, args...) },
				})
			}
		}
	}
	figures, err := r.rounds(ctx, probes, 3, 10, 20*time.Second)
	for _, f := range figures {
		out.figures[f.name] = f
	}
	return out, err
}

// move makes a home for a peer, with all tasks in it.
func (p peer) move(ctx context.Context, dir string, g graph) (home, error) {
	h := home{graph: g, dir: dir, env: isolated(dir)}
	if p.env != nil {
		h.env = append(h.env, p.env(dir)...)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return h, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	if err := h.run(ctx, "", "git", "init", "--quiet"); err != nil {
		return h, err
	}
	err := p.setUp(ctx, h)
	if ctx.Err() != nil {
		return h, fmt.Errorf("its tasks were not there in two minutes")
	}
	return h, err
}

// run runs a program that sets something up.
func (h home) run(ctx context.Context, input, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = h.dir, h.env, strings.NewReader(input)
	ownGroup(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, args[0], err, out)
	}
	return nil
}

// each writes a file for each task into a folder.
func (h home) each(folder string, file func(h home, t task.Task) (name, content string)) error {
	if err := os.MkdirAll(filepath.Join(h.dir, folder), 0o755); err != nil {
		return err
	}
	for i := range h.n {
		t, _, err := h.task(i)
		if err != nil {
			return err
		}
		name, content := file(h, t)
		if err := os.WriteFile(filepath.Join(h.dir, folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func tkFile(_ home, t task.Task) (name, content string) {
	status := map[record.Status]string{"done": "closed", "in_progress": "in_progress"}[t.Status]
	if status == "" {
		status = "open"
	}
	deps := record.Each(t.Deps, func(dep record.ID) string { return string(dep) })
	return string(t.ID) + ".md", fmt.Sprintf("---\nid: %s\nstatus: %s\ndeps: [%s]\nlinks: []\ncreated: %s\ntype: task\npriority: %d\n---\n# %s\n",
		t.ID, status, strings.Join(deps, ", "), created(t), t.Priority, t.Title)
}

func created(t task.Task) string { return t.Provenance.First().At.Format(time.RFC3339) }

// setUpDstask makes the files of dstask: a folder for each state.
func setUpDstask(ctx context.Context, h home) error {
	if err := h.run(ctx, "", "git", "init", "--quiet", "dstask"); err != nil {
		return err
	}
	for _, folder := range []string{"dstask/pending", "dstask/active", "dstask/resolved"} {
		if err := os.MkdirAll(filepath.Join(h.dir, folder), 0o755); err != nil {
			return err
		}
	}
	if err := h.each("dstask", dstaskFile); err != nil {
		return err
	}
	return h.run(ctx, "", "git", "-C", "dstask", "commit", "--quiet", "--allow-empty", "--message", "All tasks")
}

func dstaskFile(_ home, t task.Task) (name, content string) {
	folder, resolved := "pending", "0001-01-01T00:00:00Z"
	switch t.Status {
	case "done":
		folder, resolved = "resolved", t.Provenance.Last().At.Format(time.RFC3339)
	case "in_progress":
		folder = "active"
	}
	deps := " []"
	for i, dep := range t.Deps {
		if i == 0 {
			deps = ""
		}
		deps += "\n- " + uuidOf(dep)
	}
	return filepath.Join(folder, uuidOf(t.ID)+".yml"), fmt.Sprintf(
		"summary: %s\nnotes: \"\"\ntags: []\nproject: \"\"\npriority: P%d\ndelegatedto: \"\"\nsubtasks: []\ndependencies:%s\ncreated: %s\nresolved: %s\ndue: 0001-01-01T00:00:00Z\n",
		strconv.Quote(t.Title), min(int(t.Priority), 3), deps, created(t), resolved)
}

// setUpTaskwarrior has taskwarrior import the tasks, because its versions keep them in different forms.
func setUpTaskwarrior(ctx context.Context, h home) error {
	const settings = "confirmation=off\nverbose=nothing\nhooks=off\ncolor=off\nnews.version=9.9.9\n"
	if err := os.WriteFile(filepath.Join(h.dir, "taskrc"), []byte(settings), 0o644); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(h.dir, "data"), 0o755); err != nil {
		return err
	}
	var lines strings.Builder
	for i := range h.n {
		t, _, err := h.task(i)
		if err != nil {
			return err
		}
		const form = "20060102T150405Z"
		one := map[string]any{"uuid": uuidOf(t.ID), "description": t.Title, "status": "pending", "entry": t.Provenance.First().At.Format(form)}
		switch t.Status {
		case "done":
			one["status"], one["end"] = "completed", t.Provenance.Last().At.Format(form)
		case "in_progress":
			one["start"] = t.Provenance.Last().At.Format(form)
		}
		deps := record.Each(t.Deps, uuidOf)
		if deps != nil {
			one["depends"] = deps
		}
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	return h.run(ctx, lines.String(), "task", "import", "-")
}

// setUpBeans makes the files of beans.
func setUpBeans(ctx context.Context, h home) error {
	if err := h.run(ctx, "", "beans", "init"); err != nil {
		return err
	}
	return h.each(".beans", func(_ home, t task.Task) (name, content string) {
		status := map[record.Status]string{"done": "completed", "in_progress": "in-progress"}[t.Status]
		if status == "" {
			status = "todo"
		}
		deps := ""
		for i, dep := range t.Deps {
			if i == 0 {
				deps = "blocked_by:\n"
			}
			deps += "    - " + beanOf(dep) + "\n"
		}
		return beanOf(t.ID) + "--measured.md", fmt.Sprintf("---\n# %s\ntitle: %s\nstatus: %s\ntype: task\npriority: normal\ncreated_at: %s\nupdated_at: %s\n%s---\n\n",
			beanOf(t.ID), strconv.Quote(t.Title), status, created(t), created(t), deps)
	})
}

// beanOf is the id of a task as beans has it.
func beanOf(id record.ID) string { return strings.Replace(string(id), prefix+"-", "beans-", 1) }

// uuidOf is a UUID that stands for a task, of version 4 by its form.
func uuidOf(id record.ID) string {
	sum := sha256.Sum256([]byte(id))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
