package kind_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// A repository is put into the list on its own lines: comments and what else is there stay, the entry says what was
// done, and credentials are in neither.
func TestSetRepo(t *testing.T) {
	src := "prefix: SHOP # ours\nrepos:\n  - name: api # behind the site\n    path: ../api\n  - {name: docs, url: 'https://github.com/o/docs.git'}\nattest: anyone\n"
	doc, err := format.Parse([]byte(src), format.YAML)
	if err != nil {
		t.Fatal(err)
	}
	stamp := record.Stamp{Who: "human:ada"}
	got, err := kind.SetRepo(doc, kind.Repo{Name: "docs", URL: "github.com/o/docs", Role: "docs"}, stamp)
	if err == nil {
		got, err = kind.SetRepo(got, kind.Repo{Name: "web", Path: "../web", Role: "dependency", Base: "main"}, stamp)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Bytes())
	for _, want := range []string{"prefix: SHOP # ours\n", "  - name: api # behind the site\n    path: ../api\n", "attest: anyone\n", "repos: web ../web, dependency"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	c, err := kind.ParseConfig(got.Bytes())
	if err != nil || len(c.Repos) != 3 {
		t.Fatalf("got %+v, %v", c.Repos, err)
	}
	if docs, _ := c.Repo("docs"); docs != (kind.Repo{Name: "docs", URL: "github.com/o/docs", Role: "docs"}) {
		t.Errorf("docs is %+v", docs)
	}
	same, err := kind.SetRepo(got, c.Repos[2], stamp)
	if err != nil || string(same.Bytes()) != text {
		t.Errorf("the same again changes the file: %v", err)
	}
}

func TestReposThatAConfigCannotHave(t *testing.T) {
	for name, src := range map[string]string{
		"no name":        "repos: [{path: ../web}]",
		"no place":       "repos: [{name: web}]",
		"two places":     "repos: [{name: web, path: ../web, url: 'https://github.com/o/r'}]",
		"twice":          "repos: [{name: web, path: ../web}, {name: web, path: ../site}]",
		"an absolute":    "repos: [{name: web, path: /srv/web}]",
		"a role":         "repos: [{name: web, path: ../web, role: boss}]",
		"an option":      "repos: [{name: web, path: ../web, base: --upload-pack=x}]",
		"a name":         "repos: [{name: ../web, path: ../web}]",
		"a password":     "repos: [{name: web, url: 'me:secret@example.com:x'}]",
		"a local file":   "repos: [{name: web, url: 'file:///etc'}]",
		"a backslash":    `repos: [{name: web, path: '..\web'}]`,
		"a line feed":    `repos: [{name: web, path: "a\nb"}]`,
		"not a list":     "repos: {name: web}",
		"not a mapping":  "repos: [web]",
		"an empty place": "repos: [{name: web, path: ''}]",
	} {
		if c, err := kind.ParseConfig([]byte(src + "\n")); err == nil {
			t.Errorf("%s is read as %+v", name, c.Repos)
		}
	}
	c, err := kind.ParseConfig([]byte("repos: [{name: web, url: 'https://ada:secret@github.com/o/r.git'}]\n"))
	if err != nil || c.Repos[0].URL != "github.com/o/r" {
		t.Errorf("an address with credentials is read as %+v, %v", c.Repos, err)
	}
}
