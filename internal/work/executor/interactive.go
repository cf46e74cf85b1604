package executor

import (
	"maps"
	"slices"
)

// Interactive returns the command line by which a person starts the program to work with it, and variables that it
// needs beside those of run. The program gets cairn as an MCP server, as in a job; what it asks, it asks the person.
// run says Dir, MCP, Env and Private, and no more.
//
// It does not ask whether the program is on this machine, which Present does. It writes no file but those of
// run.Private.
func (e Executor) Interactive(run Run) (argv, env []string, err error) {
	if e.binary == "" {
		return nil, nil, e.Present()
	}
	pass, err := e.pass(run)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(e.env)) {
		env = append(env, name+"="+e.env[name])
	}
	return slices.Concat([]string{e.binary}, e.lead, pass.words), append(env, pass.env...), nil
}
