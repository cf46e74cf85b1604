package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// schema is the version of the JSON format. Within a version fields are only ever added.
const schema = 1

// json writes a document that holds no time, so that equal trees give equal bytes.
func (r Report) json(out io.Writer) error {
	return writeJSON(out, struct {
		Schema   int                    `json:"schema"`
		Base     string                 `json:"base,omitempty"`
		Head     string                 `json:"head,omitempty"`
		Summary  map[proof.Severity]int `json:"summary"`
		Findings []proof.Finding        `json:"findings"`
	}{schema, r.Base, r.Head, r.Count(), append([]proof.Finding{}, r.Findings...)})
}

func writeJSON(out io.Writer, v any) error {
	line, err := harmless.Marshal(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = b.WriteTo(out)
	return err
}
