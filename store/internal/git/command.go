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

// settings go with every command, before whatever the config of the clone, of the user or of the system says, and whatever
// files those include. The first group keeps git from starting programs that a config names, the second from letting a config
// decide what is printed, the third from taking a file that changed for one that did not.
//
// What has no place here is what a repository rightly decides: how files are stored (line endings, filters, executable bits)
// and which are ignored. Of these only filters start programs, and only where files of the work tree are hashed: see WorkTree.
var settings = []setting{
	{"core.fsmonitor", "false"},
	{"core.useBuiltinFSMonitor", "false"}, // the same in some builds for Windows
	{"core.virtualFilesystem", ""},        // and in forks
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

// variables are set for every git process, in place of the GIT_* of the caller, which may be a hook. Paths are taken as they
// are, and an object is what its hash says: what the clone would replace it with, or graft onto it, does not count. No
// transport is allowed, so that nothing that a partial clone has left out is fetched, by whatever version of git.
var variables = []string{
	"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", // a file that is there would be told as deprecated
	"GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0", // which a config can switch on too
	"LC_ALL=C",
}

// command is the one place where git is started. The process gets no input, prompt, pager, hook, network, translated message
// or lock that it does not need; none of the GIT_* of the caller; and no say of any config in what is started or printed,
// as far as settings and variables go.
//
// Where dir is the top of a work tree, git works on that one, whatever core.worktree and core.bare say. It still looks for
// the git folder itself, because only then does it refuse the repository of another user.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	full := make([]string, 0, 1+2*len(settings)+len(args))
	full = append(full, "--no-pager")
	for _, s := range settings {
		full = append(full, "-c", s.key+"="+s.value)
	}
	cmd := exec.CommandContext(ctx, "git", append(full, args...)...)
	cmd.Dir = dir
	cmd.Env = environ(dir)
	cmd.WaitDelay = 2 * time.Second // a child of git that outlives it must not hold us
	return cmd
}

// environ is the environment of a git process.
func environ(dir string) []string {
	var env []string
	for _, v := range os.Environ() {
		if len(v) < 4 || !strings.EqualFold(v[:4], "GIT_") {
			env = append(env, v)
		}
	}
	env = append(env, variables...)
	if isTop(dir) {
		env = append(env, "GIT_WORK_TREE="+dir, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	}
	return env
}

// isTop reports whether Find would take a folder for the top of a work tree.
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

// with gives a command further settings. They count for git's children too, in submodules.
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
