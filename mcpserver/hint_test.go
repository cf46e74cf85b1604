package mcpserver

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// A call in a hint is a tool for a client and a command for a person. What is no tool, and what only a person may do,
// is a command for both.
func TestCallsAreSpelledByTheFrontEnd(t *testing.T) {
	id := record.ID("PROJ-7")
	for _, tt := range []struct {
		call       record.Call
		tool, line string
	}{
		{record.CallTo("get", "id", id), "the tool get with id PROJ-7", "cairn show PROJ-7"},
		{record.CallTo("run_checks", "id", id, "only", []int{0}), "the tool run_checks with id PROJ-7, only 0", "cairn run-checks PROJ-7 --only 0"},
		{record.CallTo("attest", "id", id, "check", 0, "pass", true), "the tool attest with id PROJ-7, check 0, pass true", "cairn attest PROJ-7 0 --pass"},
		{record.CallTo("attest", "id", id, "check", 0, "pass", false), "the tool attest with id PROJ-7, check 0, pass false", "cairn attest PROJ-7 0 --fail"},
		{record.CallTo("update", "id", id, "remove_deps", "PROJ-8"), "the tool update with id PROJ-7, remove_deps PROJ-8", "cairn update PROJ-7 --remove-dep PROJ-8"},
		{record.CallTo("cancel", "session", "ses-1"), "the tool cancel with session ses-1", "cairn cancel ses-1"},
		{record.CallTo("get_session", "session", "ses_02"), "the tool get_session with session ses_02", "cairn get-session ses_02"},
		{record.CallTo("list", "ready", true), "the tool list with ready true", "cairn ready"},
		{record.CallTo("list_sessions"), "the tool list_sessions", "cairn list-sessions"},
		{record.CallTo("attest", "id", id, "check", 0, "pass", record.Either).ByPerson(), "cairn attest PROJ-7 0 --pass|--fail", "cairn attest PROJ-7 0 --pass|--fail"},
		{record.CallTo("update", "id", id).ByPerson(), "cairn update PROJ-7", "cairn update PROJ-7"},
		{record.CallTo("trust"), "cairn trust", "cairn trust"},
		{record.CallTo("init"), "cairn init", "cairn init"},
		{record.CallTo("serve"), "cairn serve", "cairn serve"},
		{record.CallTo("doctor", "fix", true), "cairn doctor --fix", "cairn doctor --fix"},
		{record.CallTo("trust signer add", "", "human:ada", "", "KEY.pub"), "cairn trust signer add human:ada KEY.pub", "cairn trust signer add human:ada KEY.pub"},
	} {
		if got := inTools(verb.Rights{Profile: verb.Maintainer})(tt.call); got != tt.tool {
			t.Errorf("for a client: got %q, want %q", got, tt.tool)
		}
		if got := catalogue.CommandLine(tt.call); got != tt.line {
			t.Errorf("for a person: got %q, want %q", got, tt.line)
		}
	}
}

// A hint names as a tool what the caller is offered, and nothing else; for another verb it is the command.
func TestHintsNameToolsThatTheCallerHas(t *testing.T) {
	for _, rights := range append(everyRight(), defaultRights()...) {
		spell := inTools(rights)
		for _, v := range catalogue.All {
			got := spell(record.CallTo(v.Name))
			if want := offered(rights, v.Name); strings.HasPrefix(got, "the tool "+v.Name) != want || strings.HasPrefix(got, "cairn ") == want {
				t.Fatalf("for %+v: %s is %q", rights, v.Name, got)
			}
		}
	}
	for _, dir := range []string{"internal", "task", "session", "store", "mcpserver", "check"} {
		eachHint(t, filepath.Join("..", dir), func(at string, parts []ast.Expr) {
			for _, word := range wordsOutsideCalls(parts) {
				if _, isVerb := catalogue.Named(word); isVerb && strings.Contains(word, "_") {
					t.Errorf("%s names %s, which its reader may not have: use record.CallTo", at, word)
				}
			}
		})
	}
}

// defaultRights are those that a server has which was told a profile, or that of a job.
func defaultRights() (all []verb.Rights) {
	for profile := verb.Viewer; profile <= verb.Maintainer; profile++ {
		all = append(all, verb.Rights{Profile: profile, Toolsets: profile.Toolsets()})
	}
	return all
}

// wordsOutsideCalls are the words of a hint, without those of the calls in it.
func wordsOutsideCalls(parts []ast.Expr) (words []string) {
	for _, part := range parts {
		ast.Inspect(part, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				return calledName(call) != "CallTo"
			}
			if lit, ok := n.(*ast.BasicLit); ok {
				words = append(words, anyWord.FindAllString(lit.Value, -1)...)
			}
			return true
		})
	}
	return words
}

// What a tool says of itself names no tool that its reader is not offered by default. Some names are English words too.
func TestToolsNameToolsThatTheCallerHas(t *testing.T) {
	english := []string{"attest", "create", "inbox", "logs", "next", "start", "status", "take", "wait"}
	for _, rights := range defaultRights() {
		for _, v := range catalogue.All {
			if !offered(rights, v.Name) {
				continue
			}
			for _, word := range anyWord.FindAllString(string(marshal(tool(v, ""))), -1) {
				if _, isVerb := catalogue.Named(word); isVerb && !offered(rights, word) && !slices.Contains(english, word) {
					t.Errorf("%s names %s, which a %s does not have", v.Name, word, rights.Profile)
				}
			}
		}
	}
}

// No hint spells a command: each front-end does that itself, in its own way.
func TestHintsSpellNoCommand(t *testing.T) {
	hints, calls := 0, 0
	for _, dir := range []string{"internal", "task", "session", "store", "mcpserver", "check"} {
		eachHint(t, filepath.Join("..", dir), func(at string, parts []ast.Expr) {
			hints++
			for _, part := range parts {
				ast.Inspect(part, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.BasicLit:
						if strings.Contains(strings.ReplaceAll(n.Value, "-n cairn ", ""), "cairn ") {
							t.Errorf("%s spells a command: %s", at, n.Value)
						}
					case *ast.Ident:
						if n.Name == "CallTo" {
							calls++
						}
					}
					return true
				})
			}
		})
	}
	if hints < 150 || calls < 30 {
		t.Errorf("found %d hints with %d calls", hints, calls)
	}
}

// eachHint visits the arguments of WithHint and of Hintf in the source.
func eachHint(t *testing.T, dir string, visit func(at string, parts []ast.Expr)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := calledName(call); name == "WithHint" || name == "Hintf" {
				visit(files.Position(call.Pos()).String(), call.Args)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// calledName is the name of the function or method that is called, without its package.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// A failure over MCP has its hint in tools, whatever its code, and the one call in it as the next tool.
func TestEveryCodeHasItsHintInTools(t *testing.T) {
	for _, info := range record.Codes {
		err := record.Errorf(info.Code, "no").WithHint("%s says more", record.CallTo("get", "id", "PROJ-7"))
		got, failure := result(catalogue.FailureOf(err, verb.Rights{}, inTools(verb.Rights{})), true)
		if failure != nil {
			t.Fatal(failure)
		}
		var answer catalogue.Failure
		if err := json.Unmarshal(got.StructuredContent.(json.RawMessage), &answer); err != nil {
			t.Fatal(err)
		}
		body := answer.Error
		if body.Hint != "the tool get with id PROJ-7 says more" || body.Code != info.Code || body.NextTool != "get" || body.NextArguments["id"] != "PROJ-7" {
			t.Errorf("%s: %+v", info.Code, body)
		}
	}
}
