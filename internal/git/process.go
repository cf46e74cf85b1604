package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
)

// process is a git that runs while its output is read.
type process struct {
	out    *bufio.Reader
	ctx    context.Context
	cancel context.CancelFunc
	cmd    *exec.Cmd
	stderr bytes.Buffer
	args   []string
	closed bool
}

// start starts git at the top of the work tree, with an input and further environment variables. The process must be
// closed, or waited for.
func (r *Repo) start(ctx context.Context, in io.Reader, env []string, args ...string) (*process, error) {
	run, cancel := context.WithCancel(ctx)
	p := &process{ctx: ctx, cancel: cancel, cmd: command(run, r.Top, args...), args: args}
	p.cmd.Stdin, p.cmd.Stderr, p.cmd.Env = in, &p.stderr, append(p.cmd.Env, env...)
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, explain(ctx, err, p.cmd.Dir, args)
	}
	p.out = bufio.NewReaderSize(out, 1<<16)
	return p, nil
}

// token reads up to the next end, which it leaves out.
func (p *process) token(end byte) (string, error) {
	text, err := p.out.ReadString(end)
	if err != nil {
		return "", p.failed(err)
	}
	return text[:len(text)-1], nil
}

// failed is the error of a read: why git ended, if it did.
func (p *process) failed(err error) error {
	if ended := p.wait(); ended != nil {
		return ended
	}
	return cutShort(err)
}

// wait waits until git has ended, and returns its failure.
func (p *process) wait() error {
	if p.closed {
		return nil
	}
	p.closed = true
	defer p.cancel()
	err := p.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		exit.Stderr = p.stderr.Bytes()
	}
	if err != nil {
		return explain(p.ctx, err, p.cmd.Dir, p.args)
	}
	return nil
}

// close ends git, whether it has printed all or not.
func (p *process) close() {
	if p != nil {
		p.cancel()
		_ = p.wait()
	}
}
