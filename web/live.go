package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store/kind"
)

// hub tells the open pages what changed. One wait serves all of them, and nobody waits for a page that is slow: what it
// was not told yet is added up.
type hub struct {
	reads *reader
	ping  time.Duration // between signs of life, by which each end sees that the other is gone
	boot  string        // of this run of the server, so that no revision of another is taken for one of this

	mu      sync.Mutex
	rev     int
	streams map[*stream]bool
	closed  bool
}

// stream is an open page.
type stream struct {
	bell chan struct{}
	ids  []string // that changed since it was told last
	said string   // how far a long call has come
}

// anything stands for the ids of what changed where these are not known, or too many.
const anything = "*"

// mostTold is how many ids a page is told; beyond it reads everything anew.
const mostTold = 50

func newHub(reads *reader) *hub {
	return &hub{reads: reads, ping: pingTime, boot: rand.Text()[:8], streams: map[*stream]bool{}}
}

// now is the revision of the workspace that pages are read as of: what changes later has a higher one.
func (h *hub) now() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.name()
}

func (h *hub) name() string { return strconv.Itoa(h.rev) + "." + h.boot }

// run waits for changes until ctx ends.
func (h *hub) run(ctx context.Context) {
	go h.others(ctx)
	cursor := ""
	for ctx.Err() == nil {
		in := args{"timeout_seconds": 60}
		if cursor != "" {
			in["cursor"] = cursor
		}
		out, err := ask[activity.Waited](ctx, h.reads, "wait", in)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // a config that cannot be read, say
			h.changed(anything)
			wait(ctx, 2*time.Second)
			continue
		case out.Code != activity.WaitTimeout && cursor != "" || len(out.Changed) > 0:
			h.changed(idsOf(out)...)
		}
		cursor = out.Cursor
	}
}

func idsOf(out activity.Waited) []string {
	var ids []string
	for _, c := range out.Changed {
		if c.Task == "" {
			return []string{anything}
		}
		ids = append(ids, string(c.Task))
	}
	if len(ids) == 0 || len(ids) >= mostTold {
		return []string{anything}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// others watches what a wait for tasks does not tell: jobs, and records of other kinds.
func (h *hub) others(ctx context.Context) {
	at, err := h.reads.w.Open()
	if err != nil {
		return
	}
	ticks, stop := h.reads.w.Watcher.Watch(at.Layout)
	defer stop()
	last := h.seen(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		if h.count() > 0 {
			if seen := h.seen(ctx); seen != last {
				last = seen
				h.changed(anything)
			}
		}
	}
}

// count is how many pages are open.
func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

// seen is a digest of the jobs, and of the records that are no tasks.
func (h *hub) seen(ctx context.Context) uint64 {
	sum := fnv.New64a()
	w := h.reads.w
	if at, err := w.Open(); err == nil {
		_, _ = w.EachRow(ctx, at, func(k *kind.Kind, r *kind.Row) {
			if k != kind.Tasks.Kind {
				_, _ = fmt.Fprintln(sum, k.Name, r.ID, r.Status, r.Updated, r.Assignee)
			}
		})
	}
	if all, err := ask[jobs.Listed](ctx, h.reads, "job_list", args{"limit": 50}); err == nil {
		for _, j := range all.Items {
			_, _ = fmt.Fprintln(sum, j.Job, j.State, j.Phase, j.Version, j.InputTokens, j.OutputTokens)
		}
	}
	return sum.Sum64()
}

// changed counts a change, and rings at each page.
func (h *hub) changed(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev++
	for one := range h.streams {
		if one.ids = append(one.ids, ids...); len(one.ids) > mostTold || slices.Contains(one.ids, anything) {
			one.ids = []string{anything}
		}
		one.ring()
	}
}

// progress tells the pages how far a call has come.
func (h *hub) progress(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for one := range h.streams {
		one.said = harmless.Line(text)
		one.ring()
	}
}

func (s *stream) ring() {
	select {
	case s.bell <- struct{}{}:
	default: // it has not taken the last one
	}
}

// open adds a page; nil if there is no room for one.
func (h *hub) open() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) >= maxStreams || h.closed {
		return nil
	}
	one := &stream{bell: make(chan struct{}, 1)}
	h.streams[one] = true
	return one
}

func (h *hub) leave(one *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, one)
}

// close ends all streams, so that the end of a server waits for none, and opens no more.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.drop()
}

// drop ends all streams.
func (h *hub) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for one := range h.streams {
		close(one.bell)
		delete(h.streams, one)
	}
}

// take is what a page is to be told.
func (h *hub) take(one *stream) (rev string, ids []string, said string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids, one.ids = one.ids, nil
	said, one.said = one.said, ""
	slices.Sort(ids)
	return h.name(), slices.Compact(ids), said
}

const pingTime = 25 * time.Second

// stream tells one page what changes, as server-sent events. It begins with the revision as it is, by which a page that
// was away knows whether it missed something.
func (h *hub) stream(w http.ResponseWriter, r *http.Request, _ *visitor) {
	one := h.open()
	if one == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(one)
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event, data string) bool {
		_ = limit.SetWriteDeadline(time.Now().Add(answerTime))
		_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		return err == nil && limit.Flush() == nil
	}
	ok := send("rev", h.now())
	ping := time.NewTicker(h.ping)
	defer ping.Stop()
	for ok {
		select {
		case <-r.Context().Done():
			return
		case <-ping.C:
			ok = send("rev", h.now()) // what was not told yet comes of itself
		case _, open := <-one.bell:
			if !open {
				return
			}
			rev, ids, said := h.take(one)
			if len(ids) > 0 {
				ok = send("rev", strings.TrimSpace(rev+" "+strings.Join(ids, " ")))
			}
			if said != "" && ok {
				ok = send("said", said)
			}
		}
	}
}
