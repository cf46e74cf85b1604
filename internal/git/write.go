package git

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Writing is the second way to start git, for commands that change a repository because a person or an agent asked for
// that change: a work tree, a commit, a merge, a push. The zero value starts no program of the repository's config but
// the filters that store a file, uses no network and runs no hook.
//
// What always holds: git has no terminal unless Terminal says so, so nothing can prompt; it starts no editor, pager,
// signing program, fsmonitor or background work; and it gets none of the caller's GIT_* but the identity to commit with.
type Writing struct {
	Hooks   bool      // the user's hooks run, in the user's own environment, as they would for the user
	Network bool      // git may talk to a remote, with the user's credentials; nothing asks for them
	Batch   bool      // ssh asks nothing, and gives up if the remote does not answer, unless the user's config names another program
	Driver  string    // the command of the merge driver for files of a workspace; "" for the one that is configured
	Attrs   string    // a file of attributes that counts less than all others; "" for the user's own
	Magic   bool      // paths may have magic, such as :(exclude)
	Index   string    // the path of another index
	Input   io.Reader // standard input

	Terminal bool      // git has the terminal of the caller, and may ask for a password there
	more     []setting // that override all others
}

// quietWrite and aloneWrite are what quiet and alone are, for commands that write.
var (
	quietWrite = []setting{
		{"commit.gpgSign", "false"},
		{"tag.gpgSign", "false"},
		{"push.gpgSign", "false"},
		{"push.recurseSubmodules", "no"},
		{"rerere.enabled", "false"}, // it would settle conflicts by what it saw before
		{"user.useConfigOnly", "true"},
		{"advice.detachedHead", "false"},
	}
	aloneWrite = []setting{
		{"core.safecrlf", "false"},
		{"diff.noprefix", "false"},
		{"diff.mnemonicPrefix", "false"},
		{"apply.whitespace", "nowarn"},
		{"apply.ignoreWhitespace", "no"},
		{"i18n.commitEncoding", "UTF-8"},
		{"merge.autoStash", "false"},
		{"merge.ff", "true"},
		{"merge.verifySignatures", "false"},
		{"merge.stat", "false"},
		{"rebase.autoStash", "false"},
		{"rebase.autoSquash", "false"},
		{"rebase.updateRefs", "false"},
		{"rebase.rebaseMerges", "false"},
		{"rebase.missingCommitsCheck", "ignore"},
		{"rebase.stat", "false"},
		{"rebase.instructionFormat", "%s"},
		{"worktree.guessRemote", "false"},
		{"checkout.guess", "false"},
	}
)

// Run runs git in a folder and returns its standard output. Its errors are those of Run for commands that read. If ctx
// ends, git is asked to stop, which takes its locks away, and what it started is ended with it.
func (w Writing) Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	with := slices.Concat(quiet, quietWrite)
	if !w.Hooks {
		with = append(append(with, alone...), aloneWrite...)
	}
	if !w.Hooks && !w.Network {
		with = append(with, offline...)
	}
	if w.Driver != "" {
		with = append(with, setting{"merge.cairn.driver", w.Driver}, setting{"merge.cairn.name", "cairn"})
	}
	if w.Attrs != "" {
		with = append(with, setting{"core.attributesFile", w.Attrs})
	}
	cmd := program(ctx, dir, append(with, w.more...), w.environ(ctx, dir), args)
	if w.Terminal {
		onTerminal(cmd)
	} else {
		withoutTerminal(cmd)
	}
	cmd.WaitDelay, cmd.Stdin = 5*time.Second, w.Input
	return output(ctx, cmd, args)
}

// identity are the variables of git that say who commits.
var identity = []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"}

// transport are the variables of git that say how a remote is reached, and ask nothing. So do those that begin with
// GIT_CONFIG_: what they set counts less than what every command is given.
var transport = []string{"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_PROXY_SSL_CAINFO"}

func (w Writing) environ(ctx context.Context, dir string) []string {
	env := foreign(func(name string) bool {
		return slices.Contains(identity, name) || w.Network && (slices.Contains(transport, name) || strings.HasPrefix(name, "GIT_CONFIG_"))
	})
	env = slices.DeleteFunc(env, func(v string) bool {
		return strings.HasPrefix(v, "SSH_ASKPASS") || strings.HasPrefix(v, "SUDO_ASKPASS")
	})
	env = append(env, "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_PAGER=cat", "GIT_MERGE_AUTOEDIT=no",
		"SSH_ASKPASS_REQUIRE=never")
	if !w.Network {
		env = append(env, "GIT_NO_LAZY_FETCH=1")
	}
	if !w.Terminal {
		env = append(env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never")
	}
	if w.Batch { // a program that the config names to reach remotes by cannot ask either without a terminal
		if program, err := Setting(ctx, dir, "core.sshCommand"); err == nil && program == "" {
			env = append(env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=30")
		}
	}
	if w.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+w.Index)
	}
	if w.Hooks || w.Network {
		return env // hooks find the environment that the user's own commands give them
	}
	env = append(env, "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", "GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0", "LC_ALL=C")
	if !w.Magic {
		env = append(env, "GIT_LITERAL_PATHSPECS=1")
	}
	return append(env, workTreeOf(dir)...)
}

// Identity returns GIT, with a hint, if the user has set no name and address to commit with in this work tree.
func (r *Repo) Identity(ctx context.Context) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := Writing{}.Run(ctx, r.Top, "var", who)
		if Exited(err) != 0 {
			return record.Errorf(record.Git, "git does not know who commits here: %s", Complaint(err)).
				WithHint(`git config --global user.name "Your Name" && git config --global user.email you@example.com`)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Exited is the exit status of a git command that ran and failed; 0 for any other error, and for none.
func Exited(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// advice is what git says after the reason why it cannot reach a remote.
var advice = []string{"", "Please make sure you have the correct access rights", "and the repository exists."}

// Complaints are the last lines that a git command that failed wrote to standard error, its hooks' among them, without
// advice.
func Complaints(err error, most int) []string {
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(string(exit.Stderr), "\n"), func(line string) bool {
		return slices.Contains(advice, strings.TrimSpace(line))
	})
	return lines[max(0, len(lines)-most):]
}

// Complaint is the line of standard error in which a git command that failed says what is wrong; the error itself if
// git did not run.
func Complaint(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return complaint(exit)
	}
	return err.Error()
}

// Listed is a work tree of the clone, as git lists it.
type Listed struct {
	Path   string // as git has it
	Head   string
	Branch string // full name of the ref; "" if none is checked out
	Locked bool
	Bare   bool
}

// ListWorktrees lists the work trees of the clone, the main one first, also those whose folder is gone.
func (r *Repo) ListWorktrees(ctx context.Context) ([]Listed, error) {
	out, err := Run(ctx, r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var all []Listed
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if key == "worktree" {
			all = append(all, Listed{Path: value})
		}
		if len(all) == 0 {
			continue
		}
		at := &all[len(all)-1]
		switch key {
		case "HEAD":
			at.Head = value
		case "branch":
			at.Branch = value
		case "locked":
			at.Locked = true
		case "bare":
			at.Bare = true
		}
	}
	return all, nil
}
