package web

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>` + "\u202e\x1b[31m"

// Each screen is shown, and a text of a stranger is no more than text in it.
func TestScreensWithHostileTexts(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	title := "<b onclick=alert(1)>Pay</b> <script>alert(1)</script>"
	body := "# Head\n\n" + hostile + "\n\n[link](javascript:alert(4)) ![pixel](https://evil.example/p.png) [d](data:text/html,x)\n\n<style>*{display:none}</style>\n\n<iframe src=https://evil.example></iframe>"
	one := verbtest.Must(t, &w, "create", verbtest.Args{
		"title": title, "body": body, "labels": []string{"<i>l</i>"}, "acceptance": []string{"<u>seen</u>"},
		"checks": []verbtest.Args{{"desc": "<script>c</script>", "cmd": "echo '<script>'"}},
	}).ID
	verbtest.Must(t, &w, "create", verbtest.Args{"title": "Next", "deps": []any{one}, "parent": one})
	verbtest.Must(t, &w, "note", verbtest.Args{"id": one, "text": hostileNote})
	risky := regexp.MustCompile(`(?i)<script(?: src="/a/[0-9a-f]+/(?:app|idiomorph)\.js" defer)?>|<img|<iframe|<style|<b onclick|href="(?:javascript|data):|\son\w+="|\sstyle="`)
	for path := range screens() {
		path = strings.ReplaceAll(strings.ReplaceAll(path, "/record/{id}", "/record/x"), "{id}", string(one))
		status, page, _ := b.do("GET", path+"?q=pay&text=pay", nil, nil)
		if status != 200 && !strings.HasPrefix(path, "/job/") && !strings.HasPrefix(path, "/diff/") && !strings.HasPrefix(path, "/record/") {
			t.Errorf("%s: %d %s", path, status, page)
		}
		for _, found := range risky.FindAllString(page, -1) {
			if !strings.HasPrefix(found, `<script src="/a/`) {
				t.Errorf("%s has %q", path, found)
			}
		}
		page = regexp.MustCompile(`(?s)<textarea.*?</textarea>`).ReplaceAllString(page, "") // an edit gives back what is there
		if strings.ContainsAny(page, "\x1b\u202e") {
			t.Errorf("%s has a control character", path)
		}
	}
}

const hostileNote = "see <img src=x onerror=alert(1)> and **bold** `code`"

// A move that a gate refuses changes nothing, and says why with the end of what the failing check printed.
func TestARefusedMoveSaysWhy(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay"}).ID
	waits := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Then", "deps": []any{id}}).ID
	form := url.Values{"id": {string(waits)}, "to": {"done"}, "token": {b.token}, "back": {"/board"}}
	status, page, _ := b.do("POST", "/do/transition", form, nil)
	if status != 422 || !strings.Contains(page, "DEPS_OPEN") || !strings.Contains(page, string(id)) || !strings.Contains(page, "cairn show") {
		t.Errorf("%d: %s", status, page)
	}
	if b.status(waits) != "backlog" {
		t.Error("it was moved")
	}
}

// What somebody else changed meanwhile is shown beside what was typed, and never overwritten.
func TestAnEditOfWhatChanged(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	got := b.get(verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay", "body": "first"}).ID)
	edit := url.Values{"id": {string(got.ID)}, "title": {"Mine"}, "body": {"my text"}, "expected_rev": {string(got.Rev)}, "token": {b.token}, "labels": {"a, b"}}
	verbtest.Must(t, &w, "update", verbtest.Args{"id": got.ID, "body": "their text"})
	status, page, _ := b.do("POST", "/do/update", edit, nil)
	if status != 409 || !strings.Contains(page, "their text") {
		t.Errorf("%d: %s", status, page)
	}
	now := b.get(string(got.ID))
	if now.Title != "Pay" || strings.TrimSpace(now.Body) != "their text" {
		t.Errorf("it is %q, %q", now.Title, now.Body)
	}
	edit.Set("expected_rev", string(now.Rev))
	edit.Set("check", "tests pass=true\nlint=true")
	if status, page, _ := b.do("POST", "/do/update", edit, nil); status != 303 {
		t.Fatalf("%d: %s", status, page)
	}
	now = b.get(string(got.ID))
	if now.Title != "Mine" || len(now.Labels) != 2 || len(now.Checks) != 2 || now.Checks[1].Cmd != "true" {
		t.Errorf("it is %+v", now)
	}
}

// A filter that is not understood stays in its field, to be mended, and all tasks are shown below it.
func TestAWrongFilterStays(t *testing.T) {
	b := serve(t, Options{}).enter()
	b.create("Pay")
	for _, screen := range []string{"/list", "/board"} {
		b.says(t, screen+"?where=labl%3D%22api", `name="where" value="labl=&#34;api"`, "without this filter", "Pay")
	}
}

// A card says that a check of its task has failed, and what became of its newest job, in words; what was done is told
// in words too.
func TestWhatCardsSay(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay", "checks": []verbtest.Args{{"desc": "it pays", "cmd": "false"}, {"desc": "lint", "cmd": "true"}}}).ID
	verbtest.ApproveAll(t, &w)
	verbtest.Must(t, &w, "run_checks", verbtest.Args{"id": id})
	b.says(t, "/board", "✗ 1/2", "1 of 2 checks passed, 1 failed")
	started := verbtest.Must(t, &w, "job_start", verbtest.Args{"id": id, "executor": "mine"}).Job
	b.says(t, "/board", "job queued")
	verbtest.Must(t, &w, "job_cancel", verbtest.Args{"job": started})
	for _, tt := range []struct {
		verb string
		form url.Values
		want string
	}{
		{"transition", url.Values{"id": {id}, "to": {"in_review"}}, "Pay is in review"},
		{"transition", url.Values{"id": {id}, "to": {"backlog"}}, "Pay is in backlog"},
		{"note", url.Values{"id": {id}, "text": {"hm"}}, "The comment was added"},
	} {
		if status, said, _ := b.do("POST", "/do/"+tt.verb, tt.form, map[string]string{tokenHeader: b.token}); status != http.StatusOK || said != tt.want {
			t.Errorf("%s: %d %q", tt.verb, status, said)
		}
	}
}

// Many rows are changed at once.
func TestManyAtOnce(t *testing.T) {
	b := serve(t, Options{}).enter()
	one, two := b.create("One"), b.create("Two")
	form := url.Values{"ids": {string(one), string(two)}, "to": {"in_review"}, "priority": {""}, "add_labels": {"api, web"}, "note": {""}, "blank": {"leave"}, "token": {b.token}}
	if status, page, _ := b.do("POST", "/do/update", form, nil); status != 303 {
		t.Fatalf("%d: %s", status, page)
	}
	if b.status(one) != "in_review" || b.status(two) != "in_review" {
		t.Error("they were not moved")
	}
}

// The switch goes from the theme of the system to light, to dark and back. Pages come in what was chosen.
func TestTheme(t *testing.T) {
	b := serve(t, Options{}).enter()
	for to, want := range map[string]string{"light": `data-theme="light"`, "dark": `data-theme="dark"`, "": `<html lang="en">`, `"><script>`: `<html lang="en">`} {
		status, _, cookie := b.do("GET", "/theme?back=%2Flist&to="+url.QueryEscape(to), nil, nil)
		if status != http.StatusSeeOther || cookie == nil {
			t.Fatalf("%q: %d, %v", to, status, cookie)
		}
		_, page, _ := b.do("GET", "/list", nil, map[string]string{"Cookie": b.cookie + "; " + cookie.Name + "=" + cookie.Value})
		if !strings.Contains(page, want) {
			t.Errorf("%q: the page begins %.60q", to, page)
		}
	}
}

// A lane has the title of the parent for which it stands, and the lane of those that have none is the last.
func TestLanesOfParents(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	zebra, ant := b.create("Zebra"), b.create("Ant")
	for _, parent := range []string{zebra, ant} {
		verbtest.Must(t, &w, "create", verbtest.Args{"title": "Part", "parent": parent})
	}
	_, page, _ := b.do("GET", "/board?by=parent", nil, nil)
	var lanes []string
	for _, found := range regexp.MustCompile(`(?s)<h3 class="ln">(.*?)</h3>`).FindAllStringSubmatch(page, -1) {
		lanes = append(lanes, strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(found[1], " "))[0])
	}
	if got := strings.Join(lanes, " "); got != "Ant Zebra no" {
		t.Errorf("the lanes are %s", got)
	}
}

// The budgets of what a browser loads.
func TestBudgets(t *testing.T) {
	script := len(assetOf("app.js")) + len(assetOf("idiomorph.js"))
	if style := len(assetOf("style.css")); script > 16<<10 || style > 14<<10 {
		t.Errorf("scripts have %d bytes, and the style %d", script, style)
	}
	for name := range hashes() {
		if strings.Contains(string(assetOf(name)), "url(") {
			t.Errorf("%s loads something", name)
		}
	}
}

// The same pages as files: without scripts and forms, and with links that lead to files.
func TestFiles(t *testing.T) {
	b := serve(t, Options{})
	id, dir := b.create("Pay <script>"), t.TempDir()
	n, err := b.s.Write(t.Context(), dir)
	if err != nil || n != 7 {
		t.Fatalf("%d files, %v", n, err)
	}
	href := regexp.MustCompile(`(?:href|src)="([^"#]+)"`)
	for _, name := range []string{"board.html", "list.html", "graph.html", "task/" + string(id) + ".html"} {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "<script") || strings.Contains(string(src), "<form method=\"post\" action=\"/do/update\" class") {
			t.Errorf("%s has scripts or forms", name)
		}
		for _, link := range href.FindAllStringSubmatch(string(src), -1) {
			if _, err := os.Stat(filepath.Join(dir, filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s leads to %s", name, link[1])
			}
		}
	}
}

// The page of a task begins with all that keeps it from being done, and says nothing of that once it is.
func TestWhyATaskIsNotDone(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	first := b.create("Ask the bank")
	id := verbtest.Must(t, &w, "create", verbtest.Args{
		"title": "Pay", "deps": []string{first}, "after": "20d", "acceptance": []string{"read by a person"},
		"checks": []verbtest.Args{{"desc": "tests pass", "cmd": "true"}},
	}).ID
	verbtest.Must(t, &w, "create", verbtest.Args{"title": "Part", "parent": id})
	agent := w
	agent.Actor = verb.As("agent:claude")
	verbtest.Must(t, &agent, "handoff_create", verbtest.Args{"title": "Which bank?", "to": []string{"human:ada"}, "type": "question", "about": []string{id}})
	why := func(id string) string {
		_, rest, _ := strings.Cut(b.page("/task/"+id), `id="held"`)
		out, _, _ := strings.Cut(rest, "</section>")
		return out
	}
	for _, want := range []string{"Which bank?", "Ask the bank", "not before", "1 open part", "tests pass", "read by a person"} {
		if got := why(id); !strings.Contains(got, want) {
			t.Errorf("it does not say %s: %s", want, got)
		}
	}
	if got := why(first); got != "" {
		t.Errorf("of what nothing keeps it says %s", got)
	}
}

// An edit saves what was changed in its form alone, whatever else changed meanwhile; only the same field is a conflict.
func TestAnEditBesideAnother(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay", "body": "first\nand second", "labels": []string{"a", "b"}, "checks": []verbtest.Args{{"desc": "it pays", "cmd": "true"}, {"desc": "seen"}}}).ID
	form := func() url.Values {
		t.Helper()
		out := url.Values{"token": {b.token}, "id": {id}}
		page := b.page("/task/" + id)
		page = page[strings.Index(page, `<form method="post" action="/do/update" class="stack"`):]
		page = page[:strings.Index(page, "</form>")]
		for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			out.Set(m[1], m[2])
		}
		for name, value := range (taskPage{Context: tasks.Context{Task: b.get(id)}}).Fields() {
			out.Set(name, strings.ReplaceAll(value, "\n", "\r\n"))
		}
		return out
	}
	mine := form()
	verbtest.Must(t, &w, "note", verbtest.Args{"id": id, "text": "looks good"})
	verbtest.Must(t, &w, "update", verbtest.Args{"id": id, "labels": []string{"c"}})
	mine.Set("title", "Pay soon")
	if status, page, _ := b.do("POST", "/do/update", mine, nil); status != http.StatusSeeOther {
		t.Fatalf("%d: %s", status, page)
	}
	now := b.get(id)
	if now.Title != "Pay soon" || len(now.Labels) != 1 || len(now.Checks) != 2 || !strings.Contains(now.Body, "and second") {
		t.Errorf("it is %+v", now)
	}

	mine = form()
	verbtest.Must(t, &w, "update", verbtest.Args{"id": id, "title": "Pay now"})
	mine.Set("title", "Pay later")
	status, page, _ := b.do("POST", "/do/update", mine, nil)
	if status != http.StatusConflict || !strings.Contains(page, `value="Pay later"`) || strings.Contains(page, `name="labels"`) || !strings.Contains(page, "Pay now") {
		t.Errorf("%d: %s", status, page)
	}

	mine = form()
	before := b.get(id).Rev
	if status, page, _ := b.do("POST", "/do/update", mine, nil); status != http.StatusSeeOther || b.get(id).Rev != before {
		t.Errorf("%d: nothing was changed, and something is written: %s", status, page)
	}
	mine.Set("check", "it pays=true\r\nlint=true")
	if status, page, _ := b.do("POST", "/do/update", mine, nil); status != http.StatusSeeOther || len(b.get(id).Checks) != 3 {
		t.Errorf("%d: the checks are %+v: %s", status, b.get(id).Checks, page)
	}
}
