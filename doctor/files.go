package doctor

import "context"

// files holds the record against the rules of package proof, whose findings these are, under the ids of the rules.
func (v Visit) files(ctx context.Context) ([]Finding, error) {
	broken, err := v.Store.Judge(ctx)
	var out []Finding
	for _, b := range broken {
		out = append(out, Finding{
			ID: ID(b.Rule), Severity: b.Severity, Path: b.Path, Line: b.Line, Task: b.Task, Message: b.Message, Fix: b.Fix,
		})
	}
	return out, err
}
