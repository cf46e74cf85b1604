package doctor

import (
	"context"

	"github.com/cairn-tasks/cairn/store/snapshot"
)

// files judges all records by the rules of package proof. The ids of its findings are those of the rules.
func (v Visit) files(ctx context.Context) ([]Finding, error) {
	broken, err := snapshot.Judge(ctx, v.Store.Layout)
	var out []Finding
	for _, b := range broken {
		out = append(out, Finding{
			ID: ID(b.Rule), Severity: b.Severity, Path: b.Path, Line: b.Line, Task: b.Task, Message: b.Message, Fix: b.Fix,
		})
	}
	return out, err
}
