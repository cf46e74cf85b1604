package catalogue_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// shortBytes is the most that the answer to a write has, without what lies above the workspace in its paths.
const shortBytes = 500

// The answer to a write says what the caller cannot know, in few bytes, and repeats no text that the record has or the
// caller sent; with full it does.
func TestWritesAnswerInFewBytes(t *testing.T) {
	tried := 0
	for _, v := range catalogue.All {
		if v.Kind < verb.Write || v.Name == "next" { // which hands out a task that its caller has not read
			continue
		}
		tried++
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			w := verbtest.NewWorkspace(t)
			w.Bounded = true
			in := with(subject(t, w, v), repeatable[v.Name].in)
			for _, key := range []string{"body", "choice", "text", "description", "summary", "reason", "progress", "note"} {
				if said, ok := in[key].(string); ok {
					in[key] = said + " " + longText
				}
			}
			input, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			out, err := v.Call(t.Context(), w, input)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(v.Short(out))
			if err != nil {
				t.Fatal(err)
			}
			said := strings.ReplaceAll(string(text), filepath.Dir(w.Dir), "")
			if len(said) > shortBytes || strings.Contains(said, longText[:300]) {
				t.Errorf("%d bytes: %s", len(said), said)
			}
			if whole, err := json.Marshal(out); err != nil || len(whole) < len(text) {
				t.Errorf("the whole has %d bytes, and the short answer %d, %v", len(whole), len(text), err)
			}
		})
	}
	if tried < 40 {
		t.Errorf("only %d verbs write", tried)
	}
}
