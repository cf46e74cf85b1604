package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// doors are the keys by which browsers enter, and those that have entered.
type doors struct {
	mu       *sync.Mutex
	keys     []string   // that were not used yet, the oldest first
	visitors []*visitor // the oldest first
}

// visitor is a browser that has entered.
type visitor struct {
	cookie string
	token  string // that its writes carry
}

func newDoors() doors { return doors{mu: &sync.Mutex{}} }

// key makes a key that lets one browser enter.
func (d *doors) key() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := rand.Text()
	d.keys = append(d.keys[max(0, len(d.keys)-maxKeys+1):], key)
	return key
}

// enter takes a key back and returns the visitor that it makes; nil if there is no such key any more.
func (d *doors) enter(key string) *visitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.keys, func(one string) bool { return same(one, key) })
	if at < 0 {
		return nil
	}
	d.keys = slices.Delete(d.keys, at, at+1)
	v := &visitor{cookie: rand.Text(), token: rand.Text()}
	d.visitors = append(d.visitors[max(0, len(d.visitors)-maxVisitors+1):], v)
	return v
}

// known is the visitor with a cookie; nil if there is none.
func (d *doors) known(cookie string) *visitor {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.visitors, func(v *visitor) bool { return same(v.cookie, cookie) })
	if at < 0 {
		return nil
	}
	return d.visitors[at]
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// door is where browsers enter, and what knows those that have.
type door struct {
	*painter
	keys doors
	host string // address that requests have to name
	port string
}

var sameOrigin = http.NewCrossOriginProtection()

// foreign returns why a request may be the doing of another page, or "". Such a page can use a name of its own that
// resolves to this machine, which the Host header shows; a request of it to write shows its origin; and what it embeds
// shows by Sec-Fetch-Site that another site asks.
func (d *door) foreign(r *http.Request) string {
	if !strings.EqualFold(r.Host, d.host) && !strings.EqualFold(r.Host, "localhost:"+d.port) {
		return "the Host header does not name this server"
	}
	if sameOrigin.Check(r) != nil {
		return "another page asks for a change"
	}
	from := r.Header.Get("Sec-Fetch-Site")
	if !slices.Contains([]string{"", "none", "same-origin"}, from) && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return "another page asks"
	}
	return ""
}

// cookieName has the port, since the cookies of one machine go to all of its ports.
func (d *door) cookieName() string { return "cairn-" + d.port }

// visitor is who asks; nil for one that has not entered.
func (d *door) visitor(r *http.Request) *visitor {
	c, err := r.Cookie(d.cookieName())
	if err != nil {
		return nil
	}
	return d.keys.known(c.Value)
}

// inside handles the request of a visitor.
type inside func(http.ResponseWriter, *http.Request, *visitor)

// within lets those in who have entered. What they ask to change carries their token, in a header or, from a page
// without scripts, in its form.
func (d *door) within(do inside) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := d.visitor(r)
		switch {
		case v == nil && reads(r) && r.Header.Get(tokenHeader) == "" && r.URL.Path != "/live":
			d.shut(w, http.StatusUnauthorized, "")
		case v == nil:
			http.Error(w, "not entered", http.StatusUnauthorized)
		case !reads(r) && !same(r.Header.Get(tokenHeader), v.token) && !same(r.PostForm.Get("token"), v.token):
			http.Error(w, "the token is missing: load the page again", http.StatusForbidden)
		default:
			do(w, r, v)
		}
	}
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// tokenHeader has the token of a visitor. Who sends it is the script of a page, which wants what lies inside of a page.
const tokenHeader = "Cairn-Token"

// show is where a browser enters: a script of the page takes the key out of the fragment and posts it.
func (d *door) show(w http.ResponseWriter, _ *http.Request) { d.shut(w, http.StatusOK, "") }

func (d *door) shut(w http.ResponseWriter, status int, why string) {
	d.draw(w, status, "door", page{Title: "Enter", Body: why})
}

func (d *door) enter(w http.ResponseWriter, r *http.Request) {
	v := d.keys.enter(strings.TrimSpace(r.PostForm.Get("key")))
	if v == nil && d.visitor(r) != nil { // who has entered opens the link again
		http.Redirect(w, r, "/board", http.StatusSeeOther)
		return
	}
	if v == nil {
		d.shut(w, http.StatusForbidden, "This link was used before, or is of another server. For a new one end the server (Ctrl-C) and type cairn web again.")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: d.cookieName(), Value: v.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/board", http.StatusSeeOther)
}
