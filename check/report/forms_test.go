package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/xeipuuv/gojsonschema"
)

// The JSON has these fields, sorted, and nothing that differs between two runs.
func TestJSON(t *testing.T) {
	for name, r := range reports {
		dec := json.NewDecoder(bytes.NewReader(write(t, r)["json"]))
		dec.DisallowUnknownFields()
		var got struct {
			Schema     int
			Base, Head string
			Summary    map[proof.Severity]int
			Findings   []proof.Finding
			Hidden     []string `json:"hidden_characters"` // texts that hide something
		}
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Schema != 1 || got.Base != r.Base || got.Head != r.Head || got.Findings == nil || !slices.Equal(got.Findings, r.Findings) {
			t.Errorf("%s: got %+v", name, got)
		}
		if hides := len(got.Hidden) > 0; hides != (name == "findings") {
			t.Errorf("%s: got hidden %q", name, got.Hidden)
		}
		if total := got.Summary[proof.Error] + got.Summary[proof.Warning] + got.Summary[proof.Notice]; total != len(r.Findings) || len(got.Summary) != 3 {
			t.Errorf("%s: got summary %v", name, got.Summary)
		}
	}
}

// The SARIF is valid by the schema of OASIS.
func TestSARIFIsValid(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "schema", "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(src))
	if err != nil {
		t.Fatal(err)
	}
	complaints := func(doc []byte) []gojsonschema.ResultError {
		t.Helper()
		result, err := schema.Validate(gojsonschema.NewBytesLoader(doc))
		if err != nil {
			t.Fatal(err)
		}
		return result.Errors()
	}
	valid := write(t, reports["findings"])["sarif"]
	for name, r := range reports {
		for _, wrong := range complaints(write(t, r)["sarif"]) {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	for what, change := range map[string][2]string{
		"no runs":        {`"runs"`, `"walks"`},
		"another level":  {`"level": "error"`, `"level": "fatal"`},
		"the line 0":     {`"startLine": 3`, `"startLine": 0`},
		"a relative URI": {`"informationUri": "https:`, `"informationUri": "`},
	} {
		broken := bytes.Replace(valid, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(broken, valid) || len(complaints(broken)) == 0 {
			t.Errorf("%s: the schema takes it, so it checks nothing", what)
		}
	}
}

// scanned is the part of SARIF that code scanning shows.
type scanned struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct{ ID string }
			}
		}
		Results []struct {
			RuleID              string
			RuleIndex           int
			Level               string
			Message             struct{ Text string }
			PartialFingerprints map[string]string
			Locations           []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
		}
	}
}

// Each finding has its rule, its line and a fingerprint of its own.
func TestSARIFSaysWhatWasFound(t *testing.T) {
	r := reports["findings"]
	var got scanned
	if err := json.Unmarshal(write(t, r)["sarif"], &got); err != nil {
		t.Fatal(err)
	}
	run, names := got.Runs[0], map[string]bool{}
	if len(run.Results) != len(r.Findings) {
		t.Fatalf("%d results of %d findings", len(run.Results), len(r.Findings))
	}
	for i, f := range r.Findings {
		res := run.Results[i]
		place := res.Locations[0].PhysicalLocation
		path, err := url.PathUnescape(place.ArtifactLocation.URI)
		if err != nil || path != "services/shop/"+f.Path || place.Region.StartLine != f.Line {
			t.Errorf("finding %d is at %+v (%v)", i, place, err)
		}
		if id := run.Tool.Driver.Rules[res.RuleIndex].ID; res.RuleID != string(f.Rule) || id != res.RuleID {
			t.Errorf("finding %d is of rule %s, %s", i, res.RuleID, id)
		}
		names[res.PartialFingerprints["cairn/v1"]] = true
	}
	if len(names) != len(r.Findings) {
		t.Errorf("%d findings have %d names", len(r.Findings), len(names))
	}
}

// allowed is what an element may have by the schema for JUnit of Jenkins' xUnit plugin (junit-10.xsd): its attributes,
// the required ones first, and the elements in it.
var allowed = map[string]struct {
	required, optional, children []string
}{
	"testsuites": {nil, []string{"name", "time", "tests", "failures", "errors"}, []string{"testsuite"}},
	"testsuite": {
		[]string{"name", "tests", "failures", "errors"},
		[]string{"time", "skipped", "timestamp", "hostname", "id", "package", "file"},
		[]string{"properties", "testcase", "system-out", "system-err"},
	},
	"testcase":   {[]string{"name"}, []string{"time", "classname"}, []string{"skipped", "error", "failure", "system-out", "system-err"}},
	"failure":    {nil, []string{"type", "message"}, nil},
	"system-out": {nil, nil, nil},
}

var junitTime = regexp.MustCompile(`^[0-9]+\.[0-9]{3}$`)

// No validator of XML schemas in Go works without C, so the test compares the structure with the schema itself.
func TestJUnitIsValid(t *testing.T) {
	for name, r := range reports {
		dec := xml.NewDecoder(bytes.NewReader(write(t, r)["junit"]))
		var open []string
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				holdElement(t, open, e)
				open = append(open, e.Name.Local)
			case xml.EndElement:
				open = open[:len(open)-1]
			}
		}
	}
}

func holdElement(t *testing.T, open []string, e xml.StartElement) {
	t.Helper()
	rule, ok := allowed[e.Name.Local]
	if !ok || len(open) == 0 != (e.Name.Local == "testsuites") {
		t.Errorf("%s may not stand in %v", e.Name.Local, open)
	}
	if len(open) > 0 && !slices.Contains(allowed[open[len(open)-1]].children, e.Name.Local) {
		t.Errorf("%s may not stand in %s", e.Name.Local, open[len(open)-1])
	}
	var has []string
	for _, a := range e.Attr {
		has = append(has, a.Name.Local)
		if !slices.Contains(rule.required, a.Name.Local) && !slices.Contains(rule.optional, a.Name.Local) {
			t.Errorf("%s may not have %s", e.Name.Local, a.Name.Local)
		}
		if a.Name.Local == "time" && !junitTime.MatchString(a.Value) {
			t.Errorf("%s takes the time %q", e.Name.Local, a.Value)
		}
	}
	for _, must := range rule.required {
		if !slices.Contains(has, must) {
			t.Errorf("%s lacks %s", e.Name.Local, must)
		}
	}
}

// suites is the part of JUnit that readers use.
type suites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Suites   []struct {
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Data    string `xml:",chardata"`
			} `xml:"failure"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// There is a case for each rule and file. It fails if one of its findings fails the check, and has the other findings
// as output.
func TestJUnitSaysWhatWasFound(t *testing.T) {
	var got suites
	if err := xml.Unmarshal(write(t, reports["findings"])["junit"], &got); err != nil {
		t.Fatal(err)
	}
	var failed, passed []string
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed = append(failed, s.Name+": "+c.Name)
			}
			if c.Out != "" {
				passed = append(passed, s.Name+": "+c.Name)
			}
		}
	}
	want := []string{
		"file: bad-yaml services/shop/.cairn/tasks/A 1,b::c%25\\n<d>.md",
		"gate: closed-unpassed services/shop/.cairn/tasks/A-1.md",
		"run: A-2: vet",
	}
	if !slices.Equal(failed, want) || got.Failures != len(want) {
		t.Errorf("%d cases fail: got %q, want %q", got.Failures, failed, want)
	}
	want = []string{
		"gate: evidence-unhashed services/shop/.cairn/tasks/A-2.md",
		"hygiene: unknown-config-key services/shop/.cairn/config.yaml",
	}
	if !slices.Equal(passed, want) {
		t.Errorf("cases with output: got %q, want %q", passed, want)
	}
	if got.Tests < len(proof.Rules) {
		t.Errorf("got %d cases, want one for each rule at least", got.Tests)
	}
}

// GitLab requires of a Code Quality report these fields in each issue, its own grades, paths without ./, and distinct
// fingerprints.
func TestGitLab(t *testing.T) {
	for name, r := range reports {
		dec := json.NewDecoder(bytes.NewReader(write(t, r)["gitlab"]))
		dec.DisallowUnknownFields()
		var got []struct {
			Description string
			CheckName   string `json:"check_name"`
			Fingerprint string
			Severity    string
			Location    struct {
				Path  string
				Lines struct{ Begin int }
			}
		}
		if err := dec.Decode(&got); err != nil || got == nil {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		seen := map[string]bool{}
		for _, is := range got {
			if is.Description == "" || is.CheckName == "" || is.Location.Path == "" || strings.HasPrefix(is.Location.Path, "./") ||
				is.Location.Lines.Begin < 1 || !slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, is.Severity) {
				t.Errorf("%s: %+v", name, is)
			}
			seen[is.Fingerprint] = true
		}
		if len(seen) != len(r.Findings) {
			t.Errorf("%s: %d findings have %d fingerprints", name, len(r.Findings), len(seen))
		}
	}
}

// A finding keeps its fingerprint when its line moves and when other findings come before it.
func TestFingerprintsOutliveEdits(t *testing.T) {
	r := reports["findings"]
	before := gitlabNames(t, write(t, r)["gitlab"])
	r.Findings = slices.Clone(r.Findings[1:])
	for i := range r.Findings {
		r.Findings[i].Line += 10
		r.Findings[i].Severity = proof.Warning
	}
	if after := gitlabNames(t, write(t, r)["gitlab"]); !slices.Equal(after, before[1:]) {
		t.Errorf("got %v, want %v", after, before[1:])
	}
}

func gitlabNames(t *testing.T, src []byte) []string {
	t.Helper()
	var issues []struct{ Fingerprint string }
	if err := json.Unmarshal(src, &issues); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, is := range issues {
		out = append(out, is.Fingerprint)
	}
	return out
}

var annotation = regexp.MustCompile(`^::(error|warning|notice) file=([^,:]+)(,line=[0-9]+)?,title=cairn [a-z-]+::(.*)$`)

// unescape decodes a property as GitHub's runner does.
var unescape = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")

// A message cannot end its command and begin another.
func TestGitHubCommandsAreOurs(t *testing.T) {
	r := reports["findings"]
	lines := strings.Split(strings.TrimSpace(string(write(t, r)["github"])), "\n")
	if len(lines) != len(r.Findings) {
		t.Fatalf("%d lines for %d findings", len(lines), len(r.Findings))
	}
	for _, line := range lines {
		m := annotation.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%q is no command of ours", line)
			continue
		}
		if path := unescape.Replace(m[2]); !strings.HasPrefix(path, "services/shop/.cairn/") || strings.Contains(m[4], "100%0A") {
			t.Errorf("%q is about %q", line, path)
		}
	}
}

// GitHub silently drops annotations beyond ten of a kind, so the output says how many are only in the summary.
func TestGitHubShowsTenOfAKind(t *testing.T) {
	got := write(t, reports["many"])
	lines := strings.Split(strings.TrimSpace(string(got["github"])), "\n")
	var rest []string
	count := map[string]int{}
	for _, line := range lines {
		if m := annotation.FindStringSubmatch(line); m != nil {
			count[m[1]]++
			continue
		}
		rest = append(rest, line)
	}
	if count["error"] != 10 || count["warning"] != 10 || count["notice"] != 1 {
		t.Errorf("got %v", count)
	}
	if want := []string{"and 2 errors more, in the summary of the job", "and 1 warning more, in the summary of the job"}; !slices.Equal(rest, want) {
		t.Errorf("got %q, want %q", rest, want)
	}
	if rows := strings.Count(string(got["summary"]), "\n| "); rows != 24+1 {
		t.Errorf("the summary has %d rows", rows)
	}
}

// GitHub refuses a summary of more than 1 MiB, so a long one is cut and says so.
func TestLongSummaryIsCut(t *testing.T) {
	var b strings.Builder
	if err := many(20_000, 0, 0).Summary(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if len(got) > 1<<20 || !regexp.MustCompile(`\nand [0-9]+ more\n$`).MatchString(got) {
		t.Errorf("it has %d bytes and ends with %q", len(got), got[len(got)-60:])
	}
}
