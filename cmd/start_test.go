package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// unlinked are packages that may not come back into the program, with those below them, and what they are.
var unlinked = []struct{ name, what string }{
	{"github.com/ProtonMail/go-crypto", "OpenPGP, of go-git's signatures"},
	{"github.com/go-git/go-git/v5/plumbing/object", "go-git's commits and trees, which bring OpenPGP; git reads them for cairn"},
	{"github.com/go-git/go-git/v5/plumbing/transport", "go-git's ways to fetch and push, which cairn does not"},
	{"github.com/modelcontextprotocol/go-sdk", "the MCP client of tests and examples"},
	{"github.com/owenrumney/go-sarif", "the types of all of SARIF, and a validator of schemas"},
	{"github.com/santhosh-tekuri/jsonschema/v6/kind", "a part of the validator of schemas that go.work replaces"},
	{"github.com/xeipuuv/gojsonschema", "a validator of schemas, for tests"},
	{"runtime/cgo", "the C library of the machine, and a slower start"},
	{"testing", "for tests"},
}

// costly are the packages that may allocate more than maxAllocs times before main begins, and what they make. None is
// ours.
var costly = map[string]string{
	"github.com/go-git/go-git/v5/internal/url":   "patterns",
	"github.com/itchyny/gojq":                    "the functions of jq that are written in jq, already parsed",
	"github.com/google/jsonschema-go/jsonschema": "the keywords of a schema, by reflection",
	"golang.org/x/crypto/ssh":                    "lists of algorithms",
	"gopkg.in/yaml.v3":                           "the words that are no text",
}

// maxAllocs is so small that most patterns which are compiled before main begins go beyond it.
const maxAllocs = 60

// A command pays at its start for what it links: each package brings pages to load, and what it sets up before main
// begins. A package that comes or goes shows in testdata/linked.golden; some may not come back. Packages and
// allocations are counted, and no time is measured.
func TestStart(t *testing.T) {
	shipped := asShipped(t)
	linked := strings.Fields(output(t, append(shipped, "GOOS=linux", "GOARCH=amd64"), "go", "list", "-deps", "./cairn"))
	for _, name := range linked {
		for _, not := range unlinked {
			if name == not.name || strings.HasPrefix(name, not.name+"/") {
				t.Errorf("the program links %s: %s", name, not.what)
			}
		}
	}
	linked = slices.DeleteFunc(linked, func(name string) bool { // the standard library
		first, _, _ := strings.Cut(name, "/")
		return !strings.Contains(first, ".") || strings.HasPrefix(name, "vendor/")
	})
	slices.Sort(linked)
	got, golden := strings.Join(linked, "\n")+"\n", filepath.Join("testdata", "linked.golden")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the program links other packages than %s says; see what brought them, then make update. It links:\n%s", golden, got)
	}
}

// TestSlowStart compiles all of the program as it is shipped, the standard library too.
func TestSlowStart(t *testing.T) {
	slowtest.Skip(t)
	shipped := asShipped(t)
	if runtime.GOOS == "windows" {
		t.Skip("there golang.org/x/sys sets up hundreds of system calls")
	}
	bin, dir := filepath.Join(t.TempDir(), "cairn"), t.TempDir()
	output(t, shipped, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cairn")
	output(t, nil, bin, "-C", dir, "init", "--prefix", "T")
	inits := allocations(t, output(t, []string{"GODEBUG=inittrace=1"}, bin, "-C", dir, "list"))
	for name, n := range inits {
		first, _, _ := strings.Cut(name, "/")
		if _, known := costly[name]; !known && n > maxAllocs && strings.Contains(first, ".") {
			t.Errorf("%s allocates %d times before main begins, and %d are allowed: do it at first use", name, n, maxAllocs)
		}
	}
	for name := range costly {
		if inits[name] <= maxAllocs {
			t.Errorf("%s allocates %d times before main begins, so it need not be listed", name, inits[name])
		}
	}
}

// asShipped is the environment in which make build compiles the program.
func asShipped(t *testing.T) []string {
	t.Helper()
	work, err := filepath.Abs(filepath.Join("..", "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"GOWORK=" + work, "GOFLAGS=", "CGO_ENABLED=0"}
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) allocs$`)

// allocations reads how often each package allocated before main began.
func allocations(t *testing.T, trace string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		out[strings.ReplaceAll(m[1], "%2e", ".")] = n
	}
	if len(out) == 0 {
		t.Fatalf("there is no trace in %q", trace)
	}
	return out
}

// output runs a command and returns what it prints on both streams.
func output(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}
