package doctor

import "context"

// files judges all records by the rules of package proof. The ids of its findings are those of the rules.
func (v Visit) files(context.Context) ([]Finding, error) {
	var out []Finding
	for _, b := range v.records.Judge() {
		out = append(out, Finding{
			ID: ID(b.Rule), Severity: b.Severity, Path: b.Path, Line: b.Line, Task: b.Task, Message: b.Message, Fix: b.Fix,
		})
	}
	return out, nil
}
