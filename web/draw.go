package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/task"
)

//go:embed assets pages
var files embed.FS

// page is what every page shows, and the body of one.
type page struct {
	Title     string
	Screen    string // that is shown
	Workspace string // the prefix of its ids
	Me        record.Actor
	Waiting   int // things that wait for whoever looks
	Views     []string
	States    []record.Status
	ReadOnly  bool // nothing can be written
	Static    bool // it is a file, and nobody answers
	Token     string
	Rev       string // as of which it was read
	Path      string // of the page, with its query
	Query     url.Values
	Base      string // of a file, the way to the folder of all
	Body      any

	clock time.Time
}

// Writes reports whether the page has forms.
func (p page) Writes() bool { return !p.ReadOnly && !p.Static }

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

// page is a page for a visitor, without a body.
func (s *Server) page(r *http.Request, v *visitor, title string) page {
	p := page{
		Title: title, Me: s.w.Actor(), ReadOnly: s.w.ReadOnly, Rev: s.live.now(), Path: r.URL.RequestURI(), Query: r.URL.Query(),
		clock: s.w.Now(),
	}
	if v != nil {
		p.Token = v.token
	}
	s.fill(r, &p)
	return p
}

func (s *Server) fill(r *http.Request, p *page) {
	if at, err := s.w.Open(); err == nil {
		p.Workspace, p.States = at.Config.Prefix, at.Config.Flow.States
		for _, view := range at.Config.Views {
			p.Views = append(p.Views, view.Name)
		}
	}
	if waiting, err := ask[verb.Items[handoffs.Waiting]](r.Context(), s, "review_list", args{}); err == nil {
		p.Waiting = waiting.Total
	}
}

// screen is one of the pages: its name is that of its template.
type screen struct {
	name, title string
	body        func(*Server, *http.Request) (any, error)
}

// screens are the pages by their paths.
func screens() map[string]screen {
	return map[string]screen{
		"/needs":       {"needs", "Needs you", (*Server).needs},
		"/board":       {"board", "Board", (*Server).board},
		"/list":        {"list", "List", (*Server).list},
		"/graph":       {"graph", "Graph", (*Server).graph},
		"/jobs":        {"jobs", "Jobs", (*Server).jobs},
		"/job/{id}":    {"job", "Job", (*Server).job},
		"/ledger":      {"ledger", "Ledger", (*Server).ledger},
		"/search":      {"search", "Search", (*Server).search},
		"/new":         {"new", "New task", func(*Server, *http.Request) (any, error) { return nil, nil }},
		"/task/{id}":   {"task", "Task", (*Server).task},
		"/diff/{id}":   {"diff", "Diff", (*Server).diff},
		"/record/{id}": {"record", "Record", (*Server).record},
	}
}

func (s *Server) screen(c screen) inside {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		p := s.page(r, v, c.title)
		p.Screen = c.name
		status, name := http.StatusOK, c.name
		body, err := c.body(s, r)
		if titled, ok := body.(interface{ pageTitle() string }); ok && err == nil {
			p.Title = titled.pageTitle()
		}
		if p.Body = body; err != nil {
			out := s.explain(err)
			out.Form = r.URL.Query()
			status, name, p.Body = cmp.Or(statusOf[out.Code], http.StatusUnprocessableEntity), "broken", out
		}
		if r.Header.Get(tokenHeader) != "" {
			w.Header().Set(revHeader, p.Rev)
			s.drawPart(w, status, name, p)
			return
		}
		s.draw(w, status, name, p)
	}
}

const revHeader = "Cairn-Rev" // as of which a part was read

func (s *Server) draw(w http.ResponseWriter, status int, name string, p page) {
	s.execute(w, status, name, "page", p)
}

func (s *Server) drawPart(w http.ResponseWriter, status int, name string, p page) {
	s.execute(w, status, name, "inside", p)
}

// execute draws into memory first, so that a page comes whole or not at all.
func (s *Server) execute(w http.ResponseWriter, status int, name, part string, p page) {
	var b bytes.Buffer
	if err := templates(name).ExecuteTemplate(&b, part, p); err != nil {
		s.log.Error("drawing", "page", name, "error", err)
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

// funcs are what templates call.
var funcs = template.FuncMap{
	"at":       func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") + " UTC" },
	"iso":      func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	"short":    func(at time.Time) string { return at.UTC().Format("2 Jan 15:04") },
	"asset":    assetPath,
	"md":       markdown,
	"who":      actorName,
	"sort":     actorSort,
	"initials": initials,
	"prio":     func(p task.Priority) string { return priorityNames[min(max(int(p), 0), len(priorityNames)-1)] },
	"priority": func(p *task.Priority) task.Priority {
		if p == nil {
			return task.DefaultPriority
		}
		return *p
	},
	"deref":      func(t *time.Time) time.Time { return *t },
	"priorities": func() []string { return priorityNames },
	"join":       func(list []string) string { return strings.Join(list, ", ") },
	"lines":      func(list []string) string { return strings.Join(list, "\n") },
	"query":      withQuery,
	"plain":      harmless.Line,
	"text":       harmless.Text,
	"clip":       func(text string, n int) string { return record.Clip(text, n) },
	"words":      func(text string) string { return strings.ReplaceAll(text, "_", " ") },
	"has":        func(list []string, one string) bool { return slices.Contains(list, one) },
	"dict":       dict,
	"num":        func(p task.Priority) int { return int(p) },
	"inc":        func(n int) int { return n + 1 },
	"count":      func(n int, one, many string) string { return count(n, one, many) },
	"put":        func(format string, values ...any) string { return fmt.Sprintf(format, values...) },
}

var priorityNames = []string{"drop everything", "high", "normal", "low", "someday"}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// dict makes a map of names and values in turn, for a template that takes more than one.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		out[pair[0].(string)] = pair[1]
	}
	return out
}

// withQuery is a query with a value set, or taken away if it is "".
func withQuery(q url.Values, name, value string) template.URL {
	out := url.Values{}
	for key, values := range q {
		if key != "cursor" {
			out[key] = values
		}
	}
	if out.Del(name); value != "" {
		out.Set(name, value)
	}
	return template.URL("?" + out.Encode()) //nolint:gosec // Encode escapes what could be more than a query
}

func ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return ""
	case d < 0:
		return at.UTC().Format("2 Jan 2006")
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 36*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	default:
		return at.UTC().Format("2 Jan 2006")
	}
}

// actorName is an actor without what it is: human:ada is ada.
func actorName(a any) string {
	_, name, ok := strings.Cut(fmt.Sprint(a), ":")
	if !ok {
		return fmt.Sprint(a)
	}
	return name
}

// actorSort is what an actor is: human, agent, service or ci.
func actorSort(a any) string {
	sort, _, ok := strings.Cut(fmt.Sprint(a), ":")
	if !ok {
		return "nobody"
	}
	return sort
}

// initials are the first letters of the first two words of an actor's name.
func initials(a any) string {
	words := strings.FieldsFunc(actorName(a), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	out := ""
	for _, word := range words[:min(2, len(words))] {
		out += string([]rune(word)[:1])
	}
	return strings.ToUpper(out)
}

// assetPath is the address of a file of the server's own, which changes with what the file says.
func assetPath(name string) string { return "/a/" + hashes()[name] + "/" + name }

var hashes = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	all, _ := fs.Glob(files, "assets/*")
	for _, path := range all {
		name := strings.TrimPrefix(path, "assets/")
		sum := sha256.Sum256(assetOf(name))
		out[name] = hex.EncodeToString(sum[:6])
	}
	return out
})

// assetOf is a file as it is sent: without indents, without the comments that have a line of their own, and without the
// blanks around signs.
func assetOf(name string) []byte {
	src, err := files.ReadFile("assets/" + name)
	if err != nil {
		return nil
	}
	if name != "app.js" && name != "style.css" {
		return src
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") && strings.HasSuffix(line, "*/")
		if line != "" && !comment {
			out.WriteString(tight.Replace(line) + "\n")
		}
	}
	return out.Bytes()
}

// tight takes blanks away that mean nothing in scripts and styles.
var tight = strings.NewReplacer(" => ", "=>", " = ", "=", " === ", "===", " && ", "&&", " || ", "||", "{ ", "{", " }", "}", " {", "{", "; ", ";", ", ", ",", ": ", ":")

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := assetTypes[name[max(0, strings.LastIndexByte(name, '.')):]]
	hash, known := hashes()[name]
	if !ok || !known || hash != r.PathValue("hash") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	content := assetOf(name)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		content = zipped(content)
	}
	_, _ = w.Write(content)
}

// zipped is a file as it is sent to a browser.
func zipped(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}
