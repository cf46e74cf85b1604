package main

import (
	"errors"
	"strconv"
	"strings"
)

// The names of what is measured, by which limits and picture find it.
const (
	nameEmpty   = "an empty Go program"
	nameStat    = "stat of all files"
	nameRead    = "read of all files"
	nameWrite   = "one durable write"
	nameVersion = "version"
	nameShow    = "show"
	nameList    = "list"
	nameReady   = "list --ready"
	nameSearch  = "list --text"
	nameCreate  = "create"
	nameClaim   = "claim"
	nameNote    = "note"
	nameCheck   = "check --no-base"
	nameDoctor  = "doctor"
	nameCold    = "list, nothing derived yet"
	nameEdited  = "list, one file changed by hand"
)

// yardsticks are what the machine takes for what cannot be avoided.
func (r runner) yardsticks() []probe {
	folders := r.folders()
	work := func(args ...string) func(int) []string {
		return func(int) []string { return append([]string{r.yardstick}, args...) }
	}
	return []probe{
		{name: nameEmpty, command: func(int) []string { return []string{r.empty} }},
		{name: nameStat, timed: true, command: work(append([]string{"stat"}, folders...)...)},
		{name: nameRead, timed: true, command: work(append([]string{"read"}, folders...)...)},
		{name: nameWrite, timed: true, command: work("write", folders[0])},
	}
}

// commands are those of cairn. Writes come last, and then the lists that want something changed.
func (r runner) commands() []probe {
	line := func(args ...string) func(int) []string {
		return func(int) []string { return append([]string{r.cairn}, args...) }
	}
	waiting := func(run int) string { return string(r.id(r.started() + run%(r.n-r.started()))) }
	free := ""
	return []probe{
		{name: nameVersion, command: line("version")},
		{name: nameShow, command: line("show", string(r.id(r.n/2)), "--json")},
		{name: nameList, command: line("list", "--json")},
		{name: nameReady, command: line("list", "--ready", "--json")},
		{name: nameSearch, command: line("list", "--text", searchWord, "--json")},
		{name: nameCheck, every: 3, command: line("check", "--no-base")},
		{name: nameDoctor, every: 3, command: line("doctor")},
		{name: nameCreate, command: func(run int) []string {
			return []string{r.cairn, "create", "Measured " + strconv.Itoa(run)}
		}},
		{
			name: nameClaim,
			prepare: func(run int) error {
				id, err := r.free(run)
				free = string(id)
				return err
			},
			command: func(int) []string { return []string{r.cairn, "claim", free} },
		},
		{name: nameNote, command: func(run int) []string { return []string{r.cairn, "note", waiting(run), "still at it"} }},
		{name: nameCold, every: 2, prepare: func(int) error { return r.forgetIndex() }, command: line("list", "--json")},
		{name: nameEdited, prepare: func(run int) error { return r.edit(r.n - 1 - run%r.n) }, command: line("list", "--json")},
	}
}

// sound returns the first failure of a command of cairn or of a yardstick: then no figure means anything.
func sound(figures []figure) error {
	var all []string
	for _, f := range figures {
		if f.failed != "" {
			all = append(all, f.name+": "+f.failed)
		}
	}
	if len(all) > 0 {
		return errors.New(strings.Join(all, "\n"))
	}
	return nil
}
