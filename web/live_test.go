package web

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// column is an expression for the state of the column in which a card stands; "" for none.
func columnOf(id string) string {
	return fmt.Sprintf(`(document.querySelector('[data-id="%s"]')?.closest("ul.col")?.dataset.to || "")`, id)
}

// A card moves when a command or an editor changes the file, and in every tab; what is half typed stays.
func TestSlowAPageIsLive(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id, other := b.create("Pay"), b.create("Ship")
	first, second := chromium(t), chromium(t)
	b.enterIn(first)
	b.enterIn(second)
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	eventually(t, first, columnOf(id)+` === "in_review"`)
	eventually(t, second, columnOf(id)+` === "in_review"`)

	path := filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(src), "title: Pay", "title: Pay by card", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	eventually(t, first, `document.body.innerText.includes("Pay by card")`)

	run(t, first, chromedp.Navigate(b.url+"/task/"+other), chromedp.SendKeys(`textarea[name=text]`, "half typed", chromedp.ByQuery))
	run(t, first, chromedp.Evaluate(`document.querySelector("details.edit").open = true`, nil), chromedp.SendKeys(`details.edit [name=body]`, "my text", chromedp.ByQuery))
	verbtest.Must(t, &w, "update", verbtest.Args{"id": other, "title": "Ship it", "body": "their text"})
	eventually(t, first, `document.querySelector("h1").textContent === "Ship it"`)
	eventually(t, first, `document.querySelector("textarea[name=text]").value === "half typed"`)
	eventually(t, first, `document.querySelector("details.edit [name=body]").value === "my text" && document.querySelector("details.edit .stale").checkVisibility()`)
	run(t, first, chromedp.Click(`details.edit form button.main`, chromedp.ByQuery))
	eventually(t, first, `document.querySelector("#told").open && document.querySelector("#told").innerText.includes("their text")`)
	eventually(t, first, `document.querySelector("details.edit [name=body]").value === "my text"`)
	if got := b.get(other); strings.TrimSpace(got.Body) != "their text" {
		t.Errorf("it was overwritten: %q", got.Body)
	}
}

// A drag moves a card; where a gate refuses, it comes back, and the reason is shown.
func TestSlowARefusedDragComesBack(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	w := b.s.reads.w
	free := b.create("Pay")
	waits := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Then", "deps": []any{free}}).ID
	red := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Red", "checks": []verbtest.Args{{"desc": "tests pass", "cmd": "echo it is broken here; exit 1"}}}).ID
	verbtest.ApproveAll(t, &w)
	ctx := chromium(t)
	b.enterIn(ctx)
	run(t, ctx, size(1440, 900, false), chromedp.ActionFunc(input.SetInterceptDrags(false).Do))
	drag := func(id, to string) {
		t.Helper()
		run(t, ctx, chromedp.Evaluate(fmt.Sprintf(`(() => {
			const card = document.querySelector('[data-id="%s"]'), col = document.querySelector('ul.col[data-to="%s"]'), data = new DataTransfer();
			for (const [at, name] of [[card, "dragstart"], [col, "dragover"], [col, "drop"], [card, "dragend"]])
				at.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: data }));
		})()`, id, to), nil))
	}
	drag(free, "in_progress")
	eventually(t, ctx, columnOf(free)+` === "in_progress"`)
	eventually(t, ctx, `document.querySelector("#say").textContent.includes(" is in progress")`)
	if got := b.get(free); got.Status != "in_progress" || got.Assignee != "human:ada" {
		t.Errorf("it is in %s, of %s", got.Status, got.Assignee)
	}
	for id, why := range map[string]string{waits: "Not moved", red: "it is broken here"} {
		drag(id, "done")
		eventually(t, ctx, `document.querySelector("#told").open && document.querySelector("#told").innerText.includes("`+why+`")`)
		eventually(t, ctx, columnOf(id)+` === "backlog"`)
		run(t, ctx, chromedp.KeyEvent(kb.Escape))
		eventually(t, ctx, `!document.querySelector("#told").open`)
	}
}

// A day by keyboard alone: a task is added, taken, moved, commented on, looked at and found.
func TestSlowByKeyboardAlone(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	one := b.create("First")
	ctx := chromium(t)
	b.enterIn(ctx)
	keys := func(all ...string) {
		t.Helper()
		for _, k := range all {
			run(t, ctx, chromedp.KeyEvent(k))
		}
	}
	keys("a")
	eventually(t, ctx, `location.pathname === "/new" && document.activeElement.name === "title"`)
	keys("Second", kb.Enter)
	eventually(t, ctx, `location.pathname === "/board" && document.body.innerText.includes("Second") && document.readyState === "complete"`)
	keys(kb.ArrowDown)
	eventually(t, ctx, `document.activeElement.matches("li.card a")`)
	keys("g")
	eventually(t, ctx, `document.activeElement.closest("[data-id]").dataset.id === "`+one+`"`)
	keys(">")
	eventually(t, ctx, columnOf(one)+` === "in_progress" && document.activeElement.closest("[data-id]")?.dataset.id === "`+one+`"`)
	keys("r")
	eventually(t, ctx, `document.querySelector("#drawer").open`)
	eventually(t, ctx, `document.querySelector("#drawer").innerText.includes("Claim")`)
	keys("n")
	eventually(t, ctx, `document.activeElement.name === "text"`)
	keys("found it")
	run(t, ctx, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	eventually(t, ctx, `document.querySelector("#drawer .say")?.innerText.includes("found it")`)
	run(t, ctx, chromedp.KeyEvent(kb.Escape))
	eventually(t, ctx, `!document.querySelector("#drawer").open`)
	run(t, ctx, chromedp.Evaluate(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }))`, nil))
	eventually(t, ctx, `document.querySelector("#palette").open && document.querySelectorAll("#palette button").length > 4`)
	keys("ledger", kb.Enter)
	eventually(t, ctx, `location.pathname === "/ledger"`)
	keys("/")
	eventually(t, ctx, `location.pathname === "/search" && document.activeElement.name === "q"`)
	keys("Second", kb.Enter)
	eventually(t, ctx, `document.querySelector("main .rows a")?.innerText.includes("Second")`)
	if got := b.get(one); got.Status != "in_progress" || got.Assignee != "" {
		t.Errorf("it is in %s, of %q", got.Status, got.Assignee)
	}
}

// The graph gets larger and smaller by its buttons and keys, keeps its size when the page changes, and is moved by what
// holds it.
func TestSlowTheGraphZooms(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id := b.create("Pay")
	w := b.s.reads.w
	for range 6 { // a chain that is wider than the screen
		id = verbtest.Must(t, &w, "create", verbtest.Args{"title": "Then", "deps": []string{id}}).ID
	}
	ctx := chromium(t)
	b.enterIn(ctx)
	run(t, ctx, size(1000, 700, false), chromedp.Navigate(b.url+"/graph"))
	width := `document.querySelector("#net").getBoundingClientRect().width`
	var before float64
	run(t, ctx, chromedp.Evaluate(width, &before), chromedp.Click(`[data-key="+"]`))
	eventually(t, ctx, fmt.Sprintf("%s > %f", width, 1.2*before))
	run(t, ctx, chromedp.KeyEvent("+"))
	larger := fmt.Sprintf("%s > %f", width, 1.5*before)
	eventually(t, ctx, larger)
	b.create("Ship")
	eventually(t, ctx, `document.querySelectorAll("#net a").length === 8 && `+larger)
	run(t, ctx, input.DispatchMouseEvent(input.MousePressed, 600, 300).WithButton(input.Left).WithButtons(1),
		input.DispatchMouseEvent(input.MouseMoved, 400, 300).WithButton(input.Left).WithButtons(1),
		input.DispatchMouseEvent(input.MouseReleased, 400, 300).WithButton(input.Left))
	eventually(t, ctx, `document.querySelector(".graph").scrollLeft > 100`)
	middle := `(g => (g.scrollLeft + g.clientWidth / 2) / g.scrollWidth)(document.querySelector(".graph"))`
	var place float64
	run(t, ctx, chromedp.Evaluate(`document.querySelector(".graph").scrollLeft = 700`, nil), chromedp.Evaluate(middle, &place), chromedp.KeyEvent("-"))
	eventually(t, ctx, "!("+larger+")")
	eventually(t, ctx, fmt.Sprintf("Math.abs(%s - %f) < 0.01", middle, place))
	eventually(t, ctx, `location.search.includes("zoom=")`)
}

// A page whose server was killed says so. Another server on its port knows nobody: its link lets the tab in again.
func TestSlowAServerGoneAndBack(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id := b.create("Pay")
	ctx := chromium(t)
	b.enterIn(ctx)
	eventually(t, ctx, `document.querySelector("#gone").hidden`)
	b.kill()
	eventually(t, ctx, `!document.querySelector("#gone").hidden && document.body.innerText.includes("Pay")`)
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	port, err := strconv.Atoi(b.s.door.port)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	next := serveOn(t, w, Options{Listener: l})
	time.Sleep(4 * time.Second) // the page asks, and is not known
	eventually(t, ctx, `!document.querySelector("#gone").hidden`)
	next.enterIn(ctx)
	eventually(t, ctx, columnOf(id)+` === "in_review" && document.querySelector("#gone").hidden`)
}

// dead is a listener whose connections can die without notice, as those of a machine that sleeps: what is written to
// them arrives nowhere, and nothing is said.
type dead struct {
	net.Listener
	asleep *atomic.Bool
}

type deadConn struct {
	net.Conn
	asleep *atomic.Bool
	was    bool
}

func (d dead) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	return &deadConn{Conn: c, asleep: d.asleep}, err
}

func (c *deadConn) Write(p []byte) (int, error) {
	if c.was = c.was || c.asleep.Load(); c.was {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// A page whose connection died without notice says so, and catches up over another once that is possible.
func TestSlowADeadConnection(t *testing.T) {
	slowtest.Skip(t)
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	asleep := &atomic.Bool{}
	b := serve(t, Options{Listener: dead{l, asleep}})
	b.s.live.ping = time.Second
	id := b.create("Pay")
	ctx := chromium(t)
	b.enterIn(ctx)
	asleep.Store(true)
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	eventually(t, ctx, `!document.querySelector("#gone").hidden`)
	asleep.Store(false)
	eventually(t, ctx, columnOf(id)+` === "in_review" && document.querySelector("#gone").hidden`)
}

// A tab that is not seen has no stream, and catches up when it is seen.
func TestSlowAHiddenTabIsSilent(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id := b.create("Pay")
	ctx := chromium(t)
	b.enterIn(ctx)
	streams := func(n int) {
		t.Helper()
		for range 6000 {
			if b.s.live.count() == n {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("there are %d streams, not %d", b.s.live.count(), n)
	}
	see := func(hidden bool) {
		run(t, ctx, chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %v, configurable: true });
			document.dispatchEvent(new Event("visibilitychange"))`, hidden), nil))
	}
	streams(1)
	see(true)
	streams(0)
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	time.Sleep(500 * time.Millisecond)
	run(t, ctx, chromedp.Evaluate(`if (!(`+columnOf(id)+` === "backlog")) throw "it moved"`, nil))
	see(false)
	eventually(t, ctx, columnOf(id)+` === "in_review"`)
	streams(1)
}

// How long a card takes to move once its file has changed, by an editor and by cairn, is printed: until the server tells
// its pages, and until the card stands in the other column.
func TestSlowACardMovesSoon(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id := b.create("Pay")
	path := filepath.Join(b.s.reads.w.Dir, ".cairn", "tasks", id+".md")
	ctx := chromium(t)
	b.enterIn(ctx)
	told := make(chan string, 64)
	listener := *b
	listener.enterAnew()
	go listener.listen(t.Context(), told)
	next(t, told, "")
	run(t, ctx, chromedp.Evaluate(`window.moved = 0; new MutationObserver(() => {
		const to = `+columnOf(id)+`;
		if (to !== window.was) { window.was = to; window.moved = Date.now() }
	}).observe(document.body, { subtree: true, childList: true })`, nil))
	states := []string{"in_review", "backlog"}
	for n := range 6 {
		to := states[n%2]
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		for len(told) > 0 {
			<-told
		}
		by, began := "an editor", time.Now()
		if n >= 2 {
			by = "cairn"
			w := b.s.reads.w
			verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": to})
		} else if err := os.WriteFile(path, []byte(strings.Replace(string(src), "status: "+states[(n+1)%2], "status: "+to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		wrote := time.Now()
		next(t, told, id)
		toldIn := time.Since(wrote)
		eventually(t, ctx, columnOf(id)+` === "`+to+`"`)
		var moved float64
		run(t, ctx, chromedp.Evaluate(`window.moved`, &moved))
		t.Logf("by %s, which took %v: told after %v, moved after %v", by, wrote.Sub(began), toldIn, time.UnixMilli(int64(moved)).Sub(wrote))
	}
}

// Texts of strangers run nothing in a real browser, which reports nothing that its policy had to stop.
func TestSlowHostileTextsRunNothing(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{
		"title": `<img src=x onerror="window.bad=1"><script>window.bad=1</script>`,
		"body":  hostile + "\n\n<svg onload=\"window.bad=1\">\n\n![x](https://evil.example/p.png)\n\n[x](javascript:window.bad=1)",
	}).ID
	verbtest.Must(t, &w, "note", verbtest.Args{"id": id, "text": `<script>window.bad=1</script>`})
	ctx := chromium(t)
	b.enterIn(ctx)
	for _, path := range []string{"/board", "/list", "/graph", "/needs", "/task/" + id, "/search?q=script"} {
		run(t, ctx, chromedp.Navigate(b.url+path))
		eventually(t, ctx, `window.bad === undefined && ![...document.querySelectorAll("script, img, iframe, [onerror], [onload], [style]")].some(e => !e.src?.startsWith(location.origin))`)
		var outside int
		run(t, ctx, chromedp.Evaluate(`performance.getEntriesByType("resource").filter(e => !e.name.startsWith(location.origin)).length`, &outside))
		if outside > 0 {
			t.Errorf("%s asked %d others", path, outside)
		}
	}
}

// A thousand cards are there at once; how long they take is printed.
func TestSlowAThousandCards(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	for i := range 1000 {
		state := []string{"backlog", "in_progress", "in_review", "done"}[i%4]
		path := filepath.Join(b.s.reads.w.Dir, ".cairn", "tasks", fmt.Sprintf("PROJ-%d.md", i+1))
		if err := os.WriteFile(path, fmt.Appendf(nil, "---\nid: PROJ-%d\ntitle: Task %d\nstatus: %s\n---\n", i+1, i+1, state), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx := chromium(t)
	b.enterIn(ctx)
	run(t, ctx, chromedp.Navigate(b.url+"/board?more=backlog"))
	eventually(t, ctx, `document.querySelectorAll("li.card").length === 550`)
	var paint float64
	run(t, ctx, chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].domComplete`, &paint))
	began := time.Now()
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": "PROJ-1", "to": "in_review"})
	eventually(t, ctx, columnOf("PROJ-1")+` === "in_review"`)
	t.Logf("the page was complete after %.0f ms; a card moved, with the write, within %v", paint, time.Since(began))
}

// No screen has a finding of axe, in either theme, at either end of the widths.
func TestSlowAxe(t *testing.T) {
	slowtest.Skip(t)
	axe, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	ctx := chromium(t)
	b.enterIn(ctx)
	check := func(path string, width int64, dark bool) {
		t.Helper()
		var found []string
		run(t, ctx, size(width, 900, dark), chromedp.Navigate(b.url+path), chromedp.Evaluate(string(axe)+"; 0", nil))
		run(t, ctx, chromedp.Evaluate(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
			.then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200))))`, &found, awaitPromise))
		for _, one := range found {
			t.Errorf("%s, dark %v: %s", path, dark, one)
		}
	}
	for _, path := range []string{"/board", "/list", "/needs", "/graph", "/jobs", "/ledger", "/diff/none"} { // while there is nothing
		check(path, 1440, false)
		check(path, 400, true)
	}
	id := fill(t, b)
	fillOdd(t, b)
	diff, job := fillWork(t, b)
	var records []string
	run(t, ctx, chromedp.Navigate(b.url+"/ledger"), chromedp.Evaluate(`[...document.querySelectorAll('a[href^="/record/"]')].map(a => a.pathname)`, &records))
	for _, dark := range []bool{false, true} {
		for _, path := range append(shopPages(id), append(records, diff, job, job+"?file=logs.txt", "/task/"+id+"?", diff+"?", "/board?where=label%3Dnone", "/list?where=labl%3D%22")...) {
			check(path, map[bool]int64{false: 1440, true: 400}[strings.HasSuffix(path, "?")], dark)
		}
	}
}

// No page is wider than the screen, and no mark on it breaks.
func TestSlowPagesFitTheScreen(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	id := fill(t, b)
	fillOdd(t, b)
	diff, job := fillWork(t, b)
	ctx := chromium(t)
	b.enterIn(ctx)
	for _, width := range []int64{360, 390, 768, 1440} {
		for _, path := range append(shopPages(id), "/board?by=parent", "/board?by=label", diff, job, job+"?file=logs.txt") {
			var wide, broken int64
			run(t, ctx, size(width, 900, false), chromedp.Navigate(b.url+path), chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide),
				chromedp.Evaluate(`[...document.querySelectorAll(".tag")].filter(e => e.offsetHeight > 24).length`, &broken))
			if wide > width || broken > 0 {
				t.Errorf("%s at %d is %d wide, and %d marks break", path, width, wide, broken)
			}
		}
	}
}
