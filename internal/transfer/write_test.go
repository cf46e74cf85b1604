package transfer_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// A spreadsheet evaluates no cell, and a program reads every other text as it was.
func TestNoCellIsAFormula(t *testing.T) {
	var out bytes.Buffer
	w, err := transfer.NewWriter("csv", &out, task.Flow{Lifecycle: task.Lifecycle{Initial: "open"}})
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{"=1+1", "+1", "-1", "@sum", "\tx", "plain, \"quoted\"", "two\nlines", ""}
	for _, title := range titles {
		if err := w.Write(verb.Task{Row: verb.Row{Title: title, Status: "open"}, Body: title}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != len(titles)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("a cell is %q", cell)
			}
		}
		if got := strings.TrimPrefix(row[1], "'"); got != titles[i] {
			t.Errorf("%q came as %q", titles[i], row[1])
		}
	}
}

// A CSV file has a column of each optional field, of each way to be linked, and of each field of the config.
func TestOptionalFieldsInCSV(t *testing.T) {
	var out bytes.Buffer
	own := task.OwnFields{{Name: "severity"}}
	w, err := transfer.NewWriter("csv", &out, task.Flow{Lifecycle: task.Lifecycle{Initial: "open"}, Fields: own})
	if err != nil {
		t.Fatal(err)
	}
	given := task.OptionalOf(func(name string) string { return "a " + name })
	row := verb.Row{Title: "x", Status: "open", Optional: given, Links: task.Links{Related: []record.ID{"T-1", "T-2"}}, Fields: map[string]any{"severity": "high"}}
	if err := w.Write(verb.Task{Row: row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%q, %v", rows, err)
	}
	want := map[string]string{"related": "T-1 T-2", "duplicates": "", "severity": "high"}
	for _, f := range task.OptionalFields() {
		want[f.Name] = "a " + f.Name
	}
	for name, text := range want {
		if at := slices.Index(rows[0], name); at < 0 || rows[1][at] != text {
			t.Errorf("%s stands in column %d of %q", name, at, rows)
		}
	}
}
