package web

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/chromedp/chromedp"
)

// What people ask of a board is answered in a real browser, from the board that they come in by, within three clicks each,
// and the answer is seen without a scroll.
func TestSlowTheFiveQuestions(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	fill(t, b)
	fillWork(t, b)
	w := b.s.reads.w
	first := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Ask the bank", "due": "20d"}).ID
	verbtest.Must(t, &w, "create", verbtest.Args{"title": "Print invoices", "due": "10d", "deps": []string{first}})
	ctx := chromium(t)
	b.enterIn(ctx)
	card := func(title string) string {
		return `[...document.querySelectorAll("li.card")].find(c => c.innerText.includes("` + title + `"))`
	}
	for _, tt := range []struct {
		name   string
		clicks []string // what is clicked, in turn, as expressions
		answer []string // words that are then seen, in turn
	}{
		{"what waits for me?", []string{`document.querySelector('nav a[href="/needs"]')`},
			[]string{"Needs you", "May receipts go out by mail?", "by mail", "on paper", "Refuse orders without an address"}},
		{"why is this not done?", []string{card("Add idempotency keys") + `.querySelector(".t")`},
			[]string{"Why it is not done", "fail", "tests pass", "pending", "read by a person who knows cards"}},
		{"why is this not done, of what waits?", []string{card("Take cards") + `.querySelector(".t")`},
			[]string{"Why it is not done", "waits for", "Add idempotency keys", "in progress", "ada"}},
		{"who works on what?", []string{`document.querySelector("select[name=by]"), (e => { e.value = "holder"; return e })(document.querySelector("select[name=by]"))`, `document.querySelector(".filter button")`},
			[]string{"claude-code", "Print receipts", "ada", "Add idempotency keys"}},
		{"what will be late?", []string{`document.querySelector('nav a[href="/graph"]')`},
			[]string{"will be late", "Print invoices", "overdue", "Take cards"}},
		{"what did the agent change?", []string{card("Round discounts") + `.querySelector(".t")`, `document.querySelector('#drawer a[href^="/diff/"]')`},
			[]string{"Round discounts", "1 file", "price.go", "return int(math.Round"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.clicks) > 3 {
				t.Errorf("it takes %d clicks", len(tt.clicks))
			}
			run(t, ctx, size(1440, 900, false), chromedp.Navigate(b.url+"/board"))
			for _, click := range tt.clicks {
				eventually(t, ctx, "!!("+click+")")
				run(t, ctx, chromedp.Evaluate("("+click+").click()", nil))
			}
			for _, words := range tt.answer {
				eventually(t, ctx, `[...document.querySelectorAll("main *, #drawer[open] *")].some(e => e.textContent.includes("`+words+`") && e.checkVisibility() &&
					(r => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight)(e.getBoundingClientRect()))`)
			}
		})
	}
}
