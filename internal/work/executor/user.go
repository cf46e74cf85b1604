package executor

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// withUsers returns rows with those of the `executors` section of the user's config. A row with the name of a shipped
// one changes that. Another one names a dialect and its program: of the dialect of a shipped row it is called as that
// is, with its own program. Errors name the key.
func withUsers(rows []row, section userconfig.Section) ([]row, error) {
	all, err := section.Keys()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		name := s.Key(section)
		if !record.IsWord(name, "-_") {
			return nil, s.Errorf("is no name of an executor").WithHint("letters, digits, - and _")
		}
		at := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
		if at < 0 {
			at = len(rows)
			rows = append(rows, row{name: name})
		}
		if rows[at], err = changed(rows[at], s); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// changed is a row as the user's config has it.
func changed(r row, s userconfig.Section) (row, error) {
	keys, err := s.Keys()
	if err != nil {
		return r, err
	}
	for _, k := range keys {
		if k.Key(s) == "dialect" {
			if r, err = ofDialect(r, k); err != nil {
				return r, err
			}
		}
	}
	if r.dialect == "" {
		return r, s.Errorf("has no dialect").WithHint("one of %s", strings.Join(dialects(), ", "))
	}
	for _, k := range keys {
		if err := r.setKey(k.Key(s), k); err != nil {
			return r, err
		}
	}
	if r.binary == "" && r.name != r.dialect {
		return r, s.Errorf("has no cmd").WithHint("cmd: [program, argument]")
	}
	return r, nil
}

// ofDialect gives a new row everything but the name and the program of the shipped one that a dialect is named after.
func ofDialect(r row, s userconfig.Section) (row, error) {
	var dialect string
	if err := s.Decode(&dialect); err != nil {
		return r, err
	}
	if r.dialect == dialect || r.dialect != "" && r.name == dialect {
		return r, nil
	}
	if r.dialect != "" {
		return r, s.Errorf("is %s", r.dialect).WithHint("give another dialect another name")
	}
	for _, like := range shipped() {
		if like.name == dialect {
			like.name, like.binary, like.install = r.name, "", ""
			return like, nil
		}
	}
	return r, s.Errorf("there is no dialect %q", dialect).WithHint("one of %s", strings.Join(dialects(), ", "))
}

// dialects are the names of the shipped rows: each says how a program is called and heard.
func dialects() []string {
	var out []string
	for _, r := range shipped() {
		out = append(out, r.name)
	}
	return out
}

// setKey sets one key of a row.
func (r *row) setKey(key string, s userconfig.Section) error {
	var cmd []string  // a program and the words that come right behind it
	var more []string // beside what a shipped row has
	into := map[string]any{
		"cmd": &cmd, "args": &r.extra, "model": &r.model, "output": &r.output, "max": &r.max, "env": &r.env,
		"sandbox": &r.needs.Sandbox, "network": &r.needs.Network, "read": &more, "write": &more,
	}[key]
	switch {
	case key == "dialect":
		return nil
	case into == nil:
		return s.Errorf("there is no such key").WithHint("dialect, cmd, args, model, output, max, env, sandbox, network, read or write")
	}
	if err := s.Decode(into); err != nil {
		return err
	}
	for _, word := range slices.Concat(cmd, r.extra) {
		if strings.ContainsRune(word, 0) {
			return s.Errorf("has a NUL")
		}
	}
	if err := userconfig.ValidPaths(s, more); err != nil {
		return err
	}
	if into := map[string]*[]string{"read": &r.needs.Read, "write": &r.needs.Write}[key]; into != nil {
		*into = append(slices.Clone(*into), more...)
	}
	for name, value := range r.env {
		if !record.IsWord(name, "_") || '0' <= name[0] && name[0] <= '9' || strings.ContainsRune(value, 0) {
			return s.Errorf("%q is no variable", name)
		}
	}
	switch {
	case key == "output" && r.output != job.Edits && r.output != job.Patch:
		return s.Errorf("is %q", r.output).WithHint("edits or patch")
	case !slices.Contains([]string{"", "none", "system", "container"}, r.needs.Sandbox):
		return s.Errorf("is %q", r.needs.Sandbox).WithHint("none, system or container")
	case r.max < 0 || r.max > 1000:
		return s.Errorf("is %d", r.max).WithHint("0 to 1000; 0 is no limit of its own")
	case key != "cmd":
		return nil
	case len(cmd) == 0 || cmd[0] == "":
		return s.Errorf("names no program")
	case strings.ContainsAny(cmd[0], `/\`) && !filepath.IsAbs(cmd[0]):
		return s.Errorf("begins with %q", cmd[0]).WithHint("name a program on PATH, or an absolute path")
	}
	r.binary, r.lead = cmd[0], cmd[1:]
	return nil
}
