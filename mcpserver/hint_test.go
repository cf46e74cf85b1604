package mcpserver

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
)

// Hints that name commands are said in tools.
func TestHintsSpeakOfTools(t *testing.T) {
	for hint, want := range map[string]string{
		"cairn show PROJ-7":                                             "the tool get with id PROJ-7",
		"cairn run-checks PROJ-7 --only 0":                              "the tool run_checks with id PROJ-7, only 0",
		"cairn attest PROJ-7 0 --pass, once it is as the check demands": "the tool attest with id PROJ-7, check 0, pass true, once it is as the check demands",
		"cairn update PROJ-7 --remove-dep PROJ-8 lets it go":            "the tool update with id PROJ-7, remove_deps PROJ-8 lets it go",
		"cairn cancel ses-1 with a reason ends the session":             "the tool cancel with session ses-1 with a reason ends the session",
		"take another task: cairn ready":                                "take another task: the tool list with ready true",
		"cairn list-sessions shows them":                                "the tool list_sessions shows them",
		"cairn get-session ses_02 and cairn list":                       "the tool get_session with session ses_02 and the tool list",
		"read them, then a person runs cairn trust":                     "read them, then a person runs cairn trust",
		"a person runs cairn attest PROJ-7 0 --pass":                    "a person runs cairn attest PROJ-7 0 --pass",
		"ask a person to run cairn update PROJ-7 with a reason":         "ask a person to run cairn update PROJ-7 with a reason",
		"cairn init makes one":                                          "cairn init makes one",
		"the MCP server (cairn serve) usually runs outside the sandbox": "the MCP server (cairn serve) usually runs outside the sandbox",
		"cairn reads and writes nothing through links":                  "cairn reads and writes nothing through links",
		"cairn doctor --fix drops what the clone knows of it":           "cairn doctor --fix drops what the clone knows of it",
	} {
		if got := inTools(hint); got != want {
			t.Errorf("%q becomes\n%q, not\n%q", hint, got, want)
		}
	}
}

var hinted = regexp.MustCompile(`WithHint\(("(?:[^"\\]|\\.)*")`)

// No hint in the code of any error, said over MCP, sends a client to a command for what it has a tool for.
func TestNoHintSendsToTheCommandLine(t *testing.T) {
	hints, commands := 0, 0
	for _, dir := range []string{"task", "session", "store", "verb", "check", "mcpserver"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			for _, m := range hinted.FindAllStringSubmatch(string(src), -1) {
				hint, err := strconv.Unquote(m[1])
				if err != nil {
					return err
				}
				hints++
				said := inTools(strings.NewReplacer("%s", "PROJ-7", "%d", "0", "%v", "PROJ-7", "%q", `"x"`).Replace(hint))
				if said != hint {
					commands++
				}
				if sent := sentTo(said); sent != "" {
					t.Errorf("%s: %q sends a client to %q", path, hint, sent)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if hints < 100 || commands < 5 {
		t.Errorf("%d hints, of which %d name commands", hints, commands)
	}
}

// sentTo is the first command of a verb that a text has for anybody but a person, or "".
func sentTo(text string) string {
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		if _, _, ok := verbOf(m[2]); ok && m[1] == "" {
			return m[0]
		}
	}
	return ""
}

// The words of every code pass through: a failure over MCP has its hint in tools, whatever its code.
func TestEveryCodeHasItsHintInTools(t *testing.T) {
	for _, info := range task.Codes {
		err := task.Errorf(info.Code, "no").WithHint("cairn show PROJ-7")
		got, failure := failed(err, verb.Workspace{})
		if failure != nil {
			t.Fatal(failure)
		}
		var said catalogue.Failure
		if err := json.Unmarshal(got.StructuredContent.(json.RawMessage), &said); err != nil {
			t.Fatal(err)
		}
		body := said.Error
		if body.Hint != "the tool get with id PROJ-7" || body.Code != info.Code {
			t.Errorf("%s: %+v", info.Code, body)
		}
	}
}
