package executor

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/proc"
)

// Needs is what a program does in a sandbox beside what every program may there. Paths begin with ~/ or /.
type Needs struct {
	Sandbox string   // in what it runs, if the user says that of it; "" for what holds for all
	Network bool     // its model is there
	Write   []string // how it is logged in, where its program renews that, and its conversations
	Read    []string // its settings
	Env     []string // names of variables, such as keys; one that ends in * is all that begin so
}

// ofAgent is what a coding agent needs: the network, and the variables that lead through a proxy.
func ofAgent(n Needs) Needs {
	n.Network = true
	n.Env = append(n.Env, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
	return n
}

// Needs is what its program needs in a sandbox.
func (e Executor) Needs() Needs { return e.needs }

// boxed is how a command line runs in the box of a run, in which its program is, and what that is to read.
func (e Executor) boxed(run Run, argv, set []string) (boxed, env []string, err error) {
	b := *run.Box
	b.Show = append(slices.Clone(b.Show), run.Private, run.PromptFile)
	for _, path := range []string{argv[0], run.MCP.Command} {
		if path != "" {
			b.Read = append(b.Read, programFolders(path)...)
		}
	}
	if run.socket != "" {
		b.Sockets = append(slices.Clone(b.Sockets), run.socket)
	}
	b.Env = slices.Clone(b.Env)
	for _, variable := range slices.Concat(set, e.ownVariables(), run.Env, []string{"GIT_TERMINAL_PROMPT="}) {
		name, _, _ := strings.Cut(variable, "=")
		b.Env = append(b.Env, name)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(argv[0])); err == nil { // links on the way are not in the box
		argv[0] = filepath.Join(dir, filepath.Base(argv[0]))
	}
	return b.Program(argv, run.Dir, e.environ(os.Environ(), set, run))
}

// programFolders are where a program lies, and where it leads if it is a link.
func programFolders(path string) []string {
	dirs := []string{filepath.Dir(path)}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		dirs = append(dirs, filepath.Dir(target))
	}
	return dirs
}

// served has the MCP server of a run run outside of its box, since it writes what the program may not: each connection to
// a socket starts one. The program is given a command that connects to it. end stops all of them, and removes the socket.
func (r Run) served(ctx context.Context) (boxed Run, end func(), err error) {
	server := r.server()
	if r.Box == nil || server == nil {
		return r, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "cairn-") // not below Private: the path of a socket is short
	if err != nil {
		return r, nil, err
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	l, err := net.Listen("unix", filepath.Join(dir, "mcp"))
	if err != nil {
		_ = os.RemoveAll(dir)
		return r, nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serve(ctx, *server, c) })
		}
	})
	r.socket = l.Addr().String()
	r.MCP = MCP{Command: server.Command, Args: append(slices.Clone(server.Connect), r.socket), Env: map[string]string{}}
	return r, func() {
		stop()
		_ = l.Close()
		serving.Wait()
		_ = os.RemoveAll(dir)
	}, nil
}

// serve runs a server for one connection, until that ends. It is no command of the job: that is the program.
func serve(ctx context.Context, server MCP, c net.Conn) {
	defer func() { _ = c.Close() }()
	ctx, stop := context.WithCancel(proc.Untraced(ctx))
	defer stop()
	context.AfterFunc(ctx, func() { _ = c.Close() })
	in, out := io.Pipe()
	go func() {
		_, _ = io.Copy(out, c)
		_ = out.Close()
	}()
	env := os.Environ()
	for name, value := range server.Env {
		env = append(env, name+"="+value)
	}
	_, _ = proc.Run(ctx, proc.Command{Args: append([]string{server.Command}, server.Args...), Env: env, Stdin: in, Stdout: c, Grace: grace})
}
