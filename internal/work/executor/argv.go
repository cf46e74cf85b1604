package executor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// maxArgument is the most bytes of a prompt in a command line. Linux takes arguments of up to 128 KiB, and Windows
// command lines of 32 KiB.
const maxArgument = 24 << 10

// command returns the command line of a run, whose prompt file is there.
func (r row) command(run Run) (argv, env []string, err error) {
	words, pass, err := r.pass(run)
	if err != nil {
		return nil, nil, err
	}
	start := r.fresh
	if run.Resume != "" {
		start = r.resume
	}
	may := r.edits
	if run.Output == job.Patch {
		may = r.patch
	}
	fill := r.standIns(run)
	called := fill.words(slices.Concat(start, r.args, may))
	argv = slices.Concat([]string{r.binary}, r.lead, called, words, r.extra, fill.words(r.tail))
	for _, variable := range r.set {
		if v, ok := fill.word(variable); ok {
			env = append(env, v)
		}
	}
	return argv, append(env, pass...), nil
}

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
	words, pass, err := e.pass(run)
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat([]string{e.binary}, e.lead, words), append(e.ownVariables(), pass...), nil
}

// standIns is what words in braces stand for.
type standIns map[string]string

func (r row) standIns(run Run) standIns {
	s := standIns{
		"{model}": cmp.Or(run.Model, r.model), "{resume}": run.Resume, "{prompt}": run.Prompt,
		"{prompt_file}": run.PromptFile, "{dir}": run.Dir, "{budget}": "",
	}
	if run.Budget > 0 {
		s["{budget}"] = strconv.FormatFloat(run.Budget, 'f', -1, 64)
	}
	if len(run.Prompt) > maxArgument {
		s["{prompt}"] = "Your task is written in the file " + run.PromptFile + ". Read all of it, and do what it says."
	}
	return s
}

// words returns the words of the groups whose stand-ins all stand for something.
func (s standIns) words(groups []group) (out []string) {
	for _, g := range groups {
		var words []string
		whole := true
		for _, word := range g {
			w, ok := s.word(word)
			words, whole = append(words, w), whole && ok
		}
		if whole {
			out = append(out, words...)
		}
	}
	return out
}

// word replaces the stand-in of a word, of which there is at most one. What comes instead is not looked at again.
func (s standIns) word(w string) (string, bool) {
	for name, value := range s {
		if before, after, found := strings.Cut(w, name); found {
			return before + value + after, value != ""
		}
	}
	return w, true
}
