package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// page reads a page.
func (b *browser) page(path string) string {
	b.t.Helper()
	status, page, _ := b.do("GET", path, nil, nil)
	if status != http.StatusOK {
		b.t.Fatalf("%s: %d %s", path, status, page)
	}
	return page
}

// send posts a form, and returns the answer. The first word of want is what the status has to be.
func (b *browser) send(verb string, want int, form url.Values) string {
	b.t.Helper()
	form.Set("token", b.token)
	status, page, _ := b.do("POST", "/do/"+verb, form, nil)
	if status != want {
		b.t.Fatalf("%s: %d %s", verb, status, page)
	}
	return page
}

// confirm posts a form, reads what is asked, and types the word.
func (b *browser) confirm(verb, word string, form url.Values) string {
	b.t.Helper()
	asked := regexp.MustCompile(`name="asked" value="([^"]+)"`).FindStringSubmatch(b.send(verb, http.StatusPreconditionRequired, form))
	form.Set("asked", asked[1])
	form.Set("word", word)
	return b.send(verb, http.StatusSeeOther, form)
}

// A form that is sent twice does one thing, also without scripts: each form of a page carries a key of its own.
func TestAFormThatIsSentTwice(t *testing.T) {
	b := serve(t, Options{}).enter()
	keys := regexp.MustCompile(`name="idempotency_key" value="([^"]+)"`).FindAllStringSubmatch(b.page("/new"), -1)
	if len(keys) != 1 || strings.Contains(b.page("/new"), keys[0][1]) {
		t.Fatalf("the keys are %v", keys)
	}
	form := url.Values{"title": {"Pay"}, "idempotency_key": {keys[0][1]}}
	b.send("create", http.StatusSeeOther, form)
	b.send("create", http.StatusSeeOther, form)
	if n := strings.Count(b.page("/list"), `class="t"`); n != 1 {
		t.Errorf("there are %d tasks", n)
	}
}

// Tasks are named by the ends of their ids, as cards show them; and rows that nobody chose are not changed.
func TestShortIDsInForms(t *testing.T) {
	b := serve(t, Options{}).enter()
	pay, ship := b.create("Pay"), b.create("Ship")
	b.send("update", http.StatusSeeOther, url.Values{"id": {ship}, "add_deps": {pay[len(pay)-4:]}, "blank": {"leave"}})
	if got := b.get(ship).Deps; len(got) != 1 || string(got[0]) != pay {
		t.Errorf("it waits for %v", got)
	}
	if page := b.send("update", http.StatusBadRequest, url.Values{"several": {"true"}, "to": {"done"}}); !strings.Contains(page, "no row is chosen") {
		t.Error(page)
	}
}

// What was typed in a form that was refused is there to be sent again, without scripts; and where somebody else changed
// the task, for what is there now.
func TestARefusedFormKeepsWhatWasTyped(t *testing.T) {
	b := serve(t, Options{}).enter()
	id, long := b.create("Pay"), strings.Repeat("x", 70)+"\n<b>"
	page := b.send("update", http.StatusBadRequest, url.Values{"id": {id}, "title": {"Pay soon"}, "body": {long}, "due": {"whenever"}})
	for _, want := range []string{`value="whenever"`, `value="Pay soon"`, "&lt;b&gt;", `<textarea hidden name="id">` + id, "Try again"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	if page := b.send("update", http.StatusBadRequest, url.Values{"id": {id}, "title": {"Pay\xff"}}); !strings.Contains(page, "is no UTF-8") {
		t.Errorf("what is no text gives %s", page)
	}
	was := b.get(id)
	w := b.s.reads.w
	verbtest.Must(t, &w, "update", verbtest.Args{"id": id, "body": "theirs"})
	page = b.send("update", http.StatusConflict, url.Values{"id": {id}, "body": {"mine"}, "expected_rev": {string(was.Rev)}})
	rev := regexp.MustCompile(`<textarea hidden name="expected_rev">([^<]+)<`).FindStringSubmatch(page)
	if !strings.Contains(page, "theirs") || !strings.Contains(page, `value="mine"`) || rev == nil || rev[1] != string(b.get(id).Rev) {
		t.Errorf("it says %v in %s", rev, page)
	}
}

// A review says what remains: after an approval it is merged from the page, and then it waits for nobody.
func TestAReviewFromThePages(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Ship", "checks": []verbtest.Args{{"desc": "it ships", "cmd": "test -f ship.go"}}}).ID
	verbtest.ApproveAll(t, &w)
	tree := verbtest.MakeWorktree(t, &w, record.ID(id))
	agent := *w.At(tree.Root)
	agent.Actor = verb.As("agent:mine")
	ses := verbtest.Must(t, &agent, "begin", verbtest.Args{"id": id, "expected_actor": "agent:mine", "idempotency_key": "k"}).ID
	verbtest.Must(t, &agent, "finish", verbtest.Args{"session": ses, "summary": "It ships now."})
	storetest.Identify(t, tree.Path)
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "ship")

	b.says(t, "/needs", "review", "It ships now.", `value="approve"`, `value="merge"`)
	page := b.send("review_apply", http.StatusUnprocessableEntity, url.Values{"id": {id}, "action": {"merge"}})
	if !strings.Contains(page, "it ships") || !strings.Contains(page, "Not merged") {
		t.Errorf("a refused merge says %s", page)
	}
	b.send("review_apply", http.StatusBadRequest, url.Values{"id": {id}, "action": {"reject"}, "text": {""}})
	b.send("review_apply", http.StatusSeeOther, url.Values{"id": {id}, "action": {"reject"}, "text": {"main.go:1: no ship\nmain.go:3: no sail"}})
	b.says(t, "/task/"+id, "no sail")

	if err := os.WriteFile(filepath.Join(tree.Path, "ship.go"), []byte("package ship\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.says(t, "/diff/"+id, "ship.go", "not committed")
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "ship")
	verbtest.Must(t, &agent, "transition", verbtest.Args{"id": id, "to": "in_review"})
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "hand over")
	page = b.page("/diff/" + id)
	commit := regexp.MustCompile(`name="commit" value="([^"]+)"`).FindStringSubmatch(page)
	b.confirm("review_apply", "approve", url.Values{"id": {id}, "action": {"approve"}, "commit": commit[1:]})
	page = b.page("/needs")
	if strings.Contains(page, `value="approve"`) || !strings.Contains(page, "what remains is to merge it") {
		t.Errorf("after the approval the page says %s", page[strings.Index(page, "<main"):])
	}
	b.send("review_apply", http.StatusSeeOther, url.Values{"id": {id}, "action": {"merge"}})
	b.says(t, "/needs", "Nothing waits for you.")
	if b.status(id) != "done" {
		t.Errorf("it is %s", b.status(id))
	}
}

// The page of a task has the questions about it, answered in place.
func TestQuestionsOfATask(t *testing.T) {
	b := serve(t, Options{}).enter()
	id := b.create("Pay")
	agent := b.s.reads.w
	agent.Actor = verb.As("agent:claude")
	asked := verbtest.Must(t, &agent, "handoff_create", verbtest.Args{
		"title": "Mail?", "to": []string{"human:ada"}, "type": "question", "options": []string{"by mail", "on paper"}, "about": []string{id},
	}).ID
	b.says(t, "/task/"+id, "Mail?", `value="on paper"`)
	b.send("handoff_respond", http.StatusSeeOther, url.Values{"id": {asked}, "option": {"on paper"}})
	b.says(t, "/task/"+id, "chose <b", "on paper")
}

// Whoever tried something that was proposed makes it real where it is listed; a job that failed is tried again.
func TestProposalsAndFailedJobs(t *testing.T) {
	b := serve(t, Options{}).enter()
	agent := b.s.reads.w
	agent.Actor = verb.As("agent:claude")
	verbtest.Must(t, &agent, "propose", verbtest.Args{"summary": "Sell", "tasks": []verbtest.Args{{"title": "Take <b>cards</b>"}, {"title": "Take cash"}}})
	page := b.page("/needs")
	if !strings.Contains(page, "Take &lt;b&gt;cards") || !strings.Contains(page, "Make these tasks") {
		t.Errorf("the page says %s", page)
	}
	of := regexp.MustCompile(`name="proposal" value="([^"]+)"`).FindStringSubmatch(page)
	b.send("plan", http.StatusSeeOther, url.Values{"proposal": of[1:]})
	b.says(t, "/list", "Take cash")
	if strings.Contains(b.page("/needs"), "Make these tasks") {
		t.Error("it is still there")
	}
}

// Forms in a browser: sent twice at once they do one thing; what somebody else changed is shown beside, and saved over
// only by who has seen it; and lines of a diff become the reason of a rejection.
func TestSlowFormsInABrowser(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	w := b.s.reads.w
	id := b.create("Ship")
	ctx := chromium(t)
	b.enterIn(ctx)
	run(t, ctx, chromedp.Navigate(b.url+"/task/"+id), chromedp.SendKeys(`form[action="/do/note"] textarea`, "only once", chromedp.ByQuery),
		chromedp.Evaluate(`(() => { const f = document.querySelector('form[action="/do/note"]'); f.requestSubmit(); f.requestSubmit() })()`, nil))
	eventually(t, ctx, `document.querySelectorAll(".say").length === 1 && document.querySelector('form[action="/do/note"] textarea').value === ""`)
	run(t, ctx, chromedp.SendKeys(`form[action="/do/note"] textarea`, "only once", chromedp.ByQuery), chromedp.Click(`form[action="/do/note"] button`, chromedp.ByQuery))
	eventually(t, ctx, `document.querySelectorAll(".say").length === 2`)

	run(t, ctx, chromedp.Evaluate(`document.querySelector("details.edit").open = true`, nil), chromedp.SendKeys(`details.edit [name=body]`, "my text", chromedp.ByQuery))
	verbtest.Must(t, &w, "update", verbtest.Args{"id": id, "body": "their text"})
	eventually(t, ctx, `document.querySelector("details.edit .stale").checkVisibility()`)
	run(t, ctx, chromedp.Click(`details.edit form button.main`, chromedp.ByQuery))
	eventually(t, ctx, `document.querySelector("#told .now")?.innerText.includes("their text")`)
	run(t, ctx, chromedp.Click(`#told .again button`, chromedp.ByQuery))
	eventually(t, ctx, `!document.querySelector("#told").open && document.querySelector("article .md").innerText === "my text" && !document.querySelector("[data-dirty]")`)

	tree := verbtest.MakeWorktree(t, &w, record.ID(id))
	if err := os.WriteFile(filepath.Join(tree.Path, "ship.go"), []byte("package ship\n\nvar Sail = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	run(t, ctx, chromedp.Navigate(b.url+"/diff/"+id))
	eventually(t, ctx, `document.querySelectorAll("[data-at]").length === 3`)
	run(t, ctx, chromedp.KeyEvent("j"))
	eventually(t, ctx, `document.activeElement.dataset.at === "ship.go:1"`)
	enter := func(sort input.KeyType) chromedp.Action { // alone, without the character that a browser leaves out too
		return input.DispatchKeyEvent(sort).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	}
	run(t, ctx, enter(input.KeyRawDown), enter(input.KeyUp), chromedp.SendKeys(`#verdict textarea`, "no doc", chromedp.ByQuery),
		chromedp.Click(`[data-at="ship.go:3"]`, chromedp.ByQuery), chromedp.SendKeys(`#verdict textarea`, "two sails", chromedp.ByQuery),
		chromedp.Click(`#verdict button`, chromedp.ByQuery))
	eventually(t, ctx, `document.querySelector("#verdict textarea").value === "" && document.querySelector("main").innerText.includes("two sails")`)
	eventually(t, ctx, `document.querySelector('[data-at="ship.go:3"] + .say').innerText.includes("two sails")`)
	if got := b.get(id); got.Status != "in_progress" || !strings.Contains(got.Provenance[len(got.Provenance)-1].Text, "ship.go:1: no doc\nship.go:3: two sails") {
		t.Errorf("it is %s: %+v", got.Status, got.Provenance)
	}
}
