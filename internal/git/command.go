package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// setting is a key of git's configuration with a value.
type setting struct{ key, value string }

// settings are passed to every command and override the config of the clone, of the user and of the system. The first
// group keeps git from starting programs that a config names, the second keeps a config from changing what is printed,
// and the third keeps git from taking a changed file for an unchanged one.
//
// A repository still decides how files are stored (line endings, filters, executable bits) and which are ignored. Of
// these only filters start programs, and only where files of the work tree are hashed: see WorkTree.
var settings = []setting{
	{"core.fsmonitor", "false"},
	{"core.useBuiltinFSMonitor", "false"}, // the same in some builds for Windows
	{"core.virtualFilesystem", ""},        // the same in forks
	{"core.hooksPath", "/dev/null"},
	{"core.pager", "cat"},
	{"core.editor", ""},
	{"core.askPass", ""},
	{"core.sshCommand", ""},
	{"core.gitProxy", ""},
	{"core.alternateRefsCommand", ""},
	{"credential.helper", ""}, // an empty one clears the list
	{"diff.external", ""},
	{"gpg.program", ""},
	{"gpg.openpgp.program", ""},
	{"gpg.x509.program", ""},
	{"gpg.ssh.program", ""},
	{"gpg.ssh.defaultKeyCommand", ""},
	{"interactive.diffFilter", ""},
	{"sequence.editor", ""},
	{"log.showSignature", "false"},
	{"status.submoduleSummary", "false"},
	{"submodule.recurse", "false"},
	{"protocol.allow", "never"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},

	{"color.ui", "never"},
	{"color.diff", "never"},
	{"color.status", "never"},
	{"color.branch", "never"},
	{"column.ui", "never"},
	{"core.quotePath", "true"},
	{"core.abbrev", "auto"},
	{"diff.ignoreSubmodules", "none"},
	{"diff.orderFile", "/dev/null"},
	{"diff.relative", "false"},
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

// variables are set for every git process, in place of the GIT_* of the caller, which may be a hook. Paths are taken
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
// uses no network, prints no translated messages and takes no optional locks. It gets none of the caller's GIT_*, and
// settings and variables override what a config could start or change in the output.
//
// If dir is the top of a work tree, git works on that work tree, whatever core.worktree and core.bare say. It still
// finds the git folder itself, because only then does it refuse the repository of another user.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return program(ctx, dir, settings, environ(dir), args)
}

// program makes a git command with settings and an environment; no other code starts git.
func program(ctx context.Context, dir string, with []setting, env, args []string) *exec.Cmd {
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

// foreign is the environment of this process without what is meant for git, but for some variables of git that are
// kept.
func foreign(keep func(name string) bool) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if len(name) < 4 || !strings.EqualFold(name[:4], "GIT_") || keep != nil && keep(name) {
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

// with gives a command further settings. They hold for git's child processes in submodules too.
func with(cmd *exec.Cmd, more []setting) *exec.Cmd {
	if len(more) == 0 {
		return cmd
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(more)))
	for i, s := range more {
		n := strconv.Itoa(i)
		cmd.Env = append(cmd.Env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return cmd
}
