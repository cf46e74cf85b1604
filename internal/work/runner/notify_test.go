package runner

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// allow names a host of webhooks in the user's config.
func (f *field) allow(url string) {
	f.Helper()
	storetest.WriteFile(f, filepath.Join(f.w.ConfigDir, "config.yaml"), "webhooks: ['"+strings.TrimPrefix(url, "http://")+"']\n")
}

func TestSlowAWebhookIsToldTheEnd(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	var told []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told = append(told, r.Method+" "+r.URL.Path+" "+string(body))
	}))
	defer server.Close()
	f.allow(server.URL)
	f.want(f.run(func(s *job.Spec) { s.Notify.Webhook = server.URL + "/hook" }), job.Succeeded, "")
	if len(told) != 1 || !strings.HasPrefix(told[0], "POST /hook {") {
		t.Fatalf("it was told %q", told)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(strings.TrimPrefix(told[0], "POST /hook ")), &got); err != nil || got["state"] != "SUCCEEDED" || got["task"] != "PROJ-1" || got["summary"] != "I made it good" {
		t.Errorf("it was told %v, %v", got, err)
	}
}

// What cannot be told changes nothing about the job, and is kept as an event.
func TestSlowWebhooksThatAreNotCalled(t *testing.T) {
	slowtest.Skip(t)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was called") }))
	defer other.Close()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	f := newField(t)
	f.allow(server.URL)
	for name, tt := range map[string]struct{ address, event string }{
		"a host that is not allowed": {other.URL, "are not allowed"},
		"a redirection":              {server.URL, "answered 307"},
	} {
		one := f.run(func(s *job.Spec) { s.Notify.Webhook = tt.address })
		f.want(one, job.Succeeded, "")
		if !strings.Contains(f.events(one.Spec.Job), tt.event) {
			t.Errorf("%s: no event says so:\n%s", name, f.events(one.Spec.Job))
		}
	}
	if calls != 1 {
		t.Errorf("the allowed host was called %d times", calls)
	}
}

func TestSlowAPullRequestIsOpenedAfterSuccess(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	opened := 0
	r := f.runner()
	r.OpenPR = func(_ context.Context, w *verb.Workspace, id record.ID) (job.PR, error) {
		opened++
		if id != theTask || w.Dir != f.s.Root {
			t.Errorf("of %s in %s", id, w.Dir)
		}
		return job.PR{URL: "https://example.com/pull/7", Number: 7, Status: "open"}, nil
	}
	asks := func(s *job.Spec) { s.Notify.PR, s.Attempts = true, 0 }
	id := f.make(asks)
	if err := r.Run(t.Context(), f.w, id); err != nil {
		t.Fatal(err)
	}
	one := f.get(id)
	f.want(one, job.Succeeded, "")
	if one.Status.PR == nil || one.Status.PR.Number != 7 || !strings.Contains(f.file(id, "pr.json"), `"number":7`) {
		t.Errorf("it shows %+v", one.Status.PR)
	}
	f.agent.line = "echo bad >file"
	if err := r.Run(t.Context(), f.w, f.make(asks)); err != nil {
		t.Fatal(err)
	}
	if opened != 1 {
		t.Errorf("%d were opened", opened)
	}
}
