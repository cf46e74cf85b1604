package kind_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A body in a list is the body, or tells it from every other one.
func TestBodiesInLists(t *testing.T) {
	s := storetest.New(t)
	long := strings.Repeat("x", kind.BodyListed)
	bodies := map[record.ID]string{"T-1": "", "T-2": "short\n", "T-3": long, "T-4": long + "y", "T-5": long + "z"}
	for id, body := range bodies {
		src := fmt.Sprintf("---\r\nid: %s\r\ntitle: x\r\nstatus: backlog\r\n---\r\n\r\n%s", id, body)
		if err := os.WriteFile(storetest.TaskFile(s, id), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tasks, _, err := kind.Tasks.List(t.Context(), s)
	if err != nil || len(tasks) != len(bodies) {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	seen := map[string]bool{}
	for _, one := range tasks {
		whole, err := kind.Tasks.Get(s, one.ID)
		if err != nil {
			t.Fatal(err)
		}
		if digested := kind.Digested(one.Body); digested != (len(whole.Body) > kind.BodyListed) || !digested && one.Body != whole.Body {
			t.Errorf("the body of %s is listed as %q", one.ID, one.Body)
		}
		seen[one.Body] = true
	}
	if len(seen) != len(bodies) {
		t.Errorf("%d bodies are listed as %d", len(bodies), len(seen))
	}
}
