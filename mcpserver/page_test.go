package mcpserver

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
)

var (
	anyWord    = regexp.MustCompile(`[a-z_]+`)
	quotedWord = regexp.MustCompile("`([a-z_]+)(?:\\([^`]*)?`")
)

// No page names a tool that its reader is not offered, whatever the server's rights: in the guide tools stand in
// backticks, elsewhere no verb's name is used as a plain word.
func TestPagesNameNoToolThatIsMissing(t *testing.T) {
	pages := map[string]string{"instructions": instructions, "guide": guide}
	for _, p := range prompts {
		pages[p.name] = p.page
	}
	named := map[string]bool{}
	for _, rights := range everyRight() {
		for name, page := range pages {
			if p := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == name }); p >= 0 &&
				!slices.ContainsFunc(prompts[p].verbs, func(v string) bool { return offered(rights, v) }) {
				continue // it is not offered
			}
			got := text(page, rights)
			words := anyWord.FindAllString(strings.ReplaceAll(got, guideURI, ""), -1)
			if name == "guide" {
				words = nil
				for _, hit := range quotedWord.FindAllStringSubmatch(got, -1) {
					words = append(words, hit[1])
				}
			}
			for _, word := range words {
				if _, isVerb := catalogue.Named(word); !isVerb {
					continue
				}
				named[word] = true
				if !offered(rights, word) {
					t.Errorf("%s for %+v names %s:\n%s", name, rights, word, got)
				}
			}
			if n := utf8.RuneCountInString(got); name == "instructions" && n >= 1500 {
				t.Errorf("the instructions for %+v have %d characters", rights, n)
			}
			if strings.Contains(got, "{{") || strings.Contains(got, "\n\n\n") {
				t.Errorf("%s for %+v reads\n%s", name, rights, got)
			}
		}
		if t.Failed() {
			return
		}
	}
	if len(named) < 15 {
		t.Errorf("the pages name %d tools in all", len(named))
	}
}

// everyRight is every combination of what a server can be started with.
func everyRight() (all []verb.Rights) {
	sets := []verb.Toolset{verb.Core, verb.Edit, verb.Plans, verb.Records, verb.Admin}
	for profile := verb.Viewer; profile <= verb.Maintainer; profile++ {
		for which := range 1 << len(sets) {
			toolsets := []verb.Toolset{}
			for i, set := range sets {
				if which>>i&1 == 1 {
					toolsets = append(toolsets, set)
				}
			}
			for _, r := range []verb.Rights{{}, {ReadOnly: true}, {Scope: "PROJ-1"}} {
				r.Profile, r.Toolsets = profile, toolsets
				all = append(all, r)
			}
		}
	}
	return all
}

// Each kind of record that a verb reads has a template, whose ids can be completed.
func TestEveryKindThatIsReadHasATemplate(t *testing.T) {
	found := templates()
	if len(found) < 2 {
		t.Fatalf("found %d templates", len(found))
	}
	for _, r := range found {
		if _, known := kind.Named(r.kind); r.argument == "" || !known {
			t.Errorf("%s: the argument is %q, and its ids can be completed: %v", r.uri, r.argument, known)
		}
	}
}
