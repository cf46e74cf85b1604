package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Box is what a command may do. Paths are absolute.
type Box struct {
	Write   []string // folders into which it may write
	Read    []string // what it may read although it lies in a hidden place
	Keep    []string // what in the folders of Write stays as it is; what is not there is left out
	Hide    []string // folders of which it sees nothing
	Show    []string // what it may read although it lies in a folder of Hide
	Sockets []string // sockets that it reaches although it has no network
	Home    string   // the user's home
	Env     []string // names of variables that it gets beside the usual ones
	Network bool
}

// Command is Program for a line of sh.
func (b Box) Command(line, dir string, env []string) (argv, kept []string, err error) {
	return b.Program([]string{"sh", "-c", line}, dir, env)
}

// Program is the command line that runs a program with its words in a box, in a folder, and the environment for it, made
// of another one. It returns NO_SANDBOX if this machine cannot do that; then nothing was started.
func (b Box) Program(words []string, dir string, env []string) (argv, kept []string, err error) {
	program, err := Can()
	if err != nil {
		return nil, nil, err
	}
	b = b.resolved()
	for _, of := range b.Write {
		for _, path := range []string{program, b.Home} { // the home cannot be hidden there
			if path != "" && within(path, of) {
				return nil, nil, missing("%s lies in %s, into which the command may write", path, of)
			}
		}
	}
	return append([]string{program}, rows[runtime.GOOS].words(b, words, dir)...), b.environ(env), nil
}

// resolved is the box with paths as the kernel knows them, and without what is not there.
func (b Box) resolved() Box {
	for _, list := range []*[]string{&b.Write, &b.Read, &b.Keep, &b.Hide, &b.Show, &b.Sockets} {
		var there []string
		for _, path := range *list {
			if at, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(at) {
				there = append(there, at)
			}
		}
		*list = record.Unique(there)
	}
	if at, err := filepath.EvalSymlinks(b.Home); err == nil {
		b.Home = at
	}
	return b
}

// usual are variables that say where programs are, and how they speak. A name that ends in * stands for all that begin so.
func usual() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "LC_*", "TZ", "COLUMNS", "LINES", "NO_COLOR", "CI", "PWD",
		"GOFLAGS", "GOROOT", "GOPATH", "GOMODCACHE", "GOCACHE", "GOTOOLCHAIN", "CGO_ENABLED", "GOEXPERIMENT", "JAVA_HOME", "MAKEFLAGS",
		"CARGO_HOME", "RUSTUP_HOME", "VIRTUAL_ENV", "NODE_ENV", "NODE_PATH", "SOURCE_DATE_EPOCH",
	}
}

// environ leaves out what may be a secret, and what leads to sockets of the user.
func (b Box) environ(env []string) []string {
	names := append(usual(), b.Env...)
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.ContainsFunc(names, func(n string) bool {
			if start, ok := strings.CutSuffix(n, "*"); ok {
				return strings.HasPrefix(name, start)
			}
			return n == name
		})
	})
	return append(out, "TMPDIR="+tmp)
}

// tmp is the folder for temporary files in the box.
const tmp = "/tmp"

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
