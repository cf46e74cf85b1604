package cmd

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/record"
)

// cairn web prints a link that opens, and serves until it is ended.
func TestWebServesUntilItIsEnded(t *testing.T) {
	out, write := io.Pipe()
	ctx, end := context.WithCancel(t.Context())
	exit := make(chan int, 1)
	go func() {
		exit <- Main(ctx, Env{
			Args: []string{"--actor", "human:ada", "web"}, Dir: cmdtest.Shop(t), Stdin: strings.NewReader(""), Stdout: write, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Now: time.Now, Rand: cmdtest.Zeros{},
		})
		_ = write.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	_, link, found := strings.Cut(strings.TrimSpace(line), "http://127.0.0.1:")
	if err != nil || !found || !strings.Contains(link, "/enter#") {
		t.Fatalf("it prints %q, %v", line, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK || strings.Contains(string(page), "Take cards") {
		t.Errorf("before entering: %d, %v", resp.StatusCode, err)
	}
	end()
	if got := <-exit; got != 0 {
		t.Errorf("it exits with %d", got)
	}
}

// A server confirms what only a person may do where the terminal would: not without one, and not in the shell of an agent.
func TestWhoConfirmsAtAServer(t *testing.T) {
	for name, row := range map[string]struct {
		env    Env
		person bool
	}{
		"a terminal":          {Env{Terminal: cmdtest.Agrees, Getenv: func(string) string { return "" }}, true},
		"no terminal":         {Env{Getenv: func(string) string { return "" }}, false},
		"an agent's terminal": {Env{Terminal: cmdtest.Agrees, Getenv: func(string) string { return "1" }}, false},
	} {
		err := webCommand{call: &call{program: &program{Env: row.env}}}.person()
		if (err == nil) != row.person || err != nil && record.CodeOf(err) != record.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}
