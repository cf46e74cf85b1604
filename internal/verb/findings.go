package verb

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Findings are what cairn check finds in records that were brought here, as notices, without those of least severity.
// Where it cannot judge, as on a format that it does not know, there are none: it says so itself.
func Findings(ctx context.Context, w *Workspace, s *store.Store, ids ...record.ID) (out []Notice) {
	opts := snapshot.CheckOptions{Trusted: s.Trusted(), Now: w.Now()}
	checked, err := snapshot.Check(ctx, s.Layout, opts)
	if record.CodeOf(err) == record.NoBase {
		opts.NoBase = true
		checked, err = snapshot.Check(ctx, s.Layout, opts)
	}
	if err != nil {
		return nil
	}
	brought := record.SetOf(ids)
	for _, f := range checked.Findings {
		_, id, _ := kind.At(f.Path)
		if f.Severity.AtLeast(proof.Warning) && brought[record.ID(id)] {
			out = append(out, Notice{Code: "CHECK_FINDS", Message: fmt.Sprintf("cairn check finds in %s: %s (%s)", id, f.Message, f.Rule)})
		}
	}
	return out
}
