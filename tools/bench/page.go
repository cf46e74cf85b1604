package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is a whole run.
type report struct {
	machine []string // what it ran on, as lines of a list
	all     []measured
	peers   []compared
	absent  []string // programs to compare with that are not installed
}

// String is the report in Markdown.
func (r report) String() string {
	var b strings.Builder
	for _, line := range r.machine {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	for _, m := range r.all {
		fmt.Fprintf(&b, "\n### %s tasks\n\n%s", m.name(), m.table())
	}
	fmt.Fprintf(&b, "\n### Ratios within this run, and their limits\n\n%s", ratios(r.all))
	fmt.Fprintf(&b, "\n### The MCP server\n\n%s", callTable(r.all))
	fmt.Fprintf(&b, "\n### Beside other programs\n\n%s", peerTable(r.peers))
	if len(r.absent) > 0 {
		fmt.Fprintf(&b, "\nNot installed where this ran, and so not measured: %s.\n", strings.Join(r.absent, ", "))
	}
	return b.String()
}

// table has a row for each yardstick and each command.
func (m measured) table() string {
	rows := [][]string{{"what", "least ms", "p50 ms", "p99 ms", "processor ms", "memory MB", "runs"}}
	for _, f := range m.figures {
		took := f.wall
		if len(f.inner) > 0 {
			took = f.inner
		}
		memory := "-"
		if f.peak > 0 {
			memory = fmt.Sprintf("%.0f", float64(f.peak)/(1<<20))
		}
		rows = append(rows, []string{f.name, ms(part(0, took)), ms(median(took)), ms(part(0.99, took)), ms(median(f.cpu)), memory, strconv.Itoa(len(took))})
	}
	return table(rows)
}

// ratios has a row for each limit, and a column for each workspace: the figure, and its limit in brackets. What is
// beyond it is bold.
func ratios(all []measured) string {
	rows := [][]string{{"what (limit)"}}
	for _, m := range all {
		rows[0] = append(rows[0], m.name())
	}
	for _, l := range limits {
		row := []string{l.name}
		for _, m := range all {
			got, most := l.of(m), l.most(m.tasks)
			cell := fmt.Sprintf("%.2f%s", got, l.unit)
			switch {
			case most > 0 && got > most:
				cell = fmt.Sprintf("**%s** (%g)", cell, most)
			case most > 0:
				cell = fmt.Sprintf("%s (%g)", cell, most)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// callTable has a row for each kind of call, and a column for each workspace.
func callTable(all []measured) string {
	var names []string
	rows := [][]string{{"what, p50 / p99 in ms"}}
	for _, m := range all {
		rows[0] = append(rows[0], m.name())
		for _, f := range m.calls {
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
		}
	}
	for _, name := range names {
		row := []string{name}
		for _, m := range all {
			row = append(row, m.figure(name).cell())
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// cell is what was measured of calls: times, a share of a processor, or memory.
func (f figure) cell() string {
	switch {
	case f.peak > 0:
		return fmt.Sprintf("%.0f MB", float64(f.peak)/(1<<20))
	case len(f.inner) > 0:
		return fmt.Sprintf("%.1f %%", 100*f.inner[0].Seconds())
	case len(f.wall) == 1:
		return ms(f.wall[0])
	case len(f.wall) > 1:
		return ms(median(f.wall)) + " / " + ms(part(0.99, f.wall))
	default:
		return "-"
	}
}

// peerTable has a row for each size and command, and a column for each program.
func peerTable(all []compared) string {
	if len(all) == 0 {
		return "None was installed.\n"
	}
	rows := [][]string{{"plain tasks, p50 in ms"}}
	rows[0] = append(rows[0], all[0].programs...)
	var notes []string
	for _, c := range all {
		for _, command := range peerCommands {
			row := []string{grouped(c.tasks) + ": " + command}
			for _, program := range c.programs {
				f := c.figures[program+" "+command]
				switch {
				case f.failed != "":
					row = append(row, "failed")
					notes = append(notes, fmt.Sprintf("%s, %s of %s tasks: %s", program, command, grouped(c.tasks), harmless(f.failed)))
				default:
					row = append(row, ms(median(f.wall)))
				}
			}
			rows = append(rows, row)
		}
	}
	out := table(rows)
	if len(notes) > 0 {
		out += "\nWhat failed:\n\n- " + strings.Join(notes, "\n- ") + "\n"
	}
	return out
}

// harmless is what a program said, so that it changes nothing of the page.
func harmless(said string) string {
	said = strings.Map(func(r rune) rune {
		if r < ' ' || r == '`' || r == '|' || r == '<' {
			return ' '
		}
		return r
	}, said)
	if len(said) > 160 {
		said = strings.ToValidUTF8(said[:160], "") + "…"
	}
	return "`" + strings.TrimSpace(said) + "`"
}

// table is a Markdown table: the first column is text, and all others are numbers.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|---%s|\n", strings.Repeat("|---:", len(row)-1))
		}
	}
	return b.String()
}

// ms is a duration in milliseconds, with as many digits as mean something.
func ms(d time.Duration) string {
	switch n := millis(d); {
	case d == 0:
		return "-"
	case n < 10:
		return fmt.Sprintf("%.2f", n)
	case n < 100:
		return fmt.Sprintf("%.1f", n)
	default:
		return grouped(int(n + 0.5))
	}
}

// grouped is a number with a comma before each three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

const (
	figuresBegin = "<!-- figures -->"
	figuresEnd   = "<!-- /figures -->"
)

// replaceFigures puts a text between the markers of a page.
func replaceFigures(page, text string) (string, error) {
	before, rest, ok := strings.Cut(page, figuresBegin)
	_, after, closed := strings.Cut(rest, figuresEnd)
	if !ok || !closed {
		return "", fmt.Errorf("the page has no %s and %s", figuresBegin, figuresEnd)
	}
	return before + figuresBegin + "\n\n" + strings.TrimSpace(text) + "\n\n" + figuresEnd + after, nil
}

// write puts the report into a page, and the picture beside it.
func (r report) write(page string) error {
	src, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := replaceFigures(string(src), r.String())
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(page, ".md")+".svg", []byte(picture(r.all)), 0o644)
}
