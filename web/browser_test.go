package web

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is a tab of a real browser. The test is skipped where there is none.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium here")
	}
	profile, err := os.MkdirTemp("", "chromium-") //nolint:usetesting // its processes write there until after the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // its processes write until they have ended, a moment after the browser
		for range 100 {
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(profile))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
		end()
	})
	run(t, ctx)
	return ctx
}

// run does something in a tab, within a time.
func run(t testing.TB, ctx context.Context, actions ...chromedp.Action) { //nolint:revive // the test comes first
	t.Helper()
	if err := try(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func try(ctx context.Context, actions ...chromedp.Action) error {
	ended := make(chan error, 1)
	go func() { ended <- chromedp.Run(ctx, actions...) }()
	select {
	case err := <-ended:
		return err
	case <-time.After(slowtest.Patience):
		return context.DeadlineExceeded
	}
}

// eventually waits until a tab has loaded its page and an expression of JavaScript is true in it.
func eventually(t testing.TB, ctx context.Context, expression string) { //nolint:revive // the test comes first
	t.Helper()
	var last any
	for range 300 {
		if try(ctx, chromedp.Evaluate(`document.readyState === "complete" && `+expression, &last)) == nil && last == true {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	var page string
	_ = try(ctx, chromedp.Evaluate(`document.body.innerText`, &page))
	t.Fatalf("%s is %v on\n%s", expression, last, page)
}

// enterIn opens a link of a server in a tab.
func (b *browser) enterIn(ctx context.Context) {
	b.t.Helper()
	run(b.t, ctx, chromedp.Navigate(b.url+"/enter#"+b.s.door.keys.key()))
	eventually(b.t, ctx, `location.pathname === "/board" && !!document.body.dataset.token`)
}

func size(width, height int64, dark bool) chromedp.Action {
	theme := map[bool]string{false: "light", true: "dark"}[dark]
	return chromedp.ActionFunc(func(ctx context.Context) error {
		if err := emulation.SetDeviceMetricsOverride(width, height, 1, width < 600).Do(ctx); err != nil {
			return err
		}
		return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}).Do(ctx)
	})
}

func awaitPromise(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func shot(t testing.TB, ctx context.Context, name string) { //nolint:revive // the test comes first
	t.Helper()
	var png []byte
	run(t, ctx, chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(name, png, 0o644); err != nil {
		t.Fatal(err)
	}
}
