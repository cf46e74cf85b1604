package cmd

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// A client that never reads the server's log is served to the end.
func TestLogThatNobodyReads(t *testing.T) {
	log, unread := io.Pipe() // a write blocks until it is read
	var out strings.Builder
	vars := map[string]string{"CAIRN_ACTOR": "agent:a"}
	exit := Main(t.Context(), Env{
		Args: []string{"serve"}, Stdin: strings.NewReader(strings.Repeat("{\n", 2*sinkSize)), Stdout: &out, Stderr: unread, Dir: t.TempDir(),
		Getenv: func(name string) string { return vars[name] },
	})
	if answers := strings.Count(out.String(), "not one JSON value"); exit != 0 || answers != 2*sinkSize {
		t.Errorf("it exits with %d after %d answers", exit, answers)
	}
	_ = log.Close()
}

// Lines before the end are written in order, and the number of dropped lines is logged.
func TestSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, to := io.Pipe()
		s := newSink(to)
		put := func(line string) {
			if n, err := s.Write([]byte(line)); n != len(line) || err != nil {
				t.Errorf("Write of %[2]q returns %[1]d, %[3]v", n, line, err)
			}
			synctest.Wait()
		}
		put("first\n")
		for range sinkSize + 3 {
			put("more\n")
		}
		var got strings.Builder
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = io.Copy(&got, log)
		}()
		s.close()
		_ = to.Close()
		<-read
		want := "first\ncairn: 3 lines of the log were not read in time, and dropped\n" + strings.Repeat("more\n", sinkSize)
		if got.String() != want {
			t.Errorf("got\n%s", &got)
		}
	})
}
