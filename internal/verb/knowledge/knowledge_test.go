package knowledge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// setUp writes the user's config.
func setUp(t *testing.T, w *verb.Workspace, config string) {
	t.Helper()
	if err := os.MkdirAll(w.ConfigDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.ConfigDir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command sets up the program of the tests as an embedder, which behaves in one of its ways. It returns what it logs of
// its calls.
func command(t *testing.T, w *verb.Workspace, how string) (calls func() string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EMBEDDER_LOG", log)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words, _ := json.Marshal([]string{exe, "embed", how})
	setUp(t, w, fmt.Sprintf("embedder:\n  command: %s\n  timeout: 2\n", words))
	return func() string {
		src, _ := os.ReadFile(log)
		_ = os.Remove(log)
		return string(src)
	}
}

func write(t *testing.T, w *verb.Workspace, in verbtest.Args) knowledge.Note {
	t.Helper()
	n, err := verbtest.Call[knowledge.Note](t, w, "knowledge_write", in)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func find(t *testing.T, w *verb.Workspace, in verbtest.Args) knowledge.SearchOut {
	t.Helper()
	out, err := verbtest.Call[knowledge.SearchOut](t, w, "knowledge_search", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ids(out knowledge.SearchOut) []string {
	all := []string{}
	for _, item := range out.Items {
		all = append(all, item.ID)
	}
	return all
}

// garage writes three notes of which two are about what the query means.
func garage(t *testing.T, w *verb.Workspace) (cars, secrets, other string) {
	t.Helper()
	cars = write(t, w, verbtest.Args{"title": "Mending automobiles", "body": "Lift it first."}).ID
	secrets = write(t, w, verbtest.Args{"title": "Passwords", "body": "Replace a password every quarter."}).ID
	other = write(t, w, verbtest.Args{"title": "The quarterly report", "body": "Due on Friday."}).ID
	return cars, secrets, other
}

func TestWithoutEmbedder(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	n := write(t, w, verbtest.Args{"title": "Rotating keys", "body": "Every quarter.", "labels": []string{"ops"}, "type": "runbook"})
	if n.Embedding != knowledge.Off || n.Status != "active" || n.Alike == nil || n.Fields["type"] != "runbook" {
		t.Errorf("wrote %+v", n)
	}
	out := find(t, w, verbtest.Args{"q": "key rotation"})
	if !slices.Equal(ids(out), []string{n.ID}) || out.Mode != knowledge.Lexical || !strings.Contains(out.Reason, "no embedder") {
		t.Errorf("found %+v", out)
	}
	for _, filter := range []verbtest.Args{{"labels": []string{"ops", "dev"}}, {"type": "snippet"}, {"parent": verbtest.Must(t, w, "create", verbtest.Args{"title": "x"}).ID}} {
		filter["q"] = "keys"
		if got := ids(find(t, w, filter)); len(got) > 0 {
			t.Errorf("%v finds %v", filter, got)
		}
	}
	write(t, w, verbtest.Args{"id": n.ID, "status": "archived"})
	if got := ids(find(t, w, verbtest.Args{"q": "keys"})); len(got) > 0 {
		t.Errorf("an archived note is found: %v", got)
	}
}

func TestParent(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	top := verbtest.Must(t, w, "create", verbtest.Args{"title": "The shop"}).ID
	below := verbtest.Must(t, w, "create", verbtest.Args{"title": "The till", "parent": top}).ID
	n := write(t, w, verbtest.Args{"title": "Till rolls", "body": "80 mm.", "about": []string{below}})
	write(t, w, verbtest.Args{"title": "Other rolls", "body": "None of the till."})
	if got := ids(find(t, w, verbtest.Args{"q": "rolls", "parent": top})); !slices.Equal(got, []string{n.ID}) {
		t.Errorf("found %v", got)
	}
}

// By meaning a note is found that has none of the words.
func TestByMeaning(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	calls := command(t, w, "works")
	cars, secrets, _ := garage(t, w)
	if got := calls(); strings.Count(got, "text") != 3 || strings.Contains(got, "called in "+w.Dir) {
		t.Errorf("three notes made these calls:\n%s", got)
	}
	out := find(t, w, verbtest.Args{"q": "repair a car"})
	if out.Mode != knowledge.Hybrid || out.Reason != "" || ids(out)[0] != cars || out.Items[0].Similarity <= 0 {
		t.Errorf("found %+v", out)
	}
	if got := calls(); strings.Count(got, "text") != 1 {
		t.Errorf("a search embeds more than the query:\n%s", got)
	}
	if got := ids(find(t, w, verbtest.Args{"q": "repair a car", "lexical_only": true})); len(got) > 0 {
		t.Errorf("words alone find %v", got)
	}
	if got := ids(find(t, w, verbtest.Args{"q": "renew credentials", "min_similarity": 0.3})); !slices.Equal(got, []string{secrets}) {
		t.Errorf("of what is near enough there is %v", got)
	}
	if got := calls(); strings.Count(got, "text") != 1 {
		t.Errorf("a search by words calls the embedder:\n%s", got)
	}
	// An edit by hand is embedded by the next search, and nothing else is.
	path := filepath.Join(w.Dir, ".cairn", "knowledge", cars+".md")
	src, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(src), "Lift it first.", "Replace each credential.", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ids(find(t, w, verbtest.Args{"q": "secret", "min_similarity": 0.1})); !slices.Contains(got, cars) {
		t.Errorf("after an edit by hand there is %v", got)
	}
	if got := calls(); strings.Count(got, "text") != 2 {
		t.Errorf("after an edit by hand these were made:\n%s", got)
	}
}

// Whatever the embedder does, notes are written, and words find them.
func TestSlowEmbedderThatFails(t *testing.T) {
	slowtest.Skip(t)
	for how, reason := range map[string]string{
		"hangs": "took longer than 2s", "dies": "exit status 3: no such model", "rubbish": "Loading model", "endless": "wrote a line of more than",
	} {
		t.Run(how, func(t *testing.T) {
			w := verbtest.NewWorkspace(t)
			calls := command(t, w, how)
			now := time.Now()
			w.Now = func() time.Time { return now }
			called := time.Now()
			n := write(t, w, verbtest.Args{"title": "Passwords", "body": "Replace them."})
			if took := time.Since(called); how == "endless" && took >= 2*time.Second {
				t.Errorf("what writes no vectors is waited for: %v", took)
			}
			if n.Embedding != knowledge.Pending || !strings.Contains(n.Reason, reason) || strings.Contains(n.Reason, "\x1b") {
				t.Errorf("the embedding is %s: %q", n.Embedding, n.Reason)
			}
			calls()
			begun := time.Now()
			out := find(t, w, verbtest.Args{"q": "password"})
			if !slices.Equal(ids(out), []string{n.ID}) || out.Mode != knowledge.Lexical || !strings.Contains(out.Reason, reason) {
				t.Errorf("found %+v", out)
			}
			if called := calls(); called != "" || time.Since(begun) > 2*time.Second {
				t.Errorf("it is asked again at once: %q, for %v", called, time.Since(begun))
			}
			now = now.Add(2 * time.Minute)
			if find(t, w, verbtest.Args{"q": "password"}); calls() == "" {
				t.Error("it is not asked again later")
			}
			command(t, w, "works")
			if out := find(t, w, verbtest.Args{"q": "renew credentials"}); out.Mode != knowledge.Hybrid || len(out.Items) != 1 {
				t.Errorf("once another one works, found %+v", out)
			}
		})
	}
}

// What an embedder answered before it stopped is kept, and noise on standard error is no harm.
func TestSlowEmbedderThatStops(t *testing.T) {
	slowtest.Skip(t)
	w := verbtest.NewWorkspace(t)
	cars, secrets, other := garage(t, w)
	command(t, w, "stops")
	out := find(t, w, verbtest.Args{"q": "repair a car"})
	if out.Mode != knowledge.Hybrid || out.Pending != 2 || !strings.Contains(out.Reason, "took longer") {
		t.Errorf("found %+v", out)
	}
	if out = find(t, w, verbtest.Args{"q": "repair a car"}); out.Pending != 1 {
		t.Errorf("then found %+v", out)
	}
	command(t, w, "noisy")
	if out = find(t, w, verbtest.Args{"q": "repair a car"}); out.Pending != 0 || out.Reason != "" || ids(out)[0] != cars {
		t.Errorf("at last found %+v; the notes are %s, %s and %s", out, cars, secrets, other)
	}
}

// Vectors of another size are those of another model: the old ones are made anew, and are never compared.
func TestVectorsOfAnotherSize(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	command(t, w, "wavers")
	cars, _, _ := garage(t, w)
	if out := find(t, w, verbtest.Args{"q": "repair a car"}); out.Mode != knowledge.Hybrid || ids(out)[0] != cars {
		t.Errorf("one at a time is of one size: %+v", out)
	}
	write(t, w, verbtest.Args{"title": "Cars", "body": "They have wheels."})
	if err := os.RemoveAll(filepath.Join(w.Dir, ".cairn", "local", "vectors")); err != nil {
		t.Fatal(err)
	}
	out := find(t, w, verbtest.Args{"q": "wheels"})
	if len(out.Items) == 0 || !strings.Contains(out.Reason, "vectors of 256 and of 64 numbers") || out.Pending != 4 {
		t.Errorf("found %+v", out)
	}
	exe, _ := os.Executable()
	for _, how := range []string{"works", "small"} { // a link that leads to another model under one name
		setUp(t, w, fmt.Sprintf("embedder: {command: [sh, %s]}", filepath.Join(w.ConfigDir, "run")))
		if err := os.WriteFile(filepath.Join(w.ConfigDir, "run"), []byte("exec '"+exe+"' embed "+how+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if out := find(t, w, verbtest.Args{"q": "repair a car"}); out.Mode != knowledge.Hybrid || out.Pending != 0 || !slices.Contains(ids(out), cars) {
			t.Errorf("%s: found %+v", how, out)
		}
	}
}

// A service that speaks OpenAI's API is asked as well, on this machine alone unless the user says otherwise.
func TestByURL(t *testing.T) {
	asked := 0
	service := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked++
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "bag" || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(rw, "no", http.StatusBadRequest)
			return
		}
		type one struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var out struct {
			Data []one `json:"data"`
		}
		for i := range in.Input {
			n := len(in.Input) - 1 - i
			out.Data = append(out.Data, one{n, embedding(in.Input[n], 128)})
		}
		_ = json.NewEncoder(rw).Encode(out)
	}))
	defer service.Close()
	t.Setenv("EMBEDDER_KEY", "k")
	w := verbtest.NewWorkspace(t)
	setUp(t, w, "embedder: {url: '"+service.URL+"/v1', model: bag, key_env: EMBEDDER_KEY}")
	cars, _, _ := garage(t, w)
	if out := find(t, w, verbtest.Args{"q": "repair a car"}); out.Mode != knowledge.Hybrid || ids(out)[0] != cars {
		t.Errorf("found %+v", out)
	}
	before := asked
	for config, reason := range map[string]string{
		"embedder: {url: 'http://embed.example.com/v1', model: bag}":            "another machine",
		"embedder: {url: 'file:///etc/passwd'}":                                 "no address",
		"embedder: {url: '" + service.URL + "/v1', model: other}":               "400",
		"embedder: {url: 'http://127.0.0.1:1/v1'}":                              "refused",
		"embedder: {command: [./here]}":                                         "absolute path",
		"embedder: {command: [embedder-that-is-not-there]}":                     "not found",
		"embedder: {command: [x], url: 'http://localhost'}":                     "either",
		"embedder: {program: x}":                                                "no key",
		"embedder: [":                                                           "yaml",
		"embedder: {command: {a: b}}":                                           "embedder",
		"embedder: {url: 'http://localhost.example.com', model: m, remote: no}": "another machine",
	} {
		setUp(t, w, config)
		if out := find(t, w, verbtest.Args{"q": "automobile"}); out.Mode != knowledge.Lexical || !strings.Contains(out.Reason, reason) || !slices.Equal(ids(out), []string{cars}) {
			t.Errorf("%s\nfinds %+v", config, out)
		}
		if n := write(t, w, verbtest.Args{"id": cars, "body": "As before. " + config}); n.Embedding != knowledge.Pending || n.Reason == "" {
			t.Errorf("%s\nwrites %+v", config, n)
		}
	}
	if asked > before+1 {
		t.Errorf("the service was asked %d times", asked-before)
	}
}

// Nothing in a repository names an embedder.
func TestRepositoryNamesNoEmbedder(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	calls := command(t, w, "works")
	src, err := os.ReadFile(filepath.Join(w.ConfigDir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.ConfigDir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".cairn/config.yaml", "config.yaml", "cairn/config.yaml", ".config/cairn/config.yaml"} {
		path = filepath.Join(w.Dir, filepath.FromSlash(path))
		had, _ := os.ReadFile(path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, slices.Concat(had, src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n := write(t, w, verbtest.Args{"title": "Passwords", "body": "Replace them."})
	if out := find(t, w, verbtest.Args{"q": "password"}); n.Embedding != knowledge.Off || out.Mode != knowledge.Lexical || calls() != "" {
		t.Errorf("wrote %+v, found %+v", n, out)
	}
}

func TestAlike(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	body := "The nightly backup of the orders goes to the second disk, and is read back on Sundays."
	first := write(t, w, verbtest.Args{"title": "Backups", "body": body})
	if len(first.Alike) > 0 {
		t.Errorf("the first note is like %v", first.Alike)
	}
	second := write(t, w, verbtest.Args{"title": "Backup of orders", "body": strings.Replace(body, "nightly", "daily", 1)})
	if want := []knowledge.Alike{{ID: first.ID, Title: "Backups"}}; !slices.Equal(second.Alike, want) {
		t.Errorf("the second is like %v", second.Alike)
	}
	if third := write(t, w, verbtest.Args{"title": "Orders", "body": "They are counted on Sundays."}); len(third.Alike) > 0 {
		t.Errorf("another is like %v", third.Alike)
	}
	command(t, w, "works")
	cars := write(t, w, verbtest.Args{"title": "Repair cars", "body": "Repair automobile passwords."})
	if other := write(t, w, verbtest.Args{"title": "Mend vehicles", "body": "Fix car credentials."}); !slices.Equal(other.Alike, []knowledge.Alike{{ID: cars.ID, Title: "Repair cars"}}) {
		t.Errorf("by meaning it is like %v", other.Alike)
	}
}

func TestChange(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	n := write(t, w, verbtest.Args{"title": "Old", "body": "Text.", "labels": []string{"a"}})
	changed := write(t, w, verbtest.Args{"id": n.ID, "title": "New", "labels": []string{"b", "b"}, "type": "finding", "expected_rev": string(n.Rev), "idempotency_key": "k"})
	if changed.Title != "New" || changed.Body != "Text." || !slices.Equal(changed.Labels, []string{"b"}) || len(changed.Provenance) != 2 {
		t.Errorf("changed to %+v", changed.Record)
	}
	if again := write(t, w, verbtest.Args{"id": n.ID, "title": "New", "labels": []string{"b", "b"}, "type": "finding", "expected_rev": string(n.Rev), "idempotency_key": "k"}); !again.Replayed || len(again.Provenance) != 2 {
		t.Errorf("repeated it gives %+v", again)
	}
	if same := write(t, w, verbtest.Args{"id": n.ID, "title": "New"}); same.Rev != changed.Rev {
		t.Error("what changes nothing is written")
	}
	for _, c := range []struct {
		in   verbtest.Args
		code record.Code
	}{
		{verbtest.Args{"title": "No body"}, record.InvalidInput},
		{verbtest.Args{"body": "No title"}, record.InvalidInput},
		{verbtest.Args{"title": "Empty", "body": "  \n"}, record.InvalidInput},
		{verbtest.Args{"title": "two\nlines", "body": "x"}, record.InvalidInput},
		{verbtest.Args{"title": "x", "body": "x", "type": "novel"}, record.InvalidInput},
		{verbtest.Args{"title": "x", "body": "x", "status": "archived"}, record.InvalidInput},
		{verbtest.Args{"title": "x", "body": "x", "about": []string{"PROJ-404"}}, record.NotFound},
		{verbtest.Args{"title": "x", "body": "x", "about": []string{"../x"}}, record.InvalidInput},
		{verbtest.Args{"title": "x", "body": "x", "expected_rev": "1"}, record.InvalidInput},
		{verbtest.Args{"id": n.ID, "body": ""}, record.InvalidInput},
		{verbtest.Args{"id": n.ID, "status": "gone"}, record.InvalidInput},
		{verbtest.Args{"id": n.ID, "title": "y", "expected_rev": string(n.Rev)}, record.Conflict},
		{verbtest.Args{"id": "KB-404", "title": "y"}, record.NotFound},
		{verbtest.Args{"id": "PROJ-1", "title": "y"}, record.InvalidInput},
	} {
		if _, err := verbtest.Call[knowledge.Note](t, w, "knowledge_write", c.in); record.CodeOf(err) != c.code {
			t.Errorf("%v gives %v, want %s", c.in, err, c.code)
		}
	}
	viewer := *w
	viewer.Rights = verb.Rights{Profile: verb.Viewer}
	if _, err := verbtest.Call[knowledge.Note](t, &viewer, "knowledge_write", verbtest.Args{"title": "x", "body": "x"}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("a viewer writes: %v", err)
	}
	find(t, &viewer, verbtest.Args{"q": "new"})
}
