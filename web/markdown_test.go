package web

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a paragraph", "one\ntwo", "<p>one\ntwo</p>"},
		{"a break", "one  \ntwo", "<p>one<br>\ntwo</p>"},
		{"a heading", "# Head #\ntext", "<h3>Head</h3>\n<p>text</p>"},
		{"headings that skip a level", "## Head\n#### Below\n# Other", "<h3>Head</h3>\n<h4>Below</h4>\n<h3>Other</h3>"},
		{"a heading with a line below", "Head\n====", "<h3>Head</h3>"},
		{"no heading", "#12 is done", "<p>#12 is done</p>"},
		{"code", "a `x<y` b", "<p>a <code>x&lt;y</code> b</p>"},
		{"a fence", "```go\nif a < b {\n\n}\n```\nafter", "<pre tabindex=\"0\"><code>if a &lt; b {\n\n}</code></pre>\n<p>after</p>"},
		{"a fence without an end", "~~~\na", "<pre tabindex=\"0\"><code>a</code></pre>"},
		{"indented code", "    a\n\n    b", "<pre tabindex=\"0\"><code>a\n\nb</code></pre>"},
		{"emphasis", "**a** *b* _c_ ~~d~~ __e__", "<p><strong>a</strong> <em>b</em> <em>c</em> <del>d</del> <strong>e</strong></p>"},
		{"emphasis within", "**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"},
		{"names with underscores", "read_the_file and in_progress", "<p>read_the_file and in_progress</p>"},
		{"stars that are none", "2 * 3 * 4 and a*", "<p>2 * 3 * 4 and a*</p>"},
		{"an escape", `\*a\* \<b`, "<p>*a* &lt;b</p>"},
		{"a list", "- a\n- b\n  more\n\nafter", "<ul>\n<li>a</li>\n<li>b\nmore</li>\n</ul>\n<p>after</p>"},
		{"a list in a list", "1. a\n   - b\n2. c", "<ol>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>"},
		{"boxes", "- [ ] a\n- [x] b", "<ul>\n<li>☐ a</li>\n<li>☑ b</li>\n</ul>"},
		{"code in a list", "- a\n\n  ```\n  x\n  ```", "<ul>\n<li>a<pre tabindex=\"0\"><code>x</code></pre>\n</li>\n</ul>"},
		{"a quote", "> a\n> b", "<blockquote>\n<p>a\nb</p>\n</blockquote>"},
		{"a rule", "a\n\n---\n\nb", "<p>a</p>\n<hr>\n<p>b</p>"},
		{"a table", "| a | b |\n|---|--:|\n| `x` | y\\|z |", "<table><thead><tr><th>a</th><th>b</th></tr>\n</thead><tbody><tr><td><code>x</code></td><td>y|z</td></tr>\n</tbody></table>"},
		{"a link", "see [the *page*](https://a.example/x?y=1&z=2)", `<p>see <a rel="noopener noreferrer" href="https://a.example/x?y=1&amp;z=2">the *page</a></p>`},
		{"an address", "see https://a.example/x.", `<p>see <a rel="noopener noreferrer" href="https://a.example/x">https://a.example/x</a>.</p>`},
		{"an image", "![a pixel](https://a.example/p.png)", `<p><a rel="noopener noreferrer" href="https://a.example/p.png">a pixel</a></p>`},
		{"a link that runs", "[x](javascript:alert(1))", "<p>x)</p>"},
		{"a link that is data", "[x](data:text/html,y)", "<p>x</p>"},
		{"tags", "<b onclick=x>y</b> <!-- z -->", "<p>&lt;b onclick=x&gt;y&lt;/b&gt; &lt;!-- z --&gt;</p>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimSpace(string(markdown(tt.src))); got != tt.want {
				t.Errorf("%q\nis   %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

// A text that was made to cost much costs little, and its end is there.
func TestMarkdownOfHostileLength(t *testing.T) {
	for _, part := range []string{"*", "**a", "[", "[a](", "`", "> ", "- ", "  - a\n", "|", "_a ", "http://", "<", "\\", "```\n", "1. "} {
		if got := string(markdown(strings.Repeat(part, markMost/len(part)-1) + " END")); !strings.Contains(got, "END") {
			t.Errorf("%q: the end is not there", part)
		}
	}
	if got := markdown(strings.Repeat("**a** ", markMost)); strings.Contains(string(got), "<strong>") {
		t.Error("a text that is too long is not shown as it stands")
	}
}

var ownTags = regexp.MustCompile(`</?(?:p|h[3-6]|ul|ol|li|pre|code|strong|em|del|blockquote|table|thead|tbody|tr|th|td|hr|br|a)(?: tabindex="0"| rel="noopener noreferrer" href="(?:https?://|mailto:)[^"<>]*")?>`)

// Texts put together at random of what means something to Markdown have no tags of their own either.
func TestMarkdownOfRandomPieces(t *testing.T) {
	pieces := []string{
		"*", "**", "_", "~~", "`", "``", "```\n", "~~~", "[", "](", ")", "![", "<", ">", "\"", "'", "&", "\\", "\n", "\n\n", "    ", "\t", "- ", "1. ", "> ", "# ", "| ", "|---|\n", "---\n", "===\n",
		"http://a.example/", "javascript:alert(1)", "data:text/html,x", "<script>", "</pre>", "onerror=x", hostile, "a", " ", "é", "\u202e", "\x00", "☐", "[x] ",
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, seed))
	for range 20_000 {
		var src strings.Builder
		for range random.IntN(40) {
			src.WriteString(pieces[random.IntN(len(pieces))])
		}
		if rest := ownTags.ReplaceAllString(string(markdown(src.String())), ""); strings.ContainsAny(rest, "<>") {
			t.Fatalf("seed %d: %q has tags of its own: %q", seed, src.String(), rest)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{hostile, "- a\n  - b\n\n1) c", "| a |\n|---|\n| b", "[a](http://x \"<b>\")", "`` ` ``", "![](x)", "<http://a\"b>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := string(markdown(src))
		if rest := ownTags.ReplaceAllString(got, ""); strings.ContainsAny(rest, "<>") {
			t.Errorf("%q has tags of its own: %q", src, rest)
		}
	})
}
