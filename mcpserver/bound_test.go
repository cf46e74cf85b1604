package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// longest is the longest answer that a call may have, in bytes of JSON.
const longest = 1 << 20

const (
	manySessions = 120
	manyProblems = 130
	manyLabels   = 650 // of each of 60 tasks: more than an answer holds, and no more of YAML than that takes
)

// hugeWorkspace has files that are as large as files may be, and more of them than one answer holds.
func hugeWorkspace(t *testing.T) verb.Workspace {
	w := newWorkspace(t)
	folder := filepath.Join(w.Dir, ".cairn")
	put := func(name, text string) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, text)
	}
	var labels, deps, extra, checks, entries strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&labels, "label-%d, ", i)
		fmt.Fprintf(&deps, "PROJ-%d, ", i+100)
		fmt.Fprintf(&extra, "x-%d: %s\n", i, strings.Repeat("v", 90))
	}
	for i := range 120 {
		fmt.Fprintf(&checks, "  - {desc: 'check %d', cmd: '%s', result: pending}\n", i, strings.Repeat("true; ", 200))
	}
	for i := range 900 {
		fmt.Fprintf(&entries, "  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: noted, text: 'note %d %s'}\n", i, strings.Repeat("n", 700))
	}
	task := func(id, more, body string) {
		put("tasks/"+id+".md", fmt.Sprintf("---\nid: %s\nstatus: backlog\n%s---\n\n%s", id, more, body))
	}
	task("PROJ-1", "title: a body\n", strings.Repeat("Über die Mauern \u200b\"\x01\" ❤️\n", 100_000))
	task("PROJ-2", "title: a long record\nprovenance:\n"+entries.String(), "")
	task("PROJ-3", "title: lists\nlabels: ["+labels.String()+"]\ndeps: ["+deps.String()+"]\n"+extra.String(), "")
	task("PROJ-4", "title: "+strings.Repeat("t", 900_000)+"\n", "")
	task("PROJ-5", "title: checks\nchecks:\n"+checks.String(), "")
	task("PROJ-6", "title: one value\nx: {a: {b: ['"+strings.Repeat("x", 900_000)+"']}}\n", "")
	for i := range 60 {
		task(fmt.Sprintf("PROJ-%d", 100+i), "title: x\ndeps: [PROJ-5]\nparent: PROJ-5\nlabels: ["+strings.Repeat("a-label-of-a-certain-length, ", manyLabels)+"]\n", "")
	}
	for i := range manyProblems {
		put(fmt.Sprintf("tasks/PROJ-b%d.md", i), "---\nid: x\npriority: "+strings.Repeat("p", 9000)+"\n---\n")
	}
	for i := range manySessions {
		id := fmt.Sprintf("ses-00vhnczb%07d", i)
		put("sessions/"+id+".yaml", fmt.Sprintf("id: %s\ntask: PROJ-5\nactor: agent:a\nstatus: finished\nstarted_at: 2026-06-21T10:00:00Z\nsummary: %s\n", id, strings.Repeat("s", 4000)))
	}
	put("sessions/ses-00vhnczc0000000.yaml", "id: ses-00vhnczc0000000\ntask: PROJ-5\nactor: agent:a\nstatus: canceled\nreason: "+strings.Repeat("r", 900_000)+"\n")
	return w
}

// No answer floods its reader, whatever the files hold. The tools come from the catalogue.
func TestSlowEveryAnswerIsBounded(t *testing.T) {
	slowtest.Skip(t)
	w := hugeWorkspace(t)
	w.Profile, w.Actor = verb.Maintainer, verb.As("human:shah")
	cs := connect(t, w)
	ids := []string{"PROJ-1", "PROJ-2", "PROJ-3", "PROJ-4", "PROJ-5", "PROJ-6", "PROJ-b1"}
	var calls []object
	for _, v := range catalogue.All {
		if v.Name == "delete" {
			continue // it ends the task for those that follow
		}
		args := object{}
		for _, f := range v.Fields() {
			switch {
			case f.Name == "timeout_seconds":
				args[f.Name] = 0
			case f.Name == "expected_actor":
				args[f.Name] = "human:shah"
			case f.Name == "to":
				args[f.Name] = "canceled"
			case f.Name == "limit" && v.Name == "logs":
				args[f.Name] = 20
			case f.Name == "limit":
				args[f.Name] = 500
			case f.Names == "session" && f.Required:
				args[f.Name] = "ses-00vhnczc0000000"
			case f.Required && f.Type == verb.Text && f.Names == "":
				args[f.Name] = "0"
			case f.Required && f.Type == verb.Boolean:
				args[f.Name] = true
			case f.Required && f.Type == verb.Objects:
				args[f.Name] = []object{{"title": strings.Repeat("x", 200)}}
			}
		}
		one := slices.IndexFunc(v.Fields(), func(f verb.Field) bool { return f.Name == "id" })
		if one < 0 {
			calls = append(calls, object{"name": v.Name, "arguments": args})
			continue
		}
		for _, id := range ids {
			with := object{"id": id}
			for key, value := range args {
				with[key] = value
			}
			calls = append(calls, object{"name": v.Name, "arguments": with})
		}
	}
	for _, id := range ids {
		for _, mode := range []string{"summary", "full", "context"} {
			calls = append(calls, object{"name": "get", "arguments": object{"id": id, "mode": mode}})
		}
		for _, part := range []string{"body", "provenance", "file", "blockers", "dependents", "children"} {
			calls = append(calls, object{"name": "get", "arguments": object{"id": id, "part": part}})
		}
	}
	for _, c := range calls {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c["name"].(string), Arguments: c["arguments"]})
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if n := len(res.Content[0].(*mcp.TextContent).Text); n > longest {
			t.Errorf("%v is answered with %d bytes", c, n)
		}
	}
	for _, uri := range []string{"cairn://task/PROJ-1", "cairn://task/PROJ-4", "cairn://task/PROJ-6", "cairn://session/ses-00vhnczc0000000", "cairn://tasks/ready"} {
		res, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(res.Contents[0].Text); n > longest {
			t.Errorf("%s has %d bytes", uri, n)
		}
	}
}

// What an answer leaves out it says, and all of it can be read in pieces.
func TestSlowWhatIsCutCanBeReadInPieces(t *testing.T) {
	slowtest.Skip(t)
	w := hugeWorkspace(t)
	cs := connect(t, w)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	read := func(id record.ID, part string) (text string, entries []verb.Entry, rows []verb.Row) {
		for offset := 0; ; {
			piece := does[tasks.Part](t, cs, "get", object{"id": id, "part": part, "offset": offset})
			if piece.Offset != offset || len(piece.Text) > 256<<10 || len(piece.Entries) > 200 || len(piece.Tasks) > 200 {
				t.Fatalf("the piece of %s from %d on: offset %d, %d bytes, %d entries, %d tasks", part, offset, piece.Offset, len(piece.Text), len(piece.Entries), len(piece.Tasks))
			}
			text, entries, rows = text+piece.Text, append(entries, piece.Entries...), append(rows, piece.Tasks...)
			if piece.NextOffset == 0 {
				return text, entries, rows
			}
			offset = piece.NextOffset
		}
	}
	for _, id := range []record.ID{"PROJ-1", "PROJ-2", "PROJ-3", "PROJ-6"} {
		want, err := kind.Tasks.Get(s, id)
		if err != nil {
			t.Fatal(err)
		}
		whole := does[verb.Task](t, cs, "get", object{"id": id, "mode": "full"})
		if len(whole.Body) > 256<<10+len("…") || len(whole.Provenance) > 200 || whole.Rest == "" && id != "PROJ-6" {
			t.Errorf("%s has %d bytes of body, %d entries and the hint %q", id, len(whole.Body), len(whole.Provenance), whole.Rest)
		}
		if whole.BodyTruncated != (len(want.Body) > 256<<10) || whole.BodyTruncated && whole.Body != want.Body[:whole.BodyNextOffset]+"…" {
			t.Errorf("%s: the body is cut at %d: %v", id, whole.BodyNextOffset, whole.BodyTruncated)
		}
		if id == "PROJ-3" && (whole.LabelsTotal != 2000 || whole.DepsTotal != 2000 || whole.BlockedByTotal != 2000 || whole.ExtraTotal != 2000) {
			t.Errorf("it has %d labels, %d deps, %d of them open, %d other keys", whole.LabelsTotal, whole.DepsTotal, whole.BlockedByTotal, whole.ExtraTotal)
		}
		if body, _, _ := read(id, "body"); body != want.Body {
			t.Errorf("%s: the pieces make a body of %d bytes, and it has %d", id, len(body), len(want.Body))
		}
		_, entries, _ := read(id, "provenance")
		if len(entries) != len(want.Provenance) {
			t.Errorf("%s: %d entries of %d", id, len(entries), len(want.Provenance))
		}
		for i, e := range entries {
			if e.Text != want.Provenance[i].Text {
				t.Fatalf("%s: entry %d says %q", id, i, e.Text)
			}
		}
		if file, _, _ := read(id, "file"); file != readFile(t, filepath.Join(s.Dir(kind.Tasks.Folder), string(id)+".md")) {
			t.Errorf("%s: the pieces make another file", id)
		}
	}
	for _, part := range []string{"dependents", "children"} {
		if _, _, rows := read("PROJ-5", part); len(rows) != 60 || rows[0].LabelsTotal != manyLabels {
			t.Errorf("%d %s", len(rows), part)
		}
	}
	refused(t, cs, record.InvalidInput, "get", object{"id": "PROJ-1", "offset": 5})
	refused(t, cs, record.InvalidInput, "get", object{"id": "PROJ-1", "part": "title"})
	refused(t, cs, record.InvalidInput, "get", object{"id": "PROJ-1", "part": "body", "offset": -1})
	refused(t, cs, record.InvalidInput, "get", object{"id": "PROJ-1", "part": "body", "mode": "full"})
	if past := does[tasks.Part](t, cs, "get", object{"id": "PROJ-1", "part": "body", "offset": 1 << 30}); past.Text != "" || past.NextOffset != 0 {
		t.Errorf("behind the end there is %+v", past)
	}
}

// Sessions, and files that could not be read, come in pages like tasks, each once.
func TestSlowSessionsAndProblemsPage(t *testing.T) {
	slowtest.Skip(t)
	cs := connect(t, hugeWorkspace(t))
	found, cursor := map[string]bool{}, ""
	var order []string
	for pages := 0; ; pages++ {
		page := does[sessions.ListOut](t, cs, "list_sessions", object{"cursor": cursor, "limit": 500})
		for _, ses := range page.Sessions {
			found[ses.ID] = true
			order = append(order, ses.ID)
		}
		if page.Total != manySessions+1 || len(page.Sessions) == 0 {
			t.Fatalf("a page of %d sessions of %d", len(page.Sessions), page.Total)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(found) != manySessions+1 || len(order) != len(found) || !slices.IsSortedFunc(order[:manySessions], func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%d sessions on the pages, %d of them different", len(order), len(found))
	}
	if page := does[sessions.ListOut](t, cs, "list_sessions", object{"limit": 7, "status": session.Finished}); len(page.Sessions) != 7 || page.Total != manySessions || page.NextCursor == "" {
		t.Errorf("%d sessions of %d", len(page.Sessions), page.Total)
	}
	refused(t, cs, record.InvalidInput, "list_sessions", object{"limit": 501})
	refused(t, cs, record.InvalidInput, "list_sessions", object{"cursor": "x"})

	for _, tool := range []string{"list", "history"} {
		problems, found := map[string]bool{}, 0
		for cursor := ""; ; {
			res, isError := call(t, cs, tool, object{"cursor": cursor, "limit": 500})
			if isError {
				t.Fatal(res)
			}
			page := as[tasks.ListOut](t, res)
			if len(page.Problems.Problems) > 50 || page.ProblemsTotal != manyProblems {
				t.Fatalf("%s: %d problems of %d on a page", tool, len(page.Problems.Problems), page.ProblemsTotal)
			}
			for _, p := range page.Problems.Problems {
				if problems[p.Path] || len(p.Message) > 600 {
					t.Errorf("%s: %s is named again, or with %d bytes", tool, p.Path, len(p.Message))
				}
				problems[p.Path] = true
			}
			found += len(page.Tasks)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if len(problems) != manyProblems || tool == "list" && found != 66 {
			t.Errorf("%s: %d problems and %d tasks on all pages", tool, len(problems), found)
		}
	}
}

// An answer lists the texts with hidden characters, and has them as they are.
func TestHiddenTextIsFlagged(t *testing.T) {
	w := newWorkspace(t)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	const title = "a\u202eb\u200b\U000e0049\U000e0067"
	quoted := fmt.Sprintf("%+q", title)
	writeFile(t, filepath.Join(s.Dir(kind.Tasks.Folder), "PROJ-1.md"), "---\nid: PROJ-1\ntitle: "+quoted+"\nstatus: backlog\nchecks:\n  - {desc: plain}\n  - {desc: "+quoted+"}\n---\n\nBody.\n")
	cs := connect(t, w)
	for tool, want := range map[string][]string{"get": {"title", "checks[1].desc"}, "list": {"tasks[0].title"}, "history": nil} {
		args := object{}
		if tool == "get" {
			args["id"] = "PROJ-1"
		}
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if strings.ContainsAny(text, "\u202e\u200b\U000e0049") {
			t.Errorf("the text of %s hides something: %q", tool, text)
		}
		var got struct {
			Title  string
			Tasks  []struct{ Title string }
			Hidden []string `json:"hidden_characters"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Hidden, want) {
			t.Errorf("%s names %q", tool, got.Hidden)
		}
		if tool == "get" && got.Title != title || tool == "list" && got.Tasks[0].Title != title {
			t.Errorf("%s says %q %q", tool, got.Title, got.Tasks)
		}
	}
	failure := refused(t, cs, record.InvalidInput, "get", object{"id": "PROJ-1", "mode": title})
	if strings.Contains(failure.Message, "\u202e") {
		t.Errorf("the refusal says %q", failure.Message)
	}
}

// An answer that is too long even so is cut where it is longest, and names what it cut; what fits stays as it is.
func TestEncodeCutsWhatNobodyWrites(t *testing.T) {
	deep := any("x")
	for range 60 {
		deep = []any{deep, deep}[:1]
	}
	wide := func(n, width int) (out []string) {
		for range n {
			out = append(out, strings.Repeat("w", width))
		}
		return out
	}
	tree := any("a leaf of a tree, which is one of 32768")
	for range 5 {
		tree = []any{tree, tree, tree, tree, tree, tree, tree, tree}
	}
	for _, c := range []struct {
		name string
		in   object
		cuts []string
	}{
		{"what fits", object{"id": "T-1", "title": "x", "deep": deep}, nil},
		{"a long text", object{"id": "T-1", "title": strings.Repeat("t", 2<<20), "deep": deep}, []string{"title"}},
		{"many long texts", object{"id": "T-1", "labels": wide(100, 60<<10)}, nil},
		{"a long list", object{"id": "T-1", "labels": wide(100_000, 10)}, []string{"labels"}},
		{"a tree", object{"id": "T-1", "extra": object{"tree": tree, "more": tree}}, nil},
		{"a hidden text", object{"id": "T-1", "body": strings.Repeat("\u200b", 400<<10)}, []string{"body"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := mcpserver.Encode(c.in)
			if err != nil || len(text) > longest {
				t.Fatalf("%d bytes, %v", len(text), err)
			}
			var got struct {
				ID     string
				Hidden []string `json:"hidden_characters"`
				Cuts   []string `json:"truncated_fields"`
			}
			if err := json.Unmarshal(text, &got); err != nil || got.ID != "T-1" {
				t.Fatalf("%v, %.200s", err, text)
			}
			if whole, _ := json.Marshal(c.in); (len(whole) > longest) != (len(got.Cuts) > 0) {
				t.Errorf("%d bytes were cut to %d, which names %q", len(whole), len(text), got.Cuts)
			}
			if c.cuts != nil && !slices.Equal(got.Cuts, c.cuts) || len(got.Cuts) > 20 {
				t.Errorf("it names %q", got.Cuts)
			}
			if strings.Count(string(text), `"hidden_characters"`) != len(got.Hidden) {
				t.Errorf("it says %q of what is hidden", got.Hidden)
			}
		})
	}
}
