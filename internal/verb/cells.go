package verb

import (
	"fmt"
	"reflect"
	"time"

	"github.com/cairn-tasks/cairn/store/problem"
)

// Tabular is a row of a result that says how it stands in a table.
type Tabular interface {
	Cells(now time.Time) []Cell // one for each column, always the same columns
	None() string               // what is said where there are no rows
}

// Cell is what a row says in one column. Its text is not yet made harmless.
type Cell struct {
	Head, Text string
	Grows      bool // the column has the room that others leave; without any it is the last
}

// Cells are cells by their heads: HEAD, text, HEAD, text and so on.
func Cells(headsAndTexts ...string) []Cell {
	out := make([]Cell, 0, len(headsAndTexts)/2)
	for i := 0; i+1 < len(headsAndTexts); i += 2 {
		out = append(out, Cell{Head: headsAndTexts[i], Text: headsAndTexts[i+1]})
	}
	return out
}

// Ago is how long ago something was, in one unit.
func Ago(at, now time.Time) string {
	switch d := now.Sub(at); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// Rest is what a list says beside its rows.
type Rest struct {
	Total      int
	NextCursor string // of the next page; "" for none, and for a list that counts its pages with an offset
	HasMore    bool   // of such a list
	Problems
}

// RestOf reads it off a result, by the keys of its JSON.
func RestOf(result any) Rest {
	var rest Rest
	of := reflect.ValueOf(result)
	for _, f := range jsonFields(of.Type()) {
		switch value := of.FieldByIndex(f.Index).Interface(); jsonName(f) {
		case "total":
			rest.Total, _ = value.(int)
		case "next_cursor":
			rest.NextCursor, _ = value.(string)
		case "has_more":
			rest.HasMore, _ = value.(bool)
		case "problems":
			rest.Problems.Problems, _ = value.([]problem.Problem)
		case "problems_total":
			rest.ProblemsTotal, _ = value.(int)
		}
	}
	return rest
}
