package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/chromedp/chromedp"
)

// A page of another port of this machine, which browsers take for the same site and send the cookie with, tries all that
// a page can do in the browser of somebody who has entered. It reads nothing and moves nothing.
func TestSlowAHostilePageInARealBrowser(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{})
	id := b.create("A secret plan")
	ctx := chromium(t)
	b.enterIn(ctx)
	attack := fmt.Sprintf(`<!doctype html><title>x</title><iframe name="in" src="%[1]s/board"></iframe>
<form id="f" method="post" target="in" action="%[1]s/do/transition"><input name="id" value="%[2]s"><input name="to" value="done"><input name="token" value="guess"></form>
<script>
window.got = [];
(async () => {
	const note = what => window.got.push(String(what).slice(0, 200));
	const all = { credentials: "include" }, body = new URLSearchParams({ id: %[2]q, to: "done", token: "guess" });
	for (const path of ["/board", "/task/%[2]s", "/list", "/live"]) {
		await fetch("%[1]s" + path, all).then(r => r.text()).then(note, () => 0);
		await fetch("%[1]s" + path, { mode: "no-cors", ...all }).then(r => r.text()).then(text => text && note(text), () => 0);
	}
	await fetch("%[1]s/do/transition", { method: "POST", body, ...all }).then(r => note(r.status), () => 0);
	await fetch("%[1]s/do/transition", { method: "POST", mode: "no-cors", body, ...all }).then(r => r.status && note(r.status), () => 0);
	document.querySelector("#f").submit();
	const script = document.createElement("script");
	script.src = "%[1]s/board";
	script.onload = () => note("a script was loaded");
	document.body.append(script);
	const image = new Image();
	image.onload = () => note("an image was loaded");
	image.src = "%[1]s/a/x/icon.svg";
	const stream = new EventSource("%[1]s/live", { withCredentials: true });
	stream.addEventListener("rev", e => note(e.data));
	await new Promise(done => setTimeout(done, 1500));
	try { note(frames[0].document.body.innerText) } catch {}
	window.done = true;
})();
</script>`, b.url, id)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(attack))
	}))
	defer other.Close()
	run(t, ctx, chromedp.Navigate(strings.Replace(other.URL, "localhost", "127.0.0.1", 1)))
	eventually(t, ctx, `window.done === true`)
	var got []string
	run(t, ctx, chromedp.Evaluate(`window.got`, &got))
	for _, one := range got {
		if strings.TrimSpace(one) != "" {
			t.Errorf("it got %q", one)
		}
	}
	if at := b.status(id); at != "backlog" {
		t.Errorf("the task is in %s", at)
	}
}
