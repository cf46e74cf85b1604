package board

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/charmbracelet/x/ansi"
)

// Text is a board as text for where there is no terminal: the columns one below the other. Width is how wide lines may
// be, 0 for as wide as they are.
func Text(b Board, width int) string {
	var out strings.Builder
	d := pen{ruler: ruler{ansi.WcWidth}, board: b}
	for i, c := range b.Columns {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s (%d)\n", safe(c.Name), c.Total)
		idWidth := 0
		for _, r := range c.Tasks {
			idWidth = max(idWidth, d.StringWidth(safe(string(r.ID))))
		}
		for _, r := range c.Tasks {
			said := []string{fmt.Sprintf("  %s  P%d  %s", d.fill(safe(string(r.ID)), idWidth), r.Urgency, safe(r.Title))}
			if who := holder(r); who != "" && !c.Closed {
				said = append(said, who)
			}
			if how := closedHow(r, c); c.Closed && how != "" {
				said = append(said, how)
			}
			for _, one := range d.remarksOf(r, c) {
				said = append(said, one.text)
			}
			line := strings.Join(said, "  ")
			if width > 0 {
				line = d.cut(line, width)
			}
			out.WriteString(line + "\n")
		}
		if more := c.Total - len(c.Tasks); more > 0 {
			fmt.Fprintf(&out, "  %s\n", strings.TrimSpace(record.AndMore(more)))
		}
	}
	return out.String()
}
