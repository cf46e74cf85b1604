package review

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// forge is a program that speaks to a host of repositories as its user, who has logged in with it. cairn knows no
// password and no token. In its arguments {branch}, {base}, {title} and {body} stand for those of a pull request.
type forge struct {
	program              string
	host                 string // is part of the names of the hosts that it speaks to
	install              string // how it is installed and set up
	create, view         []string
	number, address, now string // the keys of its answer, the last one of the state
}

type proposal struct{ branch, base, title, body string }

func (p proposal) args(words []string) (out []string) {
	fill := strings.NewReplacer("{branch}", p.branch, "{base}", p.base, "{title}", p.title, "{body}", p.body)
	for _, word := range words {
		out = append(out, fill.Replace(word))
	}
	return out
}

func forges() []forge {
	return []forge{
		{
			program: "gh", host: "github", install: "https://cli.github.com has it, and gh auth login sets it up",
			create: []string{"pr", "create", "--head={branch}", "--base={base}", "--title={title}", "--body={body}"},
			view:   []string{"pr", "view", "{branch}", "--json", "number,url,state"},
			number: "number", address: "url", now: "state",
		},
		{
			program: "glab", host: "gitlab", install: "https://gitlab.com/gitlab-org/cli has it, and glab auth login sets it up",
			create: []string{
				"mr", "create", "--source-branch={branch}", "--target-branch={base}", "--title={title}", "--description={body}", "--yes",
			},
			view:   []string{"mr", "view", "{branch}", "--output", "json"},
			number: "iid", address: "web_url", now: "state",
		},
	}
}

// forgeFor picks the program for a repository, as record.RepoOf writes it: the one that its host is known by, or else
// the first that is installed. It returns EXECUTOR_MISSING, and says how to install one, if there is none.
func forgeFor(repo string) (forge, error) {
	host, _, _ := strings.Cut(repo, "/")
	fits := forges()
	for _, f := range forges() {
		if strings.Contains(host, f.host) {
			fits = []forge{f}
		}
	}
	for _, f := range fits {
		if _, err := exec.LookPath(f.program); err == nil {
			return f, nil
		}
	}
	var how []string
	for _, f := range fits {
		how = append(how, f.program+" ("+f.install+")")
	}
	return forge{}, record.Errorf(record.ExecutorMissing, "pull requests are opened with %s, which is not on PATH", fits[0].program).
		WithHint("install %s; the branch can be pushed with git, and the reference added with %s", strings.Join(how, " or "), record.CallTo("ref_add").OnlyShown()).ForGood()
}

const forgeLimit = 2 * time.Minute

// run runs the program in a folder. It asks nothing: without a login it fails. It returns IO with the end of what it
// printed if it fails.
func (f forge) run(ctx context.Context, dir string, args []string) ([]byte, error) {
	var out bytes.Buffer
	var said proc.Output
	end, err := proc.Run(ctx, proc.Command{
		Args: append([]string{f.program}, args...), Dir: dir, Timeout: forgeLimit, Stdout: &limited{&out, maxAnswer}, Stderr: &said,
		Env: append(os.Environ(), "PWD="+dir, "GH_PROMPT_DISABLED=1", "GLAB_NO_PROMPT=1", "NO_PROMPT=1", "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1"),
	})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, record.Errorf(record.ExecutorMissing, "%s is not on PATH", f.program).WithHint("install it: %s", f.install)
	case err != nil:
		return nil, record.Errorf(record.IO, "%s could not be started: %w", f.program, err)
	case end.Canceled:
		return nil, ctx.Err()
	case end.TimedOut:
		return nil, record.Errorf(record.IO, "%s did not answer within %v", f.program, forgeLimit).WithHint("try again, or run it by hand")
	case !end.Passed():
		return nil, record.Errorf(record.IO, "%s %s failed: %s", f.program, strings.Join(args[:2], " "), strings.Join(strings.Fields(verb.Tail(strings.TrimSpace(said.String()+out.String()), 400)), " ")).
			WithHint("if it asks for a login: %s", f.install)
	}
	return out.Bytes(), nil
}

const maxAnswer = 1 << 20 // bytes of an answer that are read

// limited is a buffer that takes no more than so many bytes, and drops the rest.
type limited struct {
	*bytes.Buffer
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	take := min(len(p), l.room)
	l.room -= take
	_, _ = l.Buffer.Write(p[:take])
	return len(p), nil
}

// find returns the pull request of a branch. Known reports whether the host has one.
func (f forge) find(ctx context.Context, dir, branch string) (pr job.PR, known bool, err error) {
	view := proposal{branch: branch}.args(f.view)
	src, err := f.run(ctx, dir, view)
	if err != nil {
		text := strings.ToLower(record.MessageOf(err))
		for _, none := range []string{"no pull requests found", "no open merge request", "404"} {
			if strings.Contains(text, none) {
				return pr, false, nil
			}
		}
		return pr, false, err
	}
	var got map[string]any
	err = json.Unmarshal(src, &got)
	number, _ := got[f.number].(float64)
	pr.Number = int(number)
	pr.URL, _ = got[f.address].(string)
	pr.Status, _ = got[f.now].(string)
	if pr.Status = strings.ToLower(pr.Status); pr.Status == "opened" || pr.Status == "locked" {
		pr.Status = "open"
	}
	switch {
	case err != nil:
	case pr.Number < 1, record.CleanURL(pr.URL) == "":
		err = fmt.Errorf("number %d, url %q", pr.Number, verb.Head(pr.URL, 100))
	case pr.Status != "open" && pr.Status != "merged" && pr.Status != "closed":
		err = fmt.Errorf("state %q", verb.Head(pr.Status, 40))
	default:
		return pr, true, nil
	}
	return pr, false, record.Errorf(record.IO, "%s answered what cannot be read: %w", f.program, err).
		WithHint("see what %s %s prints", f.program, strings.Join(view, " "))
}

// open opens a pull request, or returns the one that the branch has already, unless that was closed.
func (f forge) open(ctx context.Context, dir string, p proposal) (job.PR, error) {
	if had, known, err := f.find(ctx, dir, p.branch); err != nil || known && had.Status != "closed" {
		return had, err
	}
	if _, err := f.run(ctx, dir, p.args(f.create)); err != nil {
		return job.PR{}, err
	}
	made, known, err := f.find(ctx, dir, p.branch)
	if err == nil && !known {
		err = record.Errorf(record.IO, "%s opened a pull request of %s, and does not find it", f.program, p.branch).WithHint("try again")
	}
	return made, err
}
