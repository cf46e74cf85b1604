package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// wire is a client that reads the lines of a server's answers and nothing in them, so that what it measures is the
// server.
type wire struct {
	in    io.WriteCloser
	out   *bufio.Reader
	wait  func() error
	asked int
}

// dial starts the server in the workspace.
func (r runner) dial(ctx context.Context) (*wire, error) {
	cmd := r.command(ctx, r.cairn, "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cairn serve: %w", err)
	}
	w := &wire{in: in, out: bufio.NewReaderSize(out, 1<<20), wait: cmd.Wait}
	err = w.request("initialize", object{
		"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "bench", "version": "1"},
	})
	if err == nil {
		_, err = fmt.Fprintln(w.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w, err
}

// close ends the server.
func (w *wire) close() error { return errors.Join(w.in.Close(), w.wait()) }

// request asks, and reads the answer.
func (w *wire) request(method string, params object) error {
	w.asked++
	line, err := json.Marshal(object{"jsonrpc": "2.0", "id": w.asked, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return err
	}
	answer, err := w.out.ReadBytes('\n')
	if err == nil && bytes.Contains(answer, []byte(`"isError":true`)) {
		err = fmt.Errorf("%s: %s", method, answer)
	}
	return err
}

// timed calls a tool until the time is up, at least ten times and at most 300 times.
func (w *wire) timed(name, tool string, in object, limit time.Duration) (figure, error) {
	f := figure{name: name}
	for began := time.Now(); len(f.wall) < 10 || len(f.wall) < 300 && time.Since(began) < limit; {
		called := time.Now()
		if err := w.request("tools/call", object{"name": tool, "arguments": in}); err != nil {
			return f, err
		}
		f.wall = append(f.wall, time.Since(called))
	}
	return f, nil
}

// answers measures calls that the server answers at once.
func (r runner) answers(ctx context.Context) (out []figure, err error) {
	w, err := r.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	began := time.Now()
	if err := w.request("tools/call", object{"name": "list", "arguments": object{}}); err != nil {
		return nil, err
	}
	out = append(out, figure{name: callFirst, wall: []time.Duration{time.Since(began)}})
	for _, call := range []struct {
		name, tool string
		in         object
	}{{callReady, "list", object{"ready": true}}, {callGet, "get", object{"id": string(r.id(r.n - 1))}}} {
		f, err := w.timed(call.name, call.tool, call.in, 3*time.Second)
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	return out, nil
}
