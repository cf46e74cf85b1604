package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// browser is a client of a server that runs, as a browser would be one.
type browser struct {
	t      testing.TB
	s      *Server
	url    string
	link   string
	cookie string
	token  string
	kill   func() // ends the server
}

// serve runs a server over a workspace of its own.
func serve(t testing.TB, o Options, change ...func(*verb.Workspace)) *browser {
	t.Helper()
	w := verbtest.NewWorkspace(t)
	w.Actor = verb.As("human:ada")
	for _, one := range change {
		one(w)
	}
	if o.Listener == nil {
		l, err := Listen(0)
		if err != nil {
			t.Fatal(err)
		}
		o.Listener = l
	}
	return serveOn(t, *w, o)
}

// serveOn runs a server over a workspace until the test ends, or it is killed.
func serveOn(t testing.TB, w verb.Workspace, o Options) *browser {
	s := New(w, o)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	kill := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil && !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		kill()
		s.reads.w.Reads.Close()
	})
	return &browser{t: t, s: s, link: s.Link(), url: "http://" + o.Listener.Addr().String(), kill: kill}
}

// enterAnew takes a link of its own.
func (b *browser) enterAnew() { b.link = b.s.Link(); b.enter() }

// enter takes the link, and reads the token off a page.
func (b *browser) enter() *browser {
	b.t.Helper()
	_, key, _ := strings.Cut(b.link, "#")
	status, _, cookie := b.do("POST", "/enter", url.Values{"key": {key}}, nil)
	if status != http.StatusSeeOther || cookie == nil {
		b.t.Fatalf("entering: %d, %v", status, cookie)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || !strings.HasSuffix(cookie.Name, b.s.door.port) {
		b.t.Errorf("the cookie is %v", cookie)
	}
	b.cookie = cookie.Name + "=" + cookie.Value
	_, page, _ := b.do("GET", "/board", nil, nil)
	_, rest, _ := strings.Cut(page, `data-token="`)
	b.token, _, _ = strings.Cut(rest, `"`)
	if len(b.token) < 20 {
		b.t.Fatalf("the page has no token: %s", page)
	}
	return b
}

// do sends a request as the server's own page would, with other headers.
func (b *browser) do(method, path string, form url.Values, headers map[string]string) (status int, body string, cookie *http.Cookie) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	for name, value := range headers {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := resp.Header.Get(name); got != want {
			b.t.Errorf("%s %s: %s is %q", method, path, name, got)
		}
	}
	for _, c := range resp.Cookies() {
		cookie = c
	}
	return resp.StatusCode, string(all), cookie
}

func (b *browser) create(title string) string {
	b.t.Helper()
	w := b.s.reads.w
	return verbtest.Must(b.t, &w, "create", verbtest.Args{"title": title}).ID
}

// get reads a task, past the pages.
func (b *browser) get(id string) verb.Task {
	b.t.Helper()
	w := b.s.reads.w
	out, err := verbtest.Call[verb.Task](b.t, &w, "get", verbtest.Args{"id": id})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *browser) status(id string) string { return string(b.get(id).Status) }

// A server can be reached from this machine alone.
func TestItListensOnLoopbackAlone(t *testing.T) {
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if addr := l.Addr().(*net.TCPAddr); !addr.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		t.Errorf("it listens on %v", addr)
	}
	if _, err := Listen(l.Addr().(*net.TCPAddr).Port); record.CodeOf(err) != record.IO {
		t.Errorf("the port is taken, and it says %v", err)
	}
}

// Whoever has not entered reads nothing, whatever the path.
func TestNothingIsReadBeforeEntering(t *testing.T) {
	b := serve(t, Options{})
	id := b.create("A secret plan")
	paths := []string{"/", "/live", "/search?q=secret", "/task/" + string(id), "/diff/" + string(id)}
	for path := range screens() {
		paths = append(paths, strings.ReplaceAll(path, "{id}", string(id)))
	}
	for _, path := range paths {
		for _, cookie := range []string{"", b.s.door.cookieName() + "=", b.s.door.cookieName() + "=guess", "cairn-1=x"} {
			b.cookie = cookie
			status, body, _ := b.do("GET", path, nil, nil)
			if status != http.StatusUnauthorized || strings.Contains(body, "secret plan") {
				t.Errorf("%s with the cookie %q: %d", path, cookie, status)
			}
		}
	}
}

// A link lets one browser in, once; who has it afterwards has nothing.
func TestALinkIsGoodOnce(t *testing.T) {
	b := serve(t, Options{}).enter()
	_, key, _ := strings.Cut(b.link, "#")
	thief := *b
	thief.cookie = ""
	if status, _, cookie := thief.do("POST", "/enter", url.Values{"key": {key}}, nil); status != http.StatusForbidden || cookie != nil {
		t.Errorf("the second time: %d, %v", status, cookie)
	}
	for _, key := range []string{"", "guess", key + "x"} {
		if status, _, cookie := thief.do("POST", "/enter", url.Values{"key": {key}}, nil); status != http.StatusForbidden || cookie != nil {
			t.Errorf("with the key %q: %d", key, status)
		}
	}
	if status, _, _ := b.do("POST", "/enter", url.Values{"key": {key}}, nil); status != http.StatusSeeOther {
		t.Errorf("who has entered opens the link again: %d", status)
	}
}

// What a hostile page can make a browser send reads and moves nothing: under a name of its own, from another origin,
// with a guessed port, without the token.
func TestHostilePages(t *testing.T) {
	b := serve(t, Options{}).enter()
	id := b.create("Pay")
	move := url.Values{"id": {string(id)}, "to": {"in_review"}, "token": {b.token}}
	bare := url.Values{"id": {string(id)}, "to": {"in_review"}}
	for _, tt := range []struct {
		name    string
		method  string
		form    url.Values
		headers map[string]string
	}{
		{"rebinding reads", "GET", nil, map[string]string{"Host": "evil.example:" + b.s.door.port}},
		{"rebinding writes", "POST", move, map[string]string{"Host": "evil.example:" + b.s.door.port, "Origin": "http://evil.example:" + b.s.door.port}},
		{"a name that begins like ours", "GET", nil, map[string]string{"Host": "127.0.0.1.evil.example:" + b.s.door.port}},
		{"our name with another port", "GET", nil, map[string]string{"Host": "127.0.0.1:1"}},
		{"our name without a port", "GET", nil, map[string]string{"Host": "127.0.0.1"}},
		{"another origin writes", "POST", move, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}},
		{"another port of this machine writes", "POST", move, map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}},
		{"an old browser of another origin writes", "POST", move, map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": ""}},
		{"no origin at all", "POST", move, map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site"}},
		{"another page embeds", "GET", nil, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}},
		{"a page of another port fetches", "GET", nil, map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}},
		{"no token", "POST", bare, nil},
		{"a wrong token", "POST", bare, map[string]string{tokenHeader: "guess"}},
		{"the cookie as the token", "POST", bare, map[string]string{tokenHeader: strings.SplitN(b.cookie, "=", 2)[1]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := "/task/" + string(id)
			if tt.method == "POST" {
				path = "/do/transition"
			}
			status, body, _ := b.do(tt.method, path, tt.form, tt.headers)
			if status != http.StatusForbidden || strings.Contains(body, "Pay") {
				t.Errorf("%d: %.200s", status, body)
			}
			if at := b.status(id); at != "backlog" {
				t.Fatalf("it is in %s", at)
			}
		})
	}
	if status, _, _ := b.do("POST", "/do/transition", move, nil); status != http.StatusSeeOther || b.status(id) != "in_review" {
		t.Errorf("our own page moves it: %d, %s", status, b.status(id))
	}
	bare.Set("to", "backlog")
	if status, _, _ := b.do("POST", "/do/transition", bare, map[string]string{tokenHeader: b.token}); status != http.StatusOK {
		t.Errorf("with the token in a header: %d", status)
	}
	if status, _, _ := b.do("GET", "/do/transition?id="+string(id)+"&to=done&token="+b.token, nil, nil); status != http.StatusMethodNotAllowed {
		t.Errorf("a write by GET: %d", status)
	}
	if status, _, _ := b.do("POST", "/do/delete", url.Values{"id": {string(id)}, "token": {b.token}}, nil); status != http.StatusNotFound {
		t.Errorf("a verb that no page has: %d", status)
	}
}

// A form leads back to a page of this server, and nowhere else.
func TestFormsLeadBack(t *testing.T) {
	for path, want := range map[string]string{
		"/task/T-1?x=1": "/task/T-1?x=1", "https://evil.example": "/board", "//evil.example": "/board", `/\evil.example`: "/board",
		"javascript:alert(1)": "/board", "": "/board",
	} {
		if got := back(path); got != want {
			t.Errorf("%q leads to %q", path, got)
		}
	}
}

// A server for a wall changes nothing, and its pages have no forms.
func TestReadOnly(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { w.ReadOnly = true })
	w := b.s.reads.w
	w.ReadOnly = false
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay"}).ID
	b.enter()
	if _, page, _ := b.do("GET", "/task/"+string(id), nil, nil); strings.Contains(page, `action="/do/`) {
		t.Error("the page has forms")
	}
	form := url.Values{"id": {string(id)}, "to": {"in_review"}, "token": {b.token}}
	for _, name := range []string{"transition", "inbox"} {
		if status, body, _ := b.do("POST", "/do/"+name, form, nil); status != http.StatusForbidden || !strings.Contains(body, "READ_ONLY") {
			t.Errorf("%s: %d: %s", name, status, body)
		}
	}
}

// What a person confirms by typing a word they confirm here so, of just what they read; where no person is, nobody does.
func TestConfirming(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay", "acceptance": []string{"read by a person"}}).ID
	form := func(more ...string) url.Values {
		out := url.Values{"id": {string(id)}, "check": {"0"}, "pass": {"true"}, "text": {"read it"}, "token": {b.token}}
		for i := 0; i < len(more); i += 2 {
			out.Set(more[i], more[i+1])
		}
		return out
	}
	passed := func() bool {
		return b.get(id).Checks[0].Result == record.Pass
	}
	status, page, _ := b.do("POST", "/do/attest", form(), nil)
	_, rest, _ := strings.Cut(page, `name="asked" value="`)
	asked, _, _ := strings.Cut(rest, `"`)
	if status != http.StatusPreconditionRequired || asked == "" || !strings.Contains(page, "read by a person") {
		t.Fatalf("%d: %s", status, page)
	}
	for name, sent := range map[string]url.Values{
		"the word alone": form("word", "pass"), "another word": form("word", "yes", "asked", asked),
		"of something else": form("word", "pass", "asked", asked, "text", "read something else"),
	} {
		if status, _, _ := b.do("POST", "/do/attest", sent, nil); status < 400 || passed() {
			t.Fatalf("%s: %d", name, status)
		}
	}
	b.s.writes.person = func() error { return record.Errorf(record.Forbidden, "this is the shell of an agent") }
	if status, page, _ := b.do("POST", "/do/attest", form("word", "pass", "asked", asked), nil); status != http.StatusForbidden || passed() {
		t.Fatalf("in the shell of an agent: %d %s", status, page)
	}
	b.s.writes.person = nil
	if status, page, _ := b.do("POST", "/do/attest", form("word", "pass", "asked", asked), nil); status != http.StatusSeeOther || !passed() {
		t.Errorf("confirmed: %d %s", status, page)
	}
}

// Bodies have a limit, and so has the number of open streams; a page that does not read keeps nobody waiting.
func TestLimits(t *testing.T) {
	b := serve(t, Options{}).enter()
	form := url.Values{"token": {b.token}, "title": {strings.Repeat("x", maxBody)}}
	if status, _, _ := b.do("POST", "/do/create", form, nil); status != http.StatusBadRequest {
		t.Errorf("a body of more than %d bytes: %d", maxBody, status)
	}
	var open []*stream
	for range maxStreams {
		open = append(open, b.s.live.open())
	}
	if status, _, _ := b.do("GET", "/live", nil, nil); status != http.StatusServiceUnavailable {
		t.Errorf("one stream more than there may be: %d", status)
	}
	for range 1000 { // nobody of them reads
		b.s.live.changed("T-1", "T-2")
	}
	if _, ids, _ := b.s.live.take(open[0]); len(ids) != 1 || ids[0] != "*" {
		t.Errorf("a page that did not read is told %v", ids)
	}
	for _, one := range open {
		b.s.live.leave(one)
	}
}

// A number of browsers can have entered; the first one to enter is the first to be forgotten.
func TestDoors(t *testing.T) {
	d := newDoors()
	first := d.enter(d.key())
	for range maxVisitors {
		d.enter(d.key())
	}
	if d.known(first.cookie) != nil || len(d.visitors) != maxVisitors {
		t.Errorf("%d have entered", len(d.visitors))
	}
	old := d.key()
	for range maxKeys {
		d.key()
	}
	if d.enter(old) != nil {
		t.Error("a key that others displaced opens")
	}
}
