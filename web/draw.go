package web

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
)

// page is what every page shows, and the body of one.
type page struct {
	Title     string
	Screen    string // that is shown
	Workspace string // the prefix of its ids
	Me        record.Actor
	Waiting   int // things that wait for whoever looks
	Views     []string
	States    []record.Status
	Done      record.Status // the state of what is done; "" for none
	ReadOnly  bool          // nothing can be written
	Static    bool          // it is a file, and nobody answers
	Token     string
	Rev       string // as of which it was read
	Quiet     int64  // milliseconds without a sign of life after which its stream is dead
	Theme     theme
	Path      string // of the page, with its query
	Query     url.Values
	Base      string // of a file, the way to the folder of all
	Body      any

	clock time.Time
}

// Writes reports whether the page has forms.
func (p page) Writes() bool { return !p.ReadOnly && !p.Static }

// Key is a new idempotency key, of one form: sent twice, it does one thing.
func (p page) Key() string { return rand.Text() }

// Ago is how long ago something was, in words; of a file, when it was.
func (p page) Ago(at time.Time) string {
	if p.Static {
		return at.UTC().Format("2 Jan 2006")
	}
	return ago(p.clock, at)
}

// Link is the address of a page, by its screen and what it shows.
func (p page) Link(parts ...string) template.URL {
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	path := strings.Join(parts, "/")
	if p.Static {
		return template.URL(p.Base + path + ".html") //nolint:gosec // escaped
	}
	return template.URL("/" + path) //nolint:gosec // escaped
}

// tab is a screen that each page leads to.
type tab struct{ Path, Title string }

// Tabs are the screens, those that are written as files.
func (p page) Tabs() []tab {
	all := []tab{{"needs", "Needs you"}, {"board", "Board"}, {"list", "List"}, {"graph", "Graph"}, {"jobs", "Jobs"}, {"ledger", "Ledger"}}
	if p.Static {
		return all[1:4]
	}
	return all
}

// Keys are the keys and what they do.
func (p page) Keys() []tab {
	return []tab{
		{"↑ ↓ ← →, h j k l", "select a task"}, {"g G", "the first, the last"}, {"Enter", "open it"}, {"< >", "move it to the state beside"},
		{"m", "move it to any state"}, {"c r", "claim, release"}, {"n", "comment"}, {"e", "edit"}, {"t", "attest a check"}, {"d", "done"},
		{"u", "undo your last write to it"}, {"a", "a new task"}, {"w", "filter"}, {"/", "search"}, {"@", "mine"}, {"v", "compact"},
		{"x", "choose, in a list"}, {"Ctrl K", "commands"}, {"Esc", "close, clear"},
	}
}

// painter draws pages over what the reader has, as of what the hub counts.
type painter struct {
	reads *reader
	live  *hub
	log   *slog.Logger
}

// page is a page for a visitor, without a body.
func (d *painter) page(r *http.Request, v *visitor, title string) page {
	p := page{
		Title: title, Me: d.reads.w.Actor(), ReadOnly: d.reads.w.ReadOnly, Rev: d.live.now(), Quiet: d.live.ping.Milliseconds() * 5 / 2, Theme: themeOf(r),
		Path: r.URL.RequestURI(), Query: r.URL.Query(),
		clock: d.reads.w.Now(),
	}
	if v != nil {
		p.Token = v.token
	}
	d.fill(r, &p)
	return p
}

func (d *painter) fill(r *http.Request, p *page) {
	if at, err := d.reads.w.Open(); err == nil {
		p.Workspace, p.States, p.Done = at.Config.Prefix, at.Config.Flow.States, at.Config.Flow.Done()
		for _, view := range at.Config.Views {
			p.Views = append(p.Views, view.Name)
		}
	}
	if waiting, err := ask[verb.Items[handoffs.Waiting]](r.Context(), d.reads, "review_list", args{}); err == nil {
		p.Waiting = waiting.Total
	}
}

// screen is one of the pages: its name is that of its template.
type screen struct {
	name, title string
	body        func(*reader, *http.Request) (any, error)
}

// screens are the pages by their paths.
func screens() map[string]screen {
	return map[string]screen{
		"/needs":       {"needs", "Needs you", (*reader).needs},
		"/board":       {"board", "Board", (*reader).board},
		"/list":        {"list", "List", (*reader).list},
		"/graph":       {"graph", "Graph", (*reader).graph},
		"/jobs":        {"jobs", "Jobs", (*reader).jobs},
		"/job/{id}":    {"job", "Job", (*reader).job},
		"/ledger":      {"ledger", "Ledger", (*reader).ledger},
		"/search":      {"search", "Search", (*reader).search},
		"/new":         {"new", "New task", func(*reader, *http.Request) (any, error) { return nil, nil }},
		"/task/{id}":   {"task", "Task", (*reader).task},
		"/diff/{id}":   {"diff", "Diff", (*reader).diff},
		"/record/{id}": {"record", "Record", (*reader).record},
	}
}

func (d *painter) screen(c screen) inside {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		p := d.page(r, v, c.title)
		p.Screen = c.name
		status, name := http.StatusOK, c.name
		body, err := c.body(d.reads, r)
		if titled, ok := body.(interface{ pageTitle() string }); ok && err == nil {
			p.Title = titled.pageTitle()
		}
		if to, ok := body.(elsewhere); ok {
			http.Redirect(w, r, string(to), http.StatusSeeOther)
			return
		}
		if p.Body = body; err != nil {
			out := explain(err, d.reads.w.Rights)
			out.Form = r.URL.Query()
			status, name, p.Body = cmp.Or(statusOf[out.Code], http.StatusUnprocessableEntity), "broken", out
		}
		if r.Header.Get(tokenHeader) != "" {
			w.Header().Set(revHeader, p.Rev)
			d.drawPart(w, status, name, p)
			return
		}
		d.draw(w, status, name, p)
	}
}

const revHeader = "Cairn-Rev" // as of which a part was read

func (d *painter) draw(w http.ResponseWriter, status int, name string, p page) {
	d.execute(w, status, name, "page", p)
}

func (d *painter) drawPart(w http.ResponseWriter, status int, name string, p page) {
	d.execute(w, status, name, "inside", p)
}

// execute draws into memory first, so that a page comes whole or not at all.
func (d *painter) execute(w http.ResponseWriter, status int, name, part string, p page) {
	var b bytes.Buffer
	if err := templates(name).ExecuteTemplate(&b, part, p); err != nil {
		d.log.Error("drawing", "page", name, "error", err)
		http.Error(w, "internal error: the page cannot be drawn", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that is gone needs no answer
}

var parsed sync.Map // *template.Template by the name of the screen

// templates are those of a screen. They are parsed when the screen is first shown.
func templates(name string) *template.Template {
	found, ok := parsed.Load(name)
	if !ok {
		found, _ = parsed.LoadOrStore(name, template.Must(template.New(name).Funcs(funcs).ParseFS(files, "pages/page.html", "pages/parts.html", "pages/"+name+".html")))
	}
	return found.(*template.Template)
}
