// Command house counts how the code is arranged: lines by room and by ability, files of a folder, methods of a
// receiver, exported names, long lines, files that know one field of tasks, types of claims, writes, and imports that
// point up.
//
//	go run ./tools/house [--dir DIR] [--field NAME]... [--limit N]
//
// It parses the Go files of a working tree, this one if no other is named, and builds nothing. Tests, testdata and
// tools are not counted; packages that only tests import are counted apart.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// The budgets of the house.
const (
	maxFiles   = 25  // of a folder
	maxMethods = 30  // of a receiver
	maxColumns = 120 // of a line
)

func main() {
	var fields []string
	flag.Func("field", "count the files that name this `field` of tasks (default estimate)", func(name string) error {
		fields = append(fields, name)
		return nil
	})
	limit := flag.Int("limit", 10, "how many `rows` of each list are shown")
	dir := flag.String("dir", ".", "the `folder` of the checkout that is counted")
	flag.Parse()
	if len(fields) == 0 {
		fields = []string{"estimate"}
	}
	files, err := parse(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	show(os.Stdout, files, fields, *limit)
}

// show writes the whole count.
func show(w io.Writer, files []file, fields []string, limit int) {
	lines, perFolder, methods := map[string]int{}, map[string]int{}, map[string]int{}
	abilities, helping := map[string]int{}, map[string]int{}
	claims, writes, kind := map[string]int{}, map[string]int{}, 0
	total, names, promised, long := 0, 0, 0, 0
	for _, f := range files {
		if f.helpsTests() {
			helping[f.folder] += f.lines
			continue
		}
		lines[room(f.folder)] += f.lines
		abilities[ability(f.path)] += f.lines
		for _, name := range f.claims {
			claims[f.folder+"."+name]++
		}
		if !strings.HasPrefix(f.folder, "store") {
			writes[f.path] += f.writes
		}
		if f.folder == "examples/kind" || strings.HasPrefix(f.folder, "examples/kind/") {
			kind += f.lines
		}
		perFolder[f.folder]++
		for of, n := range f.methods {
			methods[f.folder+"."+of] += n
		}
		total, names, long = total+f.lines, names+f.exported, long+f.long
		if !f.command && !strings.Contains("/"+f.folder+"/", "/internal/") {
			promised += f.exported
		}
	}
	section(w, "lines of Go without tests", total, lines, 0, len(lines))
	section(w, "of these by ability, as the names of folders and files say", total, abilities, 0, len(abilities))
	section(w, "lines of packages that only tests import", sum(helping), helping, 0, limit)
	section(w, fmt.Sprintf("folders of more than %d files", maxFiles), -1, perFolder, maxFiles, limit)
	section(w, fmt.Sprintf("receivers of more than %d methods", maxMethods), -1, methods, maxMethods, limit)
	fmt.Fprintf(w, "%7d exported names, %d of them for whoever imports the module\n", names, promised)
	fmt.Fprintf(w, "%7d lines of more than %d columns\n", long, maxColumns)
	for _, name := range fields {
		know := map[string]int{}
		for _, f := range files {
			if f.names(name) {
				know[f.path]++
			}
		}
		section(w, "files that name the field "+name, len(know), know, 0, 0)
	}
	section(w, "types that say who holds a record", len(claims), claims, 0, limit)
	section(w, "functions above the store that make a write of their own", sum(writes), writes, 0, limit)
	fmt.Fprintf(w, "%7d lines of a kind of record that a program brings (examples/kind)\n", kind)
	up := arrows(files)
	section(w, "imports that point up", len(up), up, 0, limit)
}

// sum adds up counts.
func sum(of map[string]int) int {
	n := 0
	for _, one := range of {
		n += one
	}
	return n
}

// section prints a heading, with the number of rows if none is given, and the largest rows that are above a bound.
func section(w io.Writer, heading string, total int, rows map[string]int, above, limit int) {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(rows)), func(key string) bool { return rows[key] <= above })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(rows[b]-rows[a], strings.Compare(a, b)) })
	if total < 0 {
		total = len(keys)
	}
	fmt.Fprintf(w, "%7d %s\n", total, heading)
	for i, key := range keys {
		if i == limit {
			if limit > 0 {
				fmt.Fprintf(w, "        and %d more\n", len(keys)-i)
			}
			break
		}
		fmt.Fprintf(w, "        %6d %s\n", rows[key], key)
	}
}
