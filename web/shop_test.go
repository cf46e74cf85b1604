package web

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The pictures in docs/web.md are pages as they are; UPDATE makes them anew. LOOK names a folder for pictures of every
// screen, in the widths and themes that a person looks at.
func TestSlowPicturesOfPages(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	ctx := chromium(t)
	b.enterIn(ctx)
	out := os.Getenv("LOOK")
	for _, path := range []string{"/board", "/list", "/needs", "/graph", "/jobs", "/ledger"} {
		if out != "" {
			run(t, ctx, size(1440, 900, false), chromedp.Navigate(b.url+path))
			shot(t, ctx, filepath.Join(out, "empty-"+path[1:]+".png"))
		}
	}
	id := fill(t, b)
	diff, job := fillWork(t, b)
	for _, one := range []struct {
		name, path string
		height     int64
		dark       bool
	}{{"web-board.png", "/board", 580, false}, {"web-task.png", "/task/" + id, 700, true}, {"web-diff.png", diff, 600, false}} {
		path := filepath.Join("..", "docs", one.name)
		run(t, ctx, size(1200, one.height, one.dark), chromedp.Navigate(b.url+one.path))
		if os.Getenv("UPDATE") != "" {
			shot(t, ctx, path)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if config, err := png.DecodeConfig(bytes.NewReader(src)); err != nil || config.Width != 1200 {
			t.Errorf("%s is no picture of a page: %v", path, err)
		}
	}
	if out != "" {
		fillOdd(t, b)
		run(t, ctx, size(1440, 900, false), chromedp.Navigate(b.url+"/board"), chromedp.Click(`li.card a.t`, chromedp.ByQuery))
		eventually(t, ctx, `document.querySelector("#drawer").open`)
		shot(t, ctx, filepath.Join(out, "drawer.png"))
		run(t, ctx, chromedp.Navigate(b.url+"/task/"+id), chromedp.Click(`button.main[data-key=d]`, chromedp.ByQuery))
		eventually(t, ctx, `document.querySelector("#told").open`)
		shot(t, ctx, filepath.Join(out, "refused.png"))
		for _, look := range []struct {
			width int64
			dark  bool
		}{{1440, false}, {768, false}, {360, false}, {1440, true}} {
			for _, path := range append(shopPages(id), diff, job, job+"?file=logs.txt") {
				run(t, ctx, size(look.width, 900, look.dark), chromedp.Navigate(b.url+path))
				name := strings.NewReplacer("/", "-", "?", "-", id, "id").Replace(path[1:])
				shot(t, ctx, filepath.Join(out, fmt.Sprintf("%s-%d-%v.png", name, look.width, look.dark)))
			}
		}
		for name, media := range map[string]*emulation.SetEmulatedMediaParams{
			"print":  emulation.SetEmulatedMedia().WithMedia("print"),
			"forced": emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}),
		} {
			for _, path := range []string{"/board", "/task/" + id, "/graph", "/list", diff} {
				run(t, ctx, size(1000, 900, false), media, chromedp.Navigate(b.url+path))
				shot(t, ctx, filepath.Join(out, name+"-"+strings.NewReplacer("/", "-", id, "id").Replace(path[1:])+".png"))
			}
		}
	}
}

// fillWork adds the work of a job on a task, handed over once, sent back and handed over again. It returns the pages of
// the diff and of the job.
func fillWork(t *testing.T, b *browser) (diff, ofJob string) {
	t.Helper()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Round discounts to the nearest cent", "labels": []string{"payments"}, "checks": []verbtest.Args{{"desc": "tests pass", "cmd": "true"}}}).ID
	verbtest.ApproveAll(t, &w)
	started := verbtest.Must(t, &w, "job_start", verbtest.Args{"id": id, "executor": "mine"}).Job
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	own, err := work.Jobs(s).Own(started)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(own.Change(func(s *job.Status) {
		s.State, s.Attempt, s.StartedAt = job.Running, 1, time.Now().Add(-3*time.Minute)
		s.InputTokens, s.OutputTokens, s.Cost = 48210, 3177, 0.42
	}))
	for _, e := range []job.Event{
		{Type: job.EventState, State: job.Running}, {Type: job.EventText, Text: "I read price.go: Discounted cuts off what is behind the cent."},
		{Type: job.EventToolStart, Text: "edit price.go"}, {Type: job.EventToolEnd, Text: "edit price.go"},
		{Type: job.EventToolStart, Text: "go test ./..."}, {Type: job.EventToolEnd, Text: "go test ./...: --- FAIL: TestDiscounted", Failed: true},
	} {
		must(own.Event(e))
	}
	must(own.WriteFile("stdout.log", []byte("--- FAIL: TestDiscounted (0.00s)\n    price_test.go:7: 15% off 9.99 is 850 cents, want 849\n")))
	must(own.Release())
	tree := verbtest.MakeWorktree(t, &w, record.ID(id))
	must(os.WriteFile(filepath.Join(tree.Path, "price.go"), []byte("package shop\n\nimport \"math\"\n\n// Discounted is a price in cents less some percent.\nfunc Discounted(cents, percent int) int {\n\treturn int(math.Round(float64(cents*(100-percent)) / 100))\n}\n"), 0o644))
	storetest.Identify(t, tree.Path)
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "round")
	at := *w.At(tree.Path)
	verbtest.Must(t, &at, "transition", verbtest.Args{"id": id, "to": "in_review"})
	verbtest.Must(t, &w, "review_apply", verbtest.Args{"id": id, "action": "reject", "text": "price.go:7: no floats for money, please\nElse it is good."})
	verbtest.Must(t, &at, "transition", verbtest.Args{"id": id, "to": "in_review"})
	return "/diff/" + id, "/job/" + started
}

// shopPages are the screens of the workspace that fill makes, as paths.
func shopPages(task string) []string {
	return []string{"/board", "/board?by=holder", "/list", "/needs", "/graph", "/jobs", "/ledger", "/task/" + task, "/new", "/search?q=money", "/search"}
}

// fill writes the tasks of a shop, and returns one that has much to show.
func fill(t *testing.T, b *browser) string {
	w := b.s.reads.w
	must := func(name string, in verbtest.Args) string { return verbtest.Must(t, &w, name, in).ID }
	epic := must("create", verbtest.Args{"title": "Take money without losing any of it", "priority": "1", "labels": []string{"payments"}})
	one := must("create", verbtest.Args{"title": "Add idempotency keys to every call that takes money", "priority": "0", "labels": []string{"payments", "api"}, "parent": epic, "estimate": "2d", "due": "2026-12-03",
		"body":   "Each call that takes **money** gets a key.\n\n- [x] read the specification\n- [ ] write the `Keys` table\n\n```go\nfunc Charge(ctx context.Context, key string) error\n```\n\n| call | key |\n|---|---|\n| charge | yes |\n| refund | yes |\n",
		"checks": []verbtest.Args{{"desc": "tests pass", "cmd": "false"}, {"desc": "lint", "cmd": "true"}}, "acceptance": []string{"read by a person who knows cards"}})
	two := must("create", verbtest.Args{"title": "Take cards", "deps": []string{one}, "labels": []string{"payments"}, "due": "2026-11-20"})
	must("create", verbtest.Args{"title": "Ship it to the first ten customers, and ask each of them what was missing, what they would pay for and whom they would tell", "priority": "3", "deps": []string{one, two}, "parent": epic})
	must("start", verbtest.Args{"id": one})
	must("note", verbtest.Args{"id": one, "text": "The bank wants the key in a **header**, see `X-Key`."})
	agent := w
	agent.Actor = verb.As("agent:claude-code")
	rec := verbtest.Must(t, &agent, "create", verbtest.Args{"title": "Print receipts", "labels": []string{"orders", "print"}}).ID
	verbtest.Must(t, &agent, "begin", verbtest.Args{"id": rec, "expected_actor": "agent:claude-code", "idempotency_key": "k"})
	addr := verbtest.Must(t, &agent, "create", verbtest.Args{"title": "Refuse orders without an address", "labels": []string{"orders"}, "acceptance": []string{"the message is kind"}}).ID
	verbtest.Must(t, &agent, "transition", verbtest.Args{"id": addr, "to": "in_review"})
	verbtest.Must(t, &agent, "handoff_create", verbtest.Args{"title": "May receipts go out by mail?", "to": []string{"human:ada"}, "type": "question", "body": "Mail costs **0.02** each. Paper costs more.", "options": []string{"by mail", "on paper"}, "about": []string{rec}})
	verbtest.ApproveAll(t, &w)
	signed := must("create", verbtest.Args{"title": "Round prices to the cent", "checks": []verbtest.Args{{"desc": "tests pass", "cmd": "true"}}})
	verbtest.ApproveAll(t, &w)
	must("transition", verbtest.Args{"id": signed, "to": "done"})
	for i := range 3 {
		done := must("create", verbtest.Args{"title": fmt.Sprintf("Choose a name for the shop, round %d", i+1)})
		must("transition", verbtest.Args{"id": done, "to": "done"})
	}
	must("create", verbtest.Args{"title": "Let people pay by invoice", "labels": []string{"payments"}, "estimate": "4h", "assignee": "human:grace"})
	must("create", verbtest.Args{"title": "Count what is on the shelves each night", "labels": []string{"stock"}, "priority": "3"})
	returns := must("create", verbtest.Args{"title": "Write the page about returns", "labels": []string{"orders", "docs"}, "assignee": "human:grace", "checks": []verbtest.Args{{"desc": "links lead somewhere", "cmd": "true"}}, "acceptance": []string{"read aloud"}})
	verbtest.ApproveAll(t, &w)
	must("run_checks", verbtest.Args{"id": returns})
	must("run_checks", verbtest.Args{"id": one})
	must("transition", verbtest.Args{"id": returns, "to": "in_review"})
	must("decision_log", verbtest.Args{"title": "How keys are made", "choice": "The client makes them, as UUIDs.", "rationale": "A server cannot know what is a repeat.", "status": "proposed"})
	must("knowledge_write", verbtest.Args{"title": "The bank's test cards", "body": "4242 4242 4242 4242 always passes; 4000 is always refused."})
	return one
}

// fillOdd adds tasks whose titles are hard to show: in other scripts, and without a place to break.
func fillOdd(t *testing.T, b *browser) {
	w := b.s.reads.w
	must := func(name string, in verbtest.Args) { verbtest.Must(t, &w, name, in) }
	must("create", verbtest.Args{"title": "棚の在庫を数える (count what is on the shelves)", "labels": []string{"stock", "日本"}})
	must("create", verbtest.Args{"title": "سجّل الطلبات التي لا عنوان لها", "labels": []string{"orders"}, "priority": "4"})
	must("create", verbtest.Args{"title": "Averyveryveryveryveryveryveryveryveryveryveryveryverylongwordthatnobodycanbreak_in_a_sensible_place"})
}
