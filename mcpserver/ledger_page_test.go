package mcpserver_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The page about the ledger is a day of one person and three agents. It is run as it stands: a server process for each
// agent, driven by the official client, and a process for each command of the person, all in one repository.
func TestSlowLedgerPage(t *testing.T) {
	slowtest.Skip(t)
	d := newDay(t)
	page := readFile(t, filepath.Join("..", "docs", "ledger.md"))
	blocks := fenced.FindAllStringSubmatch(page, -1)
	if len(blocks) < 10 {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	for _, b := range blocks {
		what, who := b[1], strings.Fields(b[2])
		switch what {
		case "console":
			d.console(b[3])
		case "agent", "agents":
			d.agents(who, b[3])
		case "kill":
			d.kill(who[0])
		default:
			t.Errorf("the page has a block of %q", what)
		}
	}
}

var fenced = regexp.MustCompile("(?ms)^```(\\w+) ?([a-z ]*)\n(.*?)^```$")

// day is the repository, the agents, and what the ids on the page stand for.
type day struct {
	*story
	servers map[string]*exec.Cmd
	clients map[string]*mcp.ClientSession
	ids     map[string]string // by the id on the page
	winner  string            // of the last race
	later   chan func()       // tells how the call in the background ended
	last    object            // what it answered
}

func newDay(t *testing.T) *day {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process is killed")
	}
	isolateButBuild(t)
	t.Setenv("CAIRN_ACTOR", "human:lee")
	s := &story{T: t, dir: t.TempDir(), bin: filepath.Join(t.TempDir(), "cairn")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", s.bin, "github.com/cairn-tasks/cairn/cmd/cairn")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	git(t, s.dir, "init", "-q")
	s.run("init", "--prefix", "SHOP")
	s.commit("a workspace")
	return &day{story: s, servers: map[string]*exec.Cmd{}, clients: map[string]*mcp.ClientSession{}, ids: map[string]string{}}
}

// client is the connection to an agent's server, which is started when it is first needed.
func (d *day) client(name string) *mcp.ClientSession {
	d.Helper()
	if name == "winner" {
		name = d.winner
	}
	if d.clients[name] == nil {
		server := exec.Command(d.bin, "serve", "--actor", "agent:"+name, "--toolsets", "core,ledger,team")
		server.Dir = d.dir
		cs, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).
			Connect(d.Context(), &mcp.CommandTransport{Command: server}, nil)
		if err != nil {
			d.Fatal(err)
		}
		d.Cleanup(func() { _ = cs.Close() })
		d.servers[name], d.clients[name] = server, cs
	}
	return d.clients[name]
}

// kill kills an agent's server.
func (d *day) kill(name string) {
	d.Helper()
	if err := d.servers[name].Process.Kill(); err != nil {
		d.Fatal(err)
	}
	_ = d.clients[name].Close()
	delete(d.clients, name)
}

// console runs the commands of a block and compares what they print, line by line.
func (d *day) console(block string) {
	d.Helper()
	for part := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
		line, want, _ := strings.Cut(part, "\n")
		if typed := confirmed.FindStringSubmatch(want); typed != nil {
			d.matches(line, strings.TrimSpace(want), d.atTerminal(line, typed[1]))
			continue
		}
		shell := exec.CommandContext(d.Context(), "sh", "-c", `cairn() { "$CAIRN" "$@"; }; `+d.real(line))
		shell.Dir, shell.Env = d.dir, append(shell.Environ(), "CAIRN="+d.bin)
		out, err := shell.CombinedOutput()
		if fails := strings.HasPrefix(want, "cairn: "); (err != nil) != fails {
			d.Fatalf("%s: %v\n%s", line, err, out)
		}
		d.matches(line, strings.TrimSpace(want), strings.TrimSpace(string(out)))
	}
}

// confirmed is where the page shows what the person types to confirm something.
var confirmed = regexp.MustCompile(`Type \w+ to confirm: (\w+)`)

// atTerminal runs a command in this process, with a terminal at which the person types one line. It returns what they
// see.
func (d *day) atTerminal(line, typed string) string {
	d.Helper()
	each := `for word in "$@"; do printf '%s\0' "$word"; done`
	split, err := exec.CommandContext(d.Context(), "sh", "-c", "set -- "+strings.TrimPrefix(d.real(line), "cairn ")+"; "+each).Output()
	if err != nil {
		d.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(split), "\x00"), "\x00")
	var seen bytes.Buffer
	screen := &terminal{typed: strings.NewReader(typed + "\n"), screen: &seen, echo: typed + "\n"}
	exit := cmd.Main(d.Context(), cmd.Env{
		Args: args, Dir: d.dir, Stdin: strings.NewReader(""), Stdout: &seen, Stderr: &seen, Getenv: os.Getenv,
		Now: time.Now, Rand: rand.Reader, Terminal: func() (io.ReadWriteCloser, error) { return screen, nil },
	})
	if exit != 0 {
		d.Fatalf("%s: exit %d\n%s", line, exit, seen.String())
	}
	return strings.TrimSpace(seen.String())
}

// terminal is one at which somebody types a line, which is shown as they type.
type terminal struct {
	typed  io.Reader
	screen io.Writer
	echo   string
}

func (t *terminal) Read(b []byte) (int, error) {
	n, err := t.typed.Read(b)
	_, _ = io.WriteString(t.screen, t.echo)
	t.echo = ""
	return n, err
}

func (t *terminal) Write(b []byte) (int, error) { return t.screen.Write(b) }
func (t *terminal) Close() error                { return nil }

// matches compares text with what the page shows of it. A line of dots alone stands for any lines.
func (d *day) matches(call, want, got string) {
	d.Helper()
	pattern, unbound := "", []string{}
	for text := want; text != ""; {
		at := pageID.FindStringIndex(text)
		before := text
		if at != nil {
			before = text[:at[0]]
		}
		pattern += strings.ReplaceAll(regexp.QuoteMeta(before), "…", ".*")
		if at == nil {
			break
		}
		id := text[at[0]:at[1]]
		text = text[at[1]:]
		if bound, ok := d.ids[id]; ok {
			pattern += regexp.QuoteMeta(bound)
			continue
		}
		prefix, _, _ := strings.Cut(id, "-")
		pattern += "(" + prefix + "-[0-9a-z]+)"
		unbound = append(unbound, id)
	}
	found := regexp.MustCompile("(?s)^" + pattern + "$").FindStringSubmatch(got)
	if found == nil {
		d.Fatalf("%s\ngot\n%s\nwant\n%s", call, got, want)
	}
	for i, id := range unbound {
		d.ids[id] = found[i+1]
	}
}

// pageID is an id as the page shortens it.
var pageID = regexp.MustCompile(`\b(?:SHOP|DEC|HO|KB|ses|MENTION)-\d\b`)

// real puts real ids in place of those on the page.
func (d *day) real(text string) string {
	return pageID.ReplaceAllStringFunc(text, func(id string) string {
		if bound, ok := d.ids[id]; ok {
			return bound
		}
		d.Fatalf("nothing was made yet that %s stands for: %s", id, text)
		return ""
	})
}

// agents makes the calls of a block: each by one agent, or by several at once.
func (d *day) agents(names []string, block string) {
	d.Helper()
	lines := strings.Split(strings.TrimSpace(block), "\n")
	for len(lines) > 0 {
		call := lines[0]
		end := 1
		for end < len(lines) && strings.HasPrefix(lines[end], "→ ") {
			end++
		}
		d.call(names, call, lines[1:end])
		lines = lines[end:]
	}
}

func (d *day) call(names []string, call string, want []string) {
	d.Helper()
	if call == "fg" {
		(<-d.later)()
		d.compare(call, strings.TrimPrefix(want[0], "→ "), d.last)
		return
	}
	tool, input, _ := strings.Cut(d.real(call), " ")
	input, background := strings.CutSuffix(input, " &")
	args := asObject(d.T, input)
	if background {
		cs := d.client(names[0])
		d.later = make(chan func(), 1)
		go func() {
			result, err := cs.CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			d.later <- func() { d.last = d.answer(call, result, err) }
		}()
		return
	}
	for _, w := range want {
		if len(names) == 1 {
			d.compare(call, strings.TrimPrefix(w, "→ "), d.one(names[0], tool, args))
		}
	}
	if len(names) > 1 {
		d.race(names, call, tool, args, want)
	}
}

// race has several agents make one call at once. The answers are those that the page shows, in any order; the first is
// the winner's.
func (d *day) race(names []string, call, tool string, args object, want []string) {
	d.Helper()
	answers := make([]object, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		cs := d.client(name)
		all.Go(func() {
			result, err := cs.CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			answers[i] = d.answer(call, result, err)
		})
	}
	all.Wait()
	won := slices.IndexFunc(answers, func(a object) bool { return a["error"] == nil })
	if won < 0 || len(want) != len(names) {
		d.Fatalf("%s: nobody won: %v", call, answers)
	}
	d.winner = names[won]
	d.compare(call, strings.TrimPrefix(want[0], "→ "), answers[won])
	for i, a := range answers {
		if i != won {
			d.compare(call, strings.TrimPrefix(want[1], "→ "), a)
		}
	}
}

func (d *day) one(name, tool string, args object) object {
	d.Helper()
	result, err := d.client(name).CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	return d.answer(fmt.Sprint(tool, " ", args), result, err)
}

// answer is the structured content of a result.
func (d *day) answer(call string, result *mcp.CallToolResult, err error) object {
	if err != nil {
		d.Errorf("%s: %v", call, err)
		return nil
	}
	content, _ := result.StructuredContent.(object)
	return content
}

// compare compares an answer with what the page shows of it: a part of the object, or the code of a refusal.
func (d *day) compare(call, want string, got object) {
	d.Helper()
	if !strings.HasPrefix(want, "{") {
		failure, _ := got["error"].(object)
		if failure["code"] != want {
			d.Fatalf("%s: got %v, want %s", call, got, want)
		}
		return
	}
	var part any
	if err := json.Unmarshal([]byte(want), &part); err != nil {
		d.Fatalf("%s: %v in %s", call, err, want)
	}
	if why := d.lacks(part, any(got)); why != "" {
		text, _ := json.MarshalIndent(got, "", " ")
		d.Fatalf("%s: %s\nwant %s\ngot %s", call, why, want, text)
	}
}

// lacks says what a value does not have of a part that the page shows, or "". Of a list the page shows the first items;
// an empty one is empty.
func (d *day) lacks(want, got any) string {
	switch want := want.(type) {
	case object:
		value, ok := got.(object)
		for key, w := range want {
			if why := d.lacks(w, value[key]); why != "" {
				return key + ": " + why
			}
		}
		if !ok {
			return fmt.Sprintf("%v is no object", got)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) < len(want) || len(want) == 0 && len(list) > 0 {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		for i, w := range want {
			if why := d.lacks(w, list[i]); why != "" {
				return fmt.Sprintf("%d: %s", i, why)
			}
		}
	case string:
		if pageID.FindString(want) == want && want != "" {
			if _, ok := d.ids[want]; !ok {
				d.ids[want], _ = got.(string)
			}
			want = d.ids[want]
		}
		if got != any(want) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
	}
	return ""
}
