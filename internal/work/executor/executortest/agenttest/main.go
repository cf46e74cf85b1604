// Command agenttest is a coding agent for tests: it speaks every dialect that package executor knows, does what its
// prompt orders, and misbehaves where that is ordered.
//
// Its first argument is the dialect; the rest is the command line of the real program. Orders are the lines of the
// prompt, and of the variable FAKE_AGENT, that begin with "fake: ". They are carried out one after another, and then it
// says that it is done:
//
//	say TEXT              its final message; \n begins a new line
//	write FILE TEXT       writes a file, with a new line at its end; append FILE TEXT adds to it, delete FILE removes it
//	shell LINE            runs sh -c LINE
//	usage DOLLARS         tells what it cost
//	finish SUMMARY        calls the tool finish of cairn, on the session of CAIRN_SESSION
//	call TOOL JSON        calls a tool of cairn
//	report FILE           writes what it was given, as JSON: see Report
//	wait FILE             waits until a file is there
//	unless FILE ORDER     makes the file and carries out the order; does nothing if the file is there already
//	resumed ORDER         carries out the order in a session that is gone on with; fresh ORDER in a new one
//	ask                   asks for a permission
//	retry                 says that its provider is asked again
//	plan                  tells a plan
//	garbage               writes lines that are none of its dialect
//	flood MEGABYTES       writes so much in events
//	long MEGABYTES        writes one line of so much
//	fork FILE             starts a process in a session of its own that writes its number to a file and stays
//	deaf                  ignores SIGTERM from now on
//	hang                  stays for ever without another word
//	stay                  says that it is done, and stays
//	fail TEXT             says that it failed, and ends with 0
//	exit STATUS           ends at once, without having said that it is done
//	die                   kills itself
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "agenttest: which dialect?")
		os.Exit(2)
	}
	if os.Args[1] == "linger" {
		linger()
	}
	a := &agent{call: parse(os.Args[1], os.Args[2:])}
	if err := a.begin(); err != nil {
		fmt.Fprintln(os.Stderr, "agenttest:", err)
		os.Exit(1)
	}
	final := "I did what I was asked."
	for line := range strings.Lines(os.Getenv("FAKE_AGENT") + "\n" + a.Prompt) {
		if order, ok := strings.CutPrefix(strings.TrimSpace(line), "fake: "); ok {
			a.do(order, &final)
		}
	}
	a.end(false, final)
	os.Exit(0)
}

// agent is what the fake was asked, and what it did so far.
type agent struct {
	call
	calls  int
	denied []object

	prompt json.RawMessage // the id of the call with the prompt
	asked  int
}

func (a *agent) do(order string, final *string) {
	verb, rest, _ := strings.Cut(order, " ")
	first, others, _ := strings.Cut(rest, " ")
	switch verb {
	case "say":
		*final = strings.ReplaceAll(rest, `\n`, "\n")
	case "write", "append", "delete":
		a.edit(verb, first, others)
	case "shell":
		a.tool("shell", rest, func() error {
			cmd := exec.Command("sh", "-c", rest)
			cmd.Dir, cmd.Stdout, cmd.Stderr = a.Dir, os.Stderr, os.Stderr
			return cmd.Run()
		})
	case "usage":
		cost, _ := strconv.ParseFloat(rest, 64)
		a.write("spent", object{"cost": cost})
	case "finish":
		id := os.Getenv("CAIRN_SESSION")
		if id == "" && a.Server != nil {
			id = a.Server.Env["CAIRN_SESSION"]
		}
		args, _ := json.Marshal(map[string]string{"session": id, "summary": rest})
		a.tool("mcp__cairn__finish", "", func() error { return a.callCairn("finish", string(args)) })
	case "call":
		a.tool("mcp__cairn__"+first, "", func() error { return a.callCairn(first, others) })
	case "report":
		a.report(rest)
	case "hear":
		text, _ := a.message()
		place(rest, []byte(text))
	case "wait":
		for !exists(rest) {
			time.Sleep(5 * time.Millisecond)
		}
	case "unless":
		if !exists(first) {
			must(os.WriteFile(first, nil, 0o600))
			a.do(others, final)
		}
	case "resumed", "fresh":
		if (a.Resume != "") == (verb == "resumed") {
			a.do(rest, final)
		}
	case "ask":
		a.ask()
	case "retry", "plan":
		a.write(verb, nil)
	case "garbage":
		fmt.Println("no JSON at all\n{\"type\":\n[1,2]\n{\"type\":7}\nnull\n{\"type\":\"something.new\",\"data\":{}}\n\x00\xff\xfe")
	case "flood":
		for n := 0; n < megabytes(rest); n += 1000 {
			a.text(strings.Repeat("flood ", 170))
		}
	case "long":
		a.text(strings.Repeat("x", megabytes(rest)))
	case "fork":
		self, err := os.Executable()
		must(err)
		cmd := exec.Command(self, "linger", rest)
		cmd.SysProcAttr = apart()
		must(cmd.Start())
		for !exists(rest) {
			time.Sleep(time.Millisecond)
		}
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "hang":
		a.text("I hang.")
		stay()
	case "stay":
		a.end(false, *final)
		stay()
	case "fail":
		a.end(true, rest)
		os.Exit(0)
	case "exit":
		status, _ := strconv.Atoi(rest)
		os.Exit(status)
	case "die":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		stay()
	default:
		fmt.Fprintln(os.Stderr, "agenttest: no such order:", verb)
		os.Exit(3)
	}
}

func (a *agent) edit(verb, file, text string) {
	a.tool(verb, file, func() error {
		path := file
		if !filepath.IsAbs(file) {
			path = filepath.Join(a.Dir, file)
		}
		if verb == "delete" {
			return os.Remove(path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
		if verb == "append" {
			mode = os.O_CREATE | os.O_WRONLY | os.O_APPEND
		}
		f, err := os.OpenFile(path, mode, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.WriteString(f, strings.ReplaceAll(text, `\n`, "\n")+"\n")
		return err
	})
}

// Report is what the fake was given.
type Report struct {
	Dialect string
	Args    []string
	Dir     string // in which it was started
	Env     []string
	Prompt  string
	Stdin   string // all of its standard input; of dialect acp none
	Resume  string
	MCP     *server
}

func (a *agent) report(file string) {
	dir, _ := os.Getwd()
	report := Report{a.Dialect, os.Args[2:], dir, os.Environ(), a.Prompt, a.Stdin, a.Resume, a.Server}
	text, err := json.MarshalIndent(report, "", " ")
	must(err)
	place(file, text)
}

// place writes a file that appears whole.
func place(file string, text []byte) {
	must(os.WriteFile(file+".tmp", text, 0o600))
	must(os.Rename(file+".tmp", file))
}

// linger is the process that the order fork starts: it writes its number to a file and stays.
func linger() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	place(os.Args[2], []byte(strconv.Itoa(os.Getpid())))
	stay()
}

func stay() {
	for {
		time.Sleep(time.Hour)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func megabytes(s string) int {
	n, err := strconv.Atoi(s)
	must(err)
	return n << 20
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "agenttest:", err)
		os.Exit(4)
	}
}
