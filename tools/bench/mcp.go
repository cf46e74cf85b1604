package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names of what is measured of the MCP server.
const (
	callFirst = "first list after the start"
	callReady = "list, ready"
	callGet   = "get"
	wakeTask  = "wake of a wait for a task"
	wakeState = "wake of a wait for a state"
	wakeCrowd = "wake beside 200 waits"
	idleCPU   = "200 waits, nothing happens: processor"
	busyCPU   = "200 waits, one write a second: processor"
	peakMCP   = "peak memory of the server"
)

// crowd is how many waits are pending in one server, each for something else, where that is measured.
const (
	crowd      = 200
	crowdTasks = 10_000
)

type object = map[string]any

// client is an agent's client: the official SDK's, over the standard streams of a server that it started.
type client struct {
	workspace
	session *mcp.ClientSession
	server  *exec.Cmd
}

// connect starts the server in the workspace.
func (r runner) connect(ctx context.Context) (*client, error) {
	cmd := r.command(ctx, r.cairn, "serve")
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("cairn serve: %w", err)
	}
	return &client{r.workspace, session, cmd}, nil
}

// call calls a tool and returns the structured part of the answer.
func (c *client) call(ctx context.Context, tool string, in object) (answer, error) {
	var out answer
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		return out, fmt.Errorf("%s: %w", tool, err)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return out, err
	}
	if result.IsError {
		return out, fmt.Errorf("%s: %s", tool, raw)
	}
	return out, json.Unmarshal(raw, &out)
}

// answer is what is looked at in answers.
type answer struct {
	Code   string `json:"code"`
	Cursor string `json:"cursor"`
}

// calls measures the MCP server on the workspace.
func (r runner) calls(ctx context.Context) (out []figure, err error) {
	if out, err = r.answers(ctx); err != nil {
		return out, err
	}
	c, err := r.connect(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, c.session.Close()) }()
	if _, err := c.call(ctx, "list", object{"ready": true}); err != nil { // for the peak of its memory
		return out, err
	}
	task := string(r.id(r.n - 1))
	for _, wait := range []struct {
		name  string
		in    object
		touch int // the task that is written
	}{
		{wakeTask, object{"id": task}, r.n - 1},
		{wakeState, object{"status": "in_progress"}, r.done()},
	} {
		f, err := c.wakes(ctx, wait.name, wait.in, wait.touch, 20, 0)
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	if r.n == crowdTasks {
		beside, err := c.besideWaits(ctx)
		if err != nil {
			return out, err
		}
		out = append(out, beside...)
	}
	if bytes := c.peakMemory(); bytes > 0 {
		out = append(out, figure{name: peakMCP, peak: bytes})
	}
	return out, nil
}

// wakes measures how long after a write of another process a wait is answered, so many times, or fewer where each takes
// long. Between two writes at least pause goes by.
func (c *client) wakes(ctx context.Context, name string, in object, touch, times int, pause time.Duration) (figure, error) {
	f, first := figure{name: name}, time.Now()
	for i := range times {
		if i >= 5 && time.Since(first) > 20*time.Second {
			break
		}
		began := time.Now()
		seen, err := c.call(ctx, "wait", with(in, "timeout_seconds", 0))
		if err != nil {
			return f, err
		}
		read := time.Since(began)
		woken := make(chan error, 1)
		var at time.Time
		var got answer
		go func() {
			var err error
			got, err = c.call(ctx, "wait", with(in, "cursor", seen.Cursor))
			at = time.Now()
			woken <- err
		}()
		time.Sleep(max(3*read+20*time.Millisecond, pause)) // by now it has read, and blocks
		wrote, err := c.retitle(touch, i)
		if err != nil {
			return f, err
		}
		if err := <-woken; err != nil {
			return f, err
		}
		if got.Code == "TASK_CHANGED" { // else the wait was not there yet
			f.wall = append(f.wall, at.Sub(wrote))
		}
	}
	return f, nil
}

func with(in object, key string, value any) object {
	out := object{key: value}
	for k, v := range in {
		out[k] = v
	}
	return out
}

// retitle gives a task another title, by a rename as most programs save, and returns when.
func (c *client) retitle(i, count int) (time.Time, error) {
	path := c.path(kind.Tasks.File(c.id(i)))
	src, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	lines := strings.Split(string(src), "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, "title: ") {
			lines[n] = fmt.Sprintf("title: Saved for the %dth time", count)
		}
	}
	saved := c.path(".cairn/tasks/.saved")
	if err := os.WriteFile(saved, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return time.Time{}, err
	}
	at := time.Now()
	return at, os.Rename(saved, path)
}

// besideWaits measures what many pending waits cost the server. It needs Linux.
func (c *client) besideWaits(ctx context.Context) ([]figure, error) {
	if _, ok := c.processorTime(); !ok {
		return nil, nil
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for n := range crowd {
		go func() { _, _ = c.call(ctx, "wait", with(c.another(n), "timeout_seconds", 3600)) }() // ends with the context
	}
	c.settle()
	idle := c.share(func() { time.Sleep(6 * time.Second) })
	var f figure
	var err error
	busy := c.share(func() { f, err = c.wakes(ctx, wakeCrowd, object{"id": string(c.id(c.n - 1))}, c.n-1, 12, time.Second) })
	return []figure{
		{name: idleCPU, inner: []time.Duration{idle}},
		{name: busyCPU, inner: []time.Duration{busy}},
		f,
	}, err
}

// another is what the n-th of the crowd waits for. None of it happens.
func (c *client) another(n int) object {
	switch n % 4 {
	case 0:
		return object{"id": string(c.id(n))}
	case 1:
		return object{"status": "canceled", "label": fmt.Sprint("area-", n)}
	case 2:
		return object{"assignee": fmt.Sprint("agent:absent-", n)}
	default:
		return object{"parent": string(c.id(n))}
	}
}

// settle returns when the server has come to rest, or after a minute.
func (c *client) settle() {
	was := time.Duration(-1)
	for range 120 {
		used, _ := c.processorTime()
		if used-was < 10*time.Millisecond {
			return
		}
		was = used
		time.Sleep(500 * time.Millisecond)
	}
}

// share is the processor time that the server takes of each second while something goes on.
func (c *client) share(during func()) time.Duration {
	before, _ := c.processorTime()
	began := time.Now()
	during()
	after, _ := c.processorTime()
	return time.Duration(float64(after-before) / time.Since(began).Seconds())
}

// processorTime is how long the server has had a processor, as Linux counts it, in hundredths of a second.
func (c *client) processorTime() (time.Duration, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.server.Process.Pid))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	var ticks int
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, false
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, true
}

// peakMemory is the most memory that the server has had, in bytes; 0 if the system does not say.
func (c *client) peakMemory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.server.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := number(strings.TrimSuffix(strings.TrimSpace(size), " kB"))
			return kb << 10
		}
	}
	return 0
}
