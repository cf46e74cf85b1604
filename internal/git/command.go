package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// setting is a key of git's configuration with a value.
type setting struct{ key, value string }

// The settings that commands get override the config of the clone, of the user and of the system. A repository still
// decides how files are stored (line endings, filters, executable bits) and which are ignored. Of these only filters
// start programs, and only where files of the work tree are hashed: see WorkTree.
//
// quiet are those of every command. They reach the hooks too, so there are only those without which a program would ask,
// wait or go on in the background.
var quiet = []setting{
	{"core.fsmonitor", "false"},
	{"core.useBuiltinFSMonitor", "false"}, // the same in some builds for Windows
	{"core.pager", "cat"},
	{"core.editor", ":"},
	{"core.askPass", ""},
	{"sequence.editor", ":"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"submodule.recurse", "false"},
	{"core.commitGraph", "false"}, // a graph that somebody made up would change who descends from whom
}

// alone are those of a command that runs no hook: those that keep a config from starting programs, or from changing what
// is printed.
var alone = []setting{
	{"core.hooksPath", "/dev/null"},
	{"core.virtualFilesystem", ""}, // as core.fsmonitor in forks
	{"core.alternateRefsCommand", ""},
	{"core.quotePath", "true"},
	{"color.ui", "never"},
	{"diff.external", ""},
	{"diff.orderFile", "/dev/null"},
	{"diff.relative", "false"},
}

// offline keeps git from the network.
var offline = []setting{
	{"core.sshCommand", ""},
	{"core.gitProxy", ""},
	{"credential.helper", ""}, // an empty one clears the list
	{"protocol.allow", "never"},
}

// reading are those of a command that only reads. The first group keeps git from starting programs that a config names,
// the second keeps a config from changing what is printed, and the third keeps git from taking a changed file for an
// unchanged one.
var reading = []setting{
	{"gpg.program", ""},
	{"gpg.openpgp.program", ""},
	{"gpg.x509.program", ""},
	{"gpg.ssh.program", ""},
	{"gpg.ssh.defaultKeyCommand", ""},
	{"interactive.diffFilter", ""},
	{"log.showSignature", "false"},
	{"status.submoduleSummary", "false"},

	{"color.diff", "never"},
	{"color.status", "never"},
	{"color.branch", "never"},
	{"column.ui", "never"},
	{"core.abbrev", "auto"},
	{"diff.ignoreSubmodules", "none"},
	{"diff.renames", "false"},
	{"format.pretty", "medium"},
	{"i18n.logOutputEncoding", "UTF-8"},
	{"log.abbrevCommit", "false"},
	{"log.date", "default"},
	{"log.decorate", "false"},
	{"log.follow", "false"},
	{"log.mailmap", "false"},
	{"log.showRoot", "true"},
	{"status.branch", "false"},
	{"status.relativePaths", "true"},
	{"status.renames", "false"},
	{"status.showStash", "false"},
	{"status.showUntrackedFiles", "all"},

	{"core.checkStat", "default"},
	{"core.trustctime", "true"},
	{"core.untrackedCache", "false"},
	{"safe.bareRepository", "explicit"},
}

// variables are set for every git process, in place of the GIT_* of the caller, which may be a hook, but for places. Paths are taken
// literally, and replacement objects and grafts are ignored. No transport is allowed, so that no version of git fetches
// what a partial clone lacks.
var variables = []string{
	"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", // git warns if the file exists
	"GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0", // a config can switch these on
	"LC_ALL=C",
}

// command makes a git command that reads. The process gets no input, prompts for nothing, starts no pager and no hook,
// uses no network, prints no translated messages and takes no optional locks. Of the caller's GIT_* it gets places alone,
// and settings and variables override what a config could start or change in the output.
//
// If dir is the top of a work tree, git works on that work tree, whatever core.worktree and core.bare say. It still
// finds the git folder itself, because only then does it refuse the repository of another user.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return program(ctx, dir, slices.Concat(quiet, alone, offline, reading), environ(dir), args)
}

// confined says that no git looks into a repository within a work tree.
var confined atomic.Bool

// Confine keeps every git that this process starts from looking into repositories within a work tree: it would start what
// their configs name, and a program in a sandbox can have written these.
func Confine() { confined.Store(true) }

// program makes a git command with settings and an environment; no other code starts git.
func program(ctx context.Context, dir string, with []setting, env, args []string) *exec.Cmd {
	if confined.Load() {
		with = append(slices.Clip(with), setting{"diff.ignoreSubmodules", "dirty"})
		args = slices.Clone(args)
		for i, a := range args {
			if a == "--ignore-submodules=none" {
				args[i] = "--ignore-submodules=dirty"
			}
		}
	}
	full := make([]string, 0, 1+2*len(with)+len(args))
	full = append(full, "--no-pager")
	for _, s := range with {
		full = append(full, "-c", s.key+"="+s.value)
	}
	cmd := exec.CommandContext(ctx, "git", append(full, args...)...)
	cmd.Dir = dir
	cmd.Env = env
	cmd.WaitDelay = 2 * time.Second // do not wait longer for children that outlive git
	return cmd
}

// environ is the environment of a git process that reads.
func environ(dir string) []string {
	return append(append(foreign(nil), variables...), workTreeOf(dir)...)
}

// InHook reports whether git has started this process, or one that it descends from, in the middle of a commit.
func InHook() bool { return os.Getenv("GIT_INDEX_FILE") != "" }

// places are the variables of git that say where the config of the user and of the system lies, as HOME does.
var places = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// foreign is the environment of this process without what is meant for git, but for places and some variables of git
// that are kept.
func foreign(keep func(name string) bool) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if len(name) < 4 || !strings.EqualFold(name[:4], "GIT_") || slices.Contains(places, name) || keep != nil && keep(name) {
			env = append(env, v)
		}
	}
	return env
}

// workTreeOf are the variables by which git works on the work tree that begins at a folder; none if none does.
func workTreeOf(dir string) []string {
	if !isTop(dir) {
		return nil
	}
	return []string{"GIT_WORK_TREE=" + dir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
}

// isTop reports whether Find would take a folder as the top of a work tree.
func isTop(dir string) bool {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	if err != nil || !filepath.IsAbs(dir) {
		return false
	}
	if info.IsDir() {
		_, err = os.Lstat(filepath.Join(dotGit, "HEAD"))
	}
	return err == nil
}

// further are the variables by which git has further settings. They hold for its child processes in submodules too.
func further(settings []setting) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings))}
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

// Run runs git in a folder, as command starts it, and returns its standard output.
//
// If git cannot be started or fails, the output is what was printed until then, and the error has the code GIT. Its
// cause is an *exec.ExitError if git ran, and ctx's error if ctx ended, in which case git was killed.
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return output(ctx, command(ctx, dir, args...), args)
}

// readLimit is how long a command that reads may take. git waits for ever where a pipe stands in the place of one of
// its files, and no writer may wait for that.
const readLimit = 5 * time.Minute

// run runs git at the top of the work tree as Run does, with an input and further environment variables.
func (r *Repo) run(ctx context.Context, in io.Reader, env []string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	cmd := command(ctx, r.Top, args...)
	cmd.Stdin, cmd.Env = in, append(cmd.Env, env...)
	return output(ctx, cmd, args)
}

// magic lets paths have magic, such as :(exclude).
var magic = []string{"GIT_LITERAL_PATHSPECS=0"}

// output starts a command and returns what it printed.
func output(ctx context.Context, cmd *exec.Cmd, args []string) ([]byte, error) {
	out, err := cmd.Output()
	if err != nil {
		return out, explain(ctx, err, cmd.Dir, args)
	}
	return out, nil
}

// stream is run for an output that may be too long for memory: read gets it while git runs. If read fails, git is killed,
// and the error of read is returned.
func (r *Repo) stream(ctx context.Context, in io.Reader, env []string, read func(*bufio.Reader) error, args ...string) error {
	p, err := r.start(ctx, in, env, args...)
	if err != nil {
		return err
	}
	failed := read(p.out)
	if failed != nil {
		p.cancel()
	}
	if err := p.wait(); err != nil && (failed == nil || errors.Is(failed, io.ErrUnexpectedEOF)) {
		return err
	}
	return failed
}

// records splits an output at NUL bytes.
func records(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// garbled is the error of an output in another form than the command is documented to print.
func garbled(command, line string) error {
	return record.Errorf(record.Git, "git %s printed a line that is not understood: %q", command, line)
}

// The oldest supported git.
const oldestMajor, oldestMinor = 2, 31

const installHint = "install git 2.31 or newer and put it on PATH"

// explain turns the failure of a git command into an error with a hint.
func explain(ctx context.Context, err error, dir string, args []string) error {
	if ctx.Err() != nil {
		return record.Errorf(record.Git, "git %s was stopped: %w", args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return record.Errorf(record.Git, "there is no git: %w", err).WithHint(installHint)
	}
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return record.Errorf(record.Git, "cannot run git %s: %w", args[0], err)
	}
	return &record.Error{
		Code: record.Git,
		Msg:  "git " + args[0] + ": " + complaint(exit),
		Hint: record.Hintf("%s", hint(ctx, exit, dir)),
		Err:  exit,
	}
}

// complaint is the line of standard error that says what is wrong; if there is none, the exit status.
func complaint(exit *exec.ExitError) string {
	lines := strings.Split(string(exit.Stderr), "\n")
	for _, prefix := range []string{"fatal: ", "error: ", ""} {
		for _, line := range lines {
			if msg, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok && msg != "" {
				return strings.TrimSuffix(msg, ".")
			}
		}
	}
	return exit.Error()
}

// hint is what helps against the two refusals that have nothing to do with the command; "" for other failures.
func hint(ctx context.Context, exit *exec.ExitError, dir string) string {
	stderr := string(exit.Stderr)
	if strings.Contains(stderr, "dubious ownership") || strings.Contains(stderr, "unsafe repository") {
		return "the folder belongs to another user; if you trust it: git config --global --add safe.directory " + dir
	}
	const fatal = 128 // below, the exit status is an answer
	if exit.ExitCode() >= fatal && tooOld(ctx) {
		return installHint
	}
	return ""
}

// Usable returns GIT if git is missing, too old, or refuses to work in this repository.
func (r *Repo) Usable(ctx context.Context) error {
	if _, err := Run(ctx, r.Top, "rev-parse", "--git-dir"); err != nil {
		return err
	}
	if tooOld(ctx) {
		return record.Errorf(record.Git, "git is older than %d.%d", oldestMajor, oldestMinor).WithHint(installHint)
	}
	return nil
}

// tooOld reports whether git says that it is older than the oldest supported version.
func tooOld(ctx context.Context) bool {
	out, err := command(ctx, "", "version").Output()
	if err != nil {
		return false
	}
	major, minor, ok := parseVersion(string(out))
	return ok && (major < oldestMajor || major == oldestMajor && minor < oldestMinor)
}

// parseVersion reads "git version 2.39.5 (Apple Git-154)".
func parseVersion(s string) (major, minor int, ok bool) {
	version := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(s), "git version "), ".", 3)
	if len(version) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(version[0])
	minor, err2 := strconv.Atoi(version[1])
	return major, minor, err1 == nil && err2 == nil
}

var (
	address  = regexp.MustCompile(`https?://[^\s'"]+`)
	userInfo = regexp.MustCompile(`[^\s'"/:@]*:[^\s'"/@]*@`)
)

// WithoutCredentials is what git or a remote said, without the credentials of addresses in it: git repeats addresses,
// and takes the credentials out of some alone.
func WithoutCredentials(said string) string {
	return userInfo.ReplaceAllString(address.ReplaceAllStringFunc(said, record.CleanURL), "")
}
