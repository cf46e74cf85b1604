//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
)

// crowd is how many other calls wait in the server.
const crowd = 200

// What the crowd waits for, none of which happens. Only the first task changes; all others stay in review.
var (
	nobody  = func(int) object { return nil }
	onTasks = func(n int) object { return object{"id": benchID(n)} }
	onState = func(int) object { return object{"status": "canceled"} }
	forWork = func(int) object { return object{"ready": true, "assignee": "human:shah"} }
)

// How long after a write by another process the client gets the change.
func BenchmarkWake(b *testing.B) {
	for _, bench := range []struct {
		name   string
		tasks  int
		in     object
		beside func(n int) object
	}{
		{"a task", 1_000, object{"id": benchID(0)}, nobody},
		{"a task beside 200 tasks", 1_000, object{"id": benchID(0)}, onTasks},
		{"a task beside 200 states", 1_000, object{"id": benchID(0)}, onState},
		{"a state", 1_000, object{"status": "in_review"}, nobody},
		{"a state", 10_000, object{"status": "in_review"}, nobody},
		{"a state beside 200 states", 1_000, object{"status": "in_review"}, onState},
		{"work", 1_000, object{"ready": true}, nobody},
		{"work", 10_000, object{"ready": true}, nobody},
		{"work beside 200 for work", 1_000, object{"ready": true}, forWork},
	} {
		b.Run(fmt.Sprintf("%s/%d", bench.name, bench.tasks), func(b *testing.B) {
			w := filled(b, bench.tasks)
			a := hire(b, w, nil, "agent:ada")
			wait(b, a, bench.beside)
			var took []time.Duration
			for b.Loop() {
				w.putTask(b, 0, "in_review")
				seen, began := activity.Waited{}, time.Now()
				if err := a.call(b.Context(), "wait", with(bench.in, "timeout_seconds", 0), &seen); err != nil {
					b.Fatal(err)
				}
				read := time.Since(began)
				heard := make(chan time.Time, 1)
				var out activity.Waited
				go func() {
					if err := a.call(b.Context(), "wait", with(bench.in, "cursor", seen.Cursor), &out); err != nil {
						b.Error(err)
					}
					heard <- time.Now()
				}()
				time.Sleep(3*read + 10*time.Millisecond) // by now it has read, and blocks
				wrote := w.putTask(b, 0, "backlog")
				if at := <-heard; out.Code == activity.TaskChanged {
					took = append(took, at.Sub(wrote))
				}
			}
			report(b, took)
		})
	}
}

// How long get takes beside waits that are pending in the same server.
func BenchmarkGetBesideWaits(b *testing.B) {
	for _, bench := range []struct {
		name   string
		beside func(n int) object
	}{{"alone", nobody}, {"200 tasks", onTasks}, {"200 states", onState}} {
		b.Run(bench.name, func(b *testing.B) {
			a := hire(b, filled(b, 1_000), nil, "agent:ada")
			wait(b, a, bench.beside)
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := a.call(b.Context(), "get", object{"id": benchID(0)}, new(verb.Task)); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			report(b, took)
		})
	}
}

// How much of a processor waits take while nothing happens.
func BenchmarkIdleWaits(b *testing.B) {
	for _, bench := range []struct {
		name   string
		tasks  int
		beside func(n int) object
	}{
		{"none", 1_000, nobody}, {"200 tasks", 1_000, onTasks},
		{"200 states", 1_000, onState}, {"200 for work", 1_000, forWork},
		{"200 states", 10_000, onState}, {"200 for work", 10_000, forWork},
	} {
		b.Run(fmt.Sprintf("%s/%d", bench.name, bench.tasks), func(b *testing.B) {
			a := hire(b, filled(b, bench.tasks), nil, "agent:ada")
			wait(b, a, bench.beside)
			before, began := processorTime(b, a.server.Process.Pid), time.Now()
			for b.Loop() {
				time.Sleep(4 * time.Second) // two reads
			}
			used := processorTime(b, a.server.Process.Pid) - before
			b.ReportMetric(100*used.Seconds()/time.Since(began).Seconds(), "%cpu")
		})
	}
}

// filled makes a workspace of n tasks of the usual size, whose files are old enough to be cached.
func filled(b *testing.B, n int) workspace {
	b.Helper()
	w := newEmptyWorkspace(b)
	for i := range n {
		w.putTask(b, i, "in_review")
	}
	time.Sleep(2 * time.Second)
	return w
}

func benchID(n int) string { return fmt.Sprintf("T-%05d", n) }

// putTask puts a task file in the place of another, and returns when it did.
func (w workspace) putTask(b *testing.B, n int, status string) time.Time {
	b.Helper()
	text := fmt.Sprintf(`---
id: %s
title: Raise the walls
status: %s
priority: 1
labels: [masonry, north]
checks:
  - desc: it stands
    cmd: test -e wall
    result: pending
provenance:
  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}
  - {who: 'agent:ada', at: 2026-06-21T10:05:00Z, did: began, session: ses-01j8x2k7q7f3az}
---

As high as the drawing says.
`, benchID(n), status)
	tasks := filepath.Join(w.dir, ".cairn", "tasks")
	temp := filepath.Join(tasks, ".temp")
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	at := time.Now()
	if err := os.Rename(temp, filepath.Join(tasks, benchID(n)+".md")); err != nil {
		b.Fatal(err)
	}
	return at
}

// wait has the agent's client make a crowd of calls that wait, until the client leaves, and returns when all block.
func wait(b *testing.B, a *agent, in func(n int) object) {
	b.Helper()
	if in(0) == nil {
		return
	}
	for n := range crowd {
		go func() { _ = a.call(b.Context(), "wait", with(in(n+1), "timeout_seconds", 3600), new(activity.Waited)) }()
	}
	for pid, was := a.server.Process.Pid, time.Duration(-1); ; time.Sleep(500 * time.Millisecond) {
		used := processorTime(b, pid)
		if used-was < 10*time.Millisecond {
			return
		}
		was = used
	}
}

func with(in object, key string, value any) object {
	out := maps.Clone(in)
	out[key] = value
	return out
}

// processorTime is how long a process has had a processor, as Linux counts it, in hundredths of a second.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip(err)
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks int
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(string(field))
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// report reports the median of durations, and the duration that one in a hundred exceeds.
func report(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	for name, part := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99} {
		if len(took) > 0 {
			b.ReportMetric(float64(took[int(part*float64(len(took)-1))].Microseconds())/1000, name)
		}
	}
}
