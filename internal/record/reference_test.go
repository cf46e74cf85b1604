package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// A repository is its host and its path, however the clone names it, and never a secret or a place on this machine.
func TestRepoOf(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/o/r.git":                 "github.com/o/r",
		"https://github.com/o/r/":                    "github.com/o/r",
		"https://user:secret@GitHub.com/o/r.git":     "github.com/o/r",
		"https://secret@github.com:443/o/r":          "github.com/o/r",
		"http://github.com:80/o/r?token=secret#x":    "github.com/o/r",
		"https://git.example.com:8443/o/r.git":       "git.example.com:8443/o/r",
		"git@github.com:o/r.git":                     "github.com/o/r",
		"github.com:o/r.git":                         "github.com/o/r",
		"git@github.com:/o/r.git":                    "github.com/o/r",
		"ssh://git@github.com/o/r.git":               "github.com/o/r",
		"ssh://git@github.com:22/o/r.git":            "github.com/o/r",
		"ssh://git@github.com:2222/o/r.git":          "github.com:2222/o/r",
		"git://github.com/o/r":                       "github.com/o/r",
		"https://gitlab.com/group/sub/r.git":         "gitlab.com/group/sub/r",
		"github.com/o/r":                             "github.com/o/r",
		"git.example.com:8443/o/r":                   "git.example.com:8443/o/r",
		"localhost/o/r":                              "localhost/o/r",
		"":                                           "",
		"/srv/git/r.git":                             "",
		"../r":                                       "",
		"./r":                                        "",
		"file:///srv/git/r.git":                      "",
		`C:\git\r`:                                   "",
		"C:/git/r":                                   "",
		"https://github.com/../../etc":               "",
		"https://github.com/o/../../r":               "",
		"https://github.com":                         "",
		"ext::sh -c x":                               "",
		"https://github.com/o/r\nX: y":               "",
		"github.com/" + strings.Repeat("x", 500):     "",
		"https://user:secret@host with blanks/o/r":   "",
		"https://github.com:port/o/r":                "",
		"git@-oProxyCommand=x:o/r":                   "",
		"https://xn--bcher-kva.example/o/r":          "xn--bcher-kva.example/o/r",
		"https://o:p@ss@github.com/o/r":              "github.com/o/r",
		"https://github.com/o/r.git?private_token=s": "github.com/o/r",
		"user.name:secret@github.com/o/r":            "",
		"user.name:secret@github.com:o/r":            "",
		"me.x/secret@github.com/o/r":                 "",
		"https://example.com/@scope/r":               "example.com/@scope/r",
	} {
		if got := record.RepoOf(remote); got != want {
			t.Errorf("%q is %q, want %q", remote, got, want)
		} else if record.RepoOf(got) != got {
			t.Errorf("%q becomes %q when it is read again", got, record.RepoOf(got))
		}
	}
}

func TestCleanURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/a?b=c#d":                      "https://example.com/a?b=c#d",
		"https://user:secret@example.com/a":                "https://example.com/a",
		"https://secret@example.com/a":                     "https://example.com/a",
		"https://example.com/a?access_token=secret&page=2": "https://example.com/a?page=2",
		"http://example.com":                               "http://example.com",
		"ftp://example.com/":                               "",
		"javascript:alert(1)":                              "",
		"https://":                                         "",
		"example.com":                                      "",
		"":                                                 "",
		"https://example.com/\x00":                         "",
		"https://example.com/?q=token":                     "https://example.com/?q=token",
		"https://user:secret@example.com/a?private_token=se": "https://example.com/a",
		"https://example.com/a?Token=secret":                 "https://example.com/a",
		"https://example.com/a?q=1&API-Key=secret#d":         "https://example.com/a?q=1#d",
		"https://example.com/a?q=1;token=secret":             "https://example.com/a?q=1",
		"https://example.com/a?tok%65n=secret&q=%zz":         "https://example.com/a?q=%zz",
		"https://example.com/a?X-Amz-Signature=secret&q=a+b": "https://example.com/a?q=a+b",
		"https://example.com/a?b=1&sig=secret&c=%2f":         "https://example.com/a?b=1&c=%2f",
		"https://example.com/a?client_secret=secret":         "https://example.com/a",
		"https://example.com/a#access_token=secret&x=1":      "https://example.com/a#x=1",
		"https://example.com/a#id_token=secret":              "https://example.com/a",
		"https://me:secret@example.com/a%2Fb#L%2010":         "https://example.com/a%2Fb#L%2010",
		"https://example.com/?key=value&design=1":            "https://example.com/?key=value&design=1",
		"https://example.com/#token":                         "https://example.com/#token",
	} {
		if got := record.CleanURL(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		} else if record.CleanURL(got) != got {
			t.Errorf("%q becomes %q when it is read again", got, record.CleanURL(got))
		}
	}
}

// The name of a file is one that every file system takes and git commits.
func TestFileName(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	for name, want := range map[string]string{
		"a.log":                         "a.log",
		"../../etc/passwd":              "passwd",
		"größe 1.txt":                   "gr__e_1.txt",
		"a b\x00c\n.md":                 "a_b_c_.md",
		"":                              "file",
		"..":                            "file",
		"x.tmp":                         "x.tmp_",
		"X.TMP":                         "X.TMP_",
		"end.":                          "end",
		strings.Repeat("x", 300) + ".a": strings.Repeat("x", 98) + ".a",
	} {
		got := record.FileName(sum, name)
		if want = sum + "-" + want; got != want || !record.IsFileName(got) {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	if old := sum[:16] + "-a.log"; !record.IsFileName(old) {
		t.Errorf("%q is no name of a file any more", old)
	}
	for _, bad := range []string{"", "a.log", sum[:16], sum[:16] + "-", sum[:15] + "-a.log", strings.ToUpper(sum[:16]) + "-a.log", sum[:16] + "-a/b", sum[:16] + "-../b", sum[:16] + "-a."} {
		if record.IsFilePath(record.FilesFolder + "/" + bad) {
			t.Errorf("%q is taken for the name of a file", bad)
		}
	}
}

func TestReferenceValid(t *testing.T) {
	for name, tt := range map[string]struct {
		ref record.Reference
		bad string // what the error says; "" for none
	}{
		"a commit":                  {record.Reference{Type: record.CommitRef, Sha: "1234567"}, ""},
		"a pull request":            {record.Reference{Type: record.PullRef, Number: 7, State: "draft"}, ""},
		"a compare":                 {record.Reference{Type: record.CompareRef, Target: "v1...main"}, ""},
		"an actor":                  {record.Reference{Type: record.RecordRef, Target: "agent:claude-1"}, ""},
		"no type":                   {record.Reference{}, `type is ""`},
		"a commit without sha":      {record.Reference{Type: record.CommitRef}, "needs sha"},
		"a pull request of nothing": {record.Reference{Type: record.PullRef, State: "open"}, "needs number or url"},
		"what its type has not":     {record.Reference{Type: record.LinkRef, URL: "https://a.example", Sha: "1234567"}, "has no sha"},
		"a short sha":               {record.Reference{Type: record.CommitRef, Sha: "12"}, "sha is"},
		"a state of its own":        {record.Reference{Type: record.PullRef, Number: 1, State: "gone"}, "state is"},
		"a negative number":         {record.Reference{Type: record.PullRef, Number: -1}, "number is"},
		"a repo on this machine":    {record.Reference{Type: record.CommitRef, Sha: "1234567", Repo: "/srv/r"}, "repo is none"},
		"a secret in the url":       {record.Reference{Type: record.LinkRef, URL: "https://u:p@a.example"}, "url is none"},
		"a path elsewhere":          {record.Reference{Type: record.FileRef, Path: ".cairn/files/../config.yaml"}, "path is"},
		"a compare of one":          {record.Reference{Type: record.CompareRef, Target: "main"}, "target is"},
		"a record that is a path":   {record.Reference{Type: record.RecordRef, Target: "../x"}, "target is"},
		"a title on two lines":      {record.Reference{Type: record.RecordRef, Target: "T-1", Title: "a\nb"}, "title is not one line"},
		"an adder who is nobody":    {record.Reference{Type: record.RecordRef, Target: "T-1", By: "ada"}, "is not an actor"},
	} {
		err := tt.ref.Valid()
		if tt.bad == "" && err != nil || tt.bad != "" && (err == nil || !strings.Contains(err.Error(), tt.bad)) {
			t.Errorf("%s: got %v, want %q", name, err, tt.bad)
		}
	}
}

var refAt = record.Stamp{Who: "agent:a", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Session: "ses-1"}

// A reference is added once, whoever adds it; who added it takes it away, or somebody who may take away all.
func TestReferencesOfARecord(t *testing.T) {
	var h record.Header
	add := func(r record.Reference, s record.Stamp) *record.Entry {
		t.Helper()
		refs, e, err := h.AddReference(r, s)
		if err != nil {
			t.Fatal(err)
		}
		h.Refs = refs
		return e
	}
	link := record.Reference{Type: record.LinkRef, URL: "https://a.example"}
	first := add(link, refAt)
	if first == nil || first.Did != record.Updated || len(first.Said().Refs) != 1 || first.Session != "ses-1" || !first.MayDetail() {
		t.Fatalf("the entry is %+v", first)
	}
	if again := add(link, record.Stamp{Who: "agent:b"}); again != nil || len(h.Refs) != 1 || h.Refs[0].By != "agent:a" {
		t.Errorf("added again: %+v, %+v", again, h.Refs)
	}
	add(record.Reference{Type: record.LinkRef, URL: "https://b.example"}, refAt)
	other := record.Header{}
	refs, _, _ := other.AddReference(link, record.Stamp{Who: "agent:z", At: refAt.At})
	if refs[0].Ref != h.Refs[0].Ref {
		t.Errorf("elsewhere the same reference is called %s, not %s", refs[0].Ref, h.Refs[0].Ref)
	}
	link.Title = "with a title"
	if _, _, err := h.AddReference(link, refAt); record.CodeOf(err) != record.Conflict {
		t.Errorf("added with another title: %v", err)
	}

	title := "here"
	refs, e, err := h.ChangeReference(h.Refs[0].Ref[:5], record.ReferenceChange{Title: &title}, refAt)
	if err != nil || e == nil || refs[0].Title != title || h.Refs[0].Title != "" {
		t.Errorf("changed to %+v, %+v, %v", refs, e, err)
	}
	if _, e, err := h.ChangeReference(h.Refs[0].Ref, record.ReferenceChange{}, refAt); e != nil || err != nil {
		t.Errorf("a change of nothing: %+v, %v", e, err)
	}
	elsewhere := "https://c.example"
	if _, _, err := h.ChangeReference(h.Refs[0].Ref, record.ReferenceChange{URL: &elsewhere}, refAt); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("it refers to something else: %v", err)
	}

	for _, tt := range []struct {
		who  record.Actor
		all  bool
		code record.Code
	}{{"agent:b", false, record.Forbidden}, {"agent:b", true, ""}, {"agent:a", false, ""}} {
		refs, e, err := h.RemoveReference(h.Refs[0].Ref, tt.all, record.Stamp{Who: tt.who, At: refAt.At})
		if record.CodeOf(err) != tt.code || err == nil && (len(refs) != 1 || e.Said().Refs[0] != h.Refs[0].Ref) {
			t.Errorf("taken away by %s: %+v, %+v, %v", tt.who, refs, e, err)
		}
	}
	if _, _, err := h.RemoveReference("nothing!", true, refAt); record.CodeOf(err) != record.NotFound {
		t.Errorf("taken away what is not there: %v", err)
	}
	h.Refs = make([]record.Reference, record.MaxRefs)
	if _, _, err := h.AddReference(record.Reference{Type: record.LinkRef, URL: "https://d.example"}, refAt); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("one more than a record may have: %v", err)
	}
}
