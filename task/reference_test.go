package task_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
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
		if got := task.RepoOf(remote); got != want {
			t.Errorf("%q is %q, want %q", remote, got, want)
		} else if task.RepoOf(got) != got {
			t.Errorf("%q becomes %q when it is read again", got, task.RepoOf(got))
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
		if got := task.CleanURL(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		} else if task.CleanURL(got) != got {
			t.Errorf("%q becomes %q when it is read again", got, task.CleanURL(got))
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
		got := task.FileName(sum, name)
		if want = sum[:16] + "-" + want; got != want || !task.IsFileName(got) {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	for _, bad := range []string{"", "a.log", sum[:16], sum[:16] + "-", sum[:15] + "-a.log", strings.ToUpper(sum[:16]) + "-a.log", sum[:16] + "-a/b", sum[:16] + "-../b", sum[:16] + "-a."} {
		if task.IsFilePath(task.FilesFolder + "/" + bad) {
			t.Errorf("%q is taken for the name of a file", bad)
		}
	}
}

func TestReferenceValid(t *testing.T) {
	for name, tt := range map[string]struct {
		ref task.Reference
		bad string // what the error says; "" for none
	}{
		"a commit":                  {task.Reference{Type: task.CommitRef, Sha: "1234567"}, ""},
		"a pull request":            {task.Reference{Type: task.PullRef, Number: 7, State: "draft"}, ""},
		"a compare":                 {task.Reference{Type: task.CompareRef, Target: "v1...main"}, ""},
		"an actor":                  {task.Reference{Type: task.RecordRef, Target: "agent:claude-1"}, ""},
		"no type":                   {task.Reference{}, `type is ""`},
		"a commit without sha":      {task.Reference{Type: task.CommitRef}, "needs sha"},
		"a pull request of nothing": {task.Reference{Type: task.PullRef, State: "open"}, "needs number or url"},
		"what its type has not":     {task.Reference{Type: task.LinkRef, URL: "https://a.example", Sha: "1234567"}, "has no sha"},
		"a short sha":               {task.Reference{Type: task.CommitRef, Sha: "12"}, "sha is"},
		"a state of its own":        {task.Reference{Type: task.PullRef, Number: 1, State: "gone"}, "state is"},
		"a negative number":         {task.Reference{Type: task.PullRef, Number: -1}, "number is"},
		"a repo on this machine":    {task.Reference{Type: task.CommitRef, Sha: "1234567", Repo: "/srv/r"}, "repo is none"},
		"a secret in the url":       {task.Reference{Type: task.LinkRef, URL: "https://u:p@a.example"}, "url is none"},
		"a path elsewhere":          {task.Reference{Type: task.FileRef, Path: ".cairn/files/../config.yaml"}, "path is"},
		"a compare of one":          {task.Reference{Type: task.CompareRef, Target: "main"}, "target is"},
		"a record that is a path":   {task.Reference{Type: task.RecordRef, Target: "../x"}, "target is"},
		"a title on two lines":      {task.Reference{Type: task.RecordRef, Target: "T-1", Title: "a\nb"}, "title is not one line"},
		"an adder who is nobody":    {task.Reference{Type: task.RecordRef, Target: "T-1", By: "ada"}, "is not an actor"},
	} {
		err := tt.ref.Valid()
		if tt.bad == "" && err != nil || tt.bad != "" && (err == nil || !strings.Contains(err.Error(), tt.bad)) {
			t.Errorf("%s: got %v, want %q", name, err, tt.bad)
		}
	}
}

var refAt = task.Stamp{Who: "agent:a", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Session: "ses-1"}

// A reference is added once, whoever adds it; who added it takes it away, or somebody who may take away all.
func TestReferencesOfARecord(t *testing.T) {
	var h task.Header
	add := func(r task.Reference, s task.Stamp) *task.Entry {
		t.Helper()
		refs, e, err := h.AddReference(r, s)
		if err != nil {
			t.Fatal(err)
		}
		h.Refs = refs
		return e
	}
	link := task.Reference{Type: task.LinkRef, URL: "https://a.example"}
	first := add(link, refAt)
	if first == nil || first.Did != task.Updated || len(first.Said().Refs) != 1 || first.Session != "ses-1" || !first.MayDetail() {
		t.Fatalf("the entry is %+v", first)
	}
	if again := add(link, task.Stamp{Who: "agent:b"}); again != nil || len(h.Refs) != 1 || h.Refs[0].By != "agent:a" {
		t.Errorf("added again: %+v, %+v", again, h.Refs)
	}
	add(task.Reference{Type: task.LinkRef, URL: "https://b.example"}, refAt)
	other := task.Header{}
	refs, _, _ := other.AddReference(link, task.Stamp{Who: "agent:z", At: refAt.At})
	if refs[0].Ref != h.Refs[0].Ref {
		t.Errorf("elsewhere the same reference is called %s, not %s", refs[0].Ref, h.Refs[0].Ref)
	}
	link.Title = "with a title"
	if _, _, err := h.AddReference(link, refAt); task.CodeOf(err) != task.Conflict {
		t.Errorf("added with another title: %v", err)
	}

	title := "here"
	refs, e, err := h.ChangeReference(h.Refs[0].Ref[:5], task.ReferenceChange{Title: &title}, refAt)
	if err != nil || e == nil || refs[0].Title != title || h.Refs[0].Title != "" {
		t.Errorf("changed to %+v, %+v, %v", refs, e, err)
	}
	if _, e, err := h.ChangeReference(h.Refs[0].Ref, task.ReferenceChange{}, refAt); e != nil || err != nil {
		t.Errorf("a change of nothing: %+v, %v", e, err)
	}
	elsewhere := "https://c.example"
	if _, _, err := h.ChangeReference(h.Refs[0].Ref, task.ReferenceChange{URL: &elsewhere}, refAt); task.CodeOf(err) != task.InvalidInput {
		t.Errorf("it refers to something else: %v", err)
	}

	for _, tt := range []struct {
		who  task.Actor
		all  bool
		code task.Code
	}{{"agent:b", false, task.Forbidden}, {"agent:b", true, ""}, {"agent:a", false, ""}} {
		refs, e, err := h.RemoveReference(h.Refs[0].Ref, tt.all, task.Stamp{Who: tt.who, At: refAt.At})
		if task.CodeOf(err) != tt.code || err == nil && (len(refs) != 1 || e.Said().Refs[0] != h.Refs[0].Ref) {
			t.Errorf("taken away by %s: %+v, %+v, %v", tt.who, refs, e, err)
		}
	}
	if _, _, err := h.RemoveReference("nothing!", true, refAt); task.CodeOf(err) != task.NotFound {
		t.Errorf("taken away what is not there: %v", err)
	}
	h.Refs = make([]task.Reference, task.MaxRefs)
	if _, _, err := h.AddReference(task.Reference{Type: task.LinkRef, URL: "https://d.example"}, refAt); task.CodeOf(err) != task.InvalidInput {
		t.Errorf("one more than a record may have: %v", err)
	}
}

// What shows that a task was done is a commit, a pull request, or a command that passed on the files as they are.
func TestEvidenceGate(t *testing.T) {
	flow := task.Flow{States: []task.Status{"backlog", "done", "canceled"}, Initial: "backlog", Closed: []task.Status{"done", "canceled"}, Abandoned: []task.Status{"canceled"}}
	base := task.Task{ID: "T-1", Status: "backlog", RequiresEvidence: true}
	with := func(change func(*task.Task)) task.Task { t := base; change(&t); return t }
	command := task.Check{Desc: "runs", Cmd: "true", Result: task.Pass}
	key := command.Key("T-1")
	ran := task.Log{{Who: "agent:a", Did: task.Checked, Results: []task.CheckResult{{Check: key, Result: task.Pass}}, Tree: "tree"}}
	none := func(task.ID) (task.Task, bool) { return task.Task{}, false }
	for name, tt := range map[string]struct {
		t    task.Task
		to   task.Status
		code task.Code
	}{
		"nothing":                 {base, "done", task.EvidenceMissing},
		"nothing is required":     {with(func(t *task.Task) { t.RequiresEvidence = false }), "done", ""},
		"given up":                {base, "canceled", ""},
		"not closed":              {base, "backlog", ""},
		"a link":                  {with(func(t *task.Task) { t.Refs = []task.Reference{{Type: task.LinkRef}} }), "done", task.EvidenceMissing},
		"a commit":                {with(func(t *task.Task) { t.Refs = []task.Reference{{Type: task.CommitRef}} }), "done", ""},
		"a pull request":          {with(func(t *task.Task) { t.Refs = []task.Reference{{Type: task.PullRef}} }), "done", ""},
		"a command that passed":   {with(func(t *task.Task) { t.Checks, t.Provenance = []task.Check{command}, ran }), "done", ""},
		"a pass that nothing ran": {with(func(t *task.Task) { t.Checks = []task.Check{command} }), "done", task.ChecksPending},
		"a person who attested": {with(func(t *task.Task) {
			t.Checks = []task.Check{{Desc: "read", By: task.ByAnyone, Result: task.Pass}}
			t.Provenance = task.Log{{Who: "agent:a", Did: task.Attested, Results: []task.CheckResult{{Check: "read", Result: task.Pass}}}}
		}), "done", task.EvidenceMissing},
	} {
		if err := flow.Gate(tt.t, tt.to, task.Proof{Tree: "tree"}, none, "agent:a"); task.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
	closed := with(func(t *task.Task) { t.Status, t.Refs = "done", []task.Reference{{Type: task.CommitRef}} })
	bare := closed
	bare.Refs = nil
	if err := flow.KeepsEvidence(closed, bare); task.CodeOf(err) != task.EvidenceMissing {
		t.Errorf("the last evidence goes: %v", err)
	}
	if err := flow.KeepsEvidence(bare, bare); err != nil {
		t.Errorf("there was none before: %v", err)
	}
}

// Evidence is asked for no more as checks are: freely by who planned it, and once work began by a person with a reason.
func TestEvidenceIsAskedForNoMore(t *testing.T) {
	flow := task.Flow{States: []task.Status{"backlog", "doing", "done"}, Initial: "backlog", Working: "doing", Closed: []task.Status{"done"}}
	none := func(task.ID) (task.Task, bool) { return task.Task{}, false }
	stamp := func(who task.Actor, text string) task.Stamp { return task.Stamp{Who: who, At: refAt.At, Text: text} }
	planned, err := flow.Create(task.Task{ID: "T-1", Title: "x", RequiresEvidence: true}, none, stamp("agent:a", ""))
	if err != nil {
		t.Fatal(err)
	}
	begun, _, err := flow.Move(planned, "doing", task.Proof{}, none, stamp("agent:a", ""))
	if err != nil {
		t.Fatal(err)
	}
	no, yes := false, true
	for name, tt := range map[string]struct {
		t    task.Task
		edit task.Edit
		by   task.Stamp
		code task.Code
	}{
		"while planning":         {planned, task.Edit{Evidence: &no}, stamp("agent:a", ""), ""},
		"by another agent":       {planned, task.Edit{Evidence: &no}, stamp("agent:b", ""), task.Forbidden},
		"once work began":        {begun, task.Edit{Evidence: &no}, stamp("agent:a", "easier"), task.Forbidden},
		"by a person":            {begun, task.Edit{Evidence: &no, MayWeaken: true}, stamp("human:ada", ""), task.InvalidInput},
		"by a person who says":   {begun, task.Edit{Evidence: &no, MayWeaken: true}, stamp("human:ada", "there is no code"), ""},
		"it is asked for again":  {begun, task.Edit{Evidence: &yes}, stamp("agent:b", ""), ""},
		"with the checks as now": {begun, task.Edit{Evidence: &no, Checks: &[]task.Check{}}, stamp("agent:b", "x"), task.Forbidden},
	} {
		got, e, err := flow.Update(tt.t, tt.edit, task.Proof{}, none, tt.by)
		if task.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %q", name, err, tt.code)
		}
		if err == nil && e != nil && (len(e.Fields) != 1 || e.Fields[0] != "requires_evidence" || e.Checks == nil || !got.ChecksExplained()) {
			t.Errorf("%s: the entry is %+v", name, e)
		}
	}
}
