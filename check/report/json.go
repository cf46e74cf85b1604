package report

import (
	"bytes"
	"encoding/json"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// schema is the version of the JSON format. Within a version fields are only ever added.
const schema = 1

// json writes a document that holds no time, so that equal trees give equal bytes.
func (r Report) json(b *bytes.Buffer) error {
	return writeJSON(b, struct {
		Schema   int                    `json:"schema"`
		Base     string                 `json:"base,omitempty"`
		Head     string                 `json:"head,omitempty"`
		Summary  map[proof.Severity]int `json:"summary"`
		Findings []proof.Finding        `json:"findings"`
	}{schema, r.Base, r.Head, r.Count(), append([]proof.Finding{}, r.Findings...)})
}

func writeJSON(b *bytes.Buffer, v any) error {
	line, err := harmless.Marshal(v)
	if err != nil {
		return err
	}
	err = json.Indent(b, line, "", "  ")
	b.WriteByte('\n')
	return err
}
