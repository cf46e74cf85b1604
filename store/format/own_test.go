package format

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// mustReadAlike fails if ownTree takes the YAML of a file, and yaml.v3 makes anything else of it or checkTree says
// anything else of that. It reports whether ownTree takes it.
func mustReadAlike(t testing.TB, src []byte, kind Kind) (taken bool) {
	t.Helper()
	if err := readAlike(src, kind, &taken); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return taken
}

func readAlike(src []byte, kind Kind, taken *bool) error {
	d, err := split(src, kind)
	if err != nil {
		return nil
	}
	own := ownTree(d.Front())
	if *taken = own != nil; !*taken {
		return nil
	}
	want, err := yamlTree(d.locator)
	if err != nil {
		return fmt.Errorf("yaml.v3 refuses what is in cairn's own form: %w", err)
	}
	if err := sameNode("", own, want); err != nil {
		return err
	}
	return sameChecks(d, own)
}

// sameChecks compares what checkTree says of a tree, where it knows that the tree is ownTree's and where it does not.
func sameChecks(d *Doc, root *yaml.Node) error {
	d.root = root
	want := checkTree(d)
	d.own = true
	if got := checkTree(d); !reflect.DeepEqual(got, want) || d.aliased {
		return fmt.Errorf("is refused with %q, and with %q if it is read by yaml.v3", fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

// sameNode compares every field of two nodes, and of all nodes in them.
func sameNode(path string, got, want *yaml.Node) error {
	for i := 0; i < len(want.Content) && i < len(got.Content); i++ {
		if err := sameNode(fmt.Sprintf("%s/%d", path, i), got.Content[i], want.Content[i]); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("at %s, %d children, is read as\n%+v\nand by yaml.v3, %d children, as\n%+v", path, len(got.Content), *got, len(want.Content), *want)
	}
	return nil
}

// everyFile returns the records, good and bad ones, in the folders that the format is tested with and in this
// repository's own workspace, by their paths.
func everyFile(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for folder, least := range map[string]int{"testdata": 4, "../kind/testdata": 200, "../../check/proof/testdata": 100, "../../.cairn": 50} {
		found := len(files)
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			src, err := os.ReadFile(path)
			switch filepath.Ext(path) {
			case ".md", ".yaml":
				files[path] = src
			case ".txtar":
				for i, file := range txtar.Parse(src).Files {
					files[fmt.Sprintf("%s:%d/%s", path, i, file.Name)] = file.Data
				}
			}
			return err
		})
		if found = len(files) - found; err != nil || found < least {
			t.Fatalf("%s has %d files (%v)", folder, found, err)
		}
	}
	return files
}

func kindOf(path string) Kind {
	if strings.HasSuffix(path, ".yaml") {
		return YAML
	}
	return Markdown
}

// What ownTree reads is what yaml.v3 reads: of every file there is, and with each of its bytes taken out, doubled or
// changed into one that means something to YAML.
func TestSlowOwnTreeIsThatOfYAML(t *testing.T) {
	slowtest.Skip(t)
	taken, tried := 0, 0
	for path, src := range everyFile(t) {
		tried++
		if !mustReadAlike(t, src, kindOf(path)) {
			continue
		}
		taken++
		if len(src) > 4000 || taken%100 != 0 {
			continue // each byte of every file would take minutes
		}
		for i := range src {
			for _, with := range []string{"", "#", ": ", " #", "\t", "\n", " ", "'", "\"", ",", "]", "-", "?", "\r", "é", string(src[i]) + string(src[i])} {
				mustReadAlike(t, []byte(string(src[:i])+with+string(src[i+1:])), kindOf(path))
			}
		}
	}
	t.Logf("%d of %d files are in cairn's own form", taken, tried)
}

// Scalars of every type and shape get the tag and the text that yaml.v3 gives them.
func TestOwnScalars(t *testing.T) {
	var scalars []string
	for _, s := range strings.Fields(`0 1 7 42 007 08 0x1F 0o17 0b101 1_000 1_ _1 1e3 1.5 1. .5 . .. .inf .NaN .INF -1 +1 -.inf ~ = << null Null NULL nULL
		true True TRUE tRUE false False FALSE yes no on off y n Y N 999999999999999999 9999999999999999999 99999999999999999999999 5m 4h 90s 1h30m
		2026-06-21 2026-6-1 2026-06-21T10:00:00Z 2026-06-21t10:00:00Z 2026-06-21T10:00:00+02:00 2026-06-21T10:00:00.5Z 2026-06-21T10:00:00,5Z
		2026-02-29T10:00:00Z 2024-02-29T10:00:00Z 2000-02-29T10:00:00Z 1900-02-29T10:00:00Z 2026-04-31T10:00:00Z 2026-13-01T10:00:00Z 2026-00-01T10:00:00Z
		2026-06-00T10:00:00Z 2026-06-21T24:00:00Z 2026-06-21T10:60:00Z 2026-06-21T10:00:60Z 0000-01-01T00:00:00Z 9999-12-31T23:59:59Z 2026-06-21T10:00:00z
		12:30 12:30:45 190:20:30 1,000 1-2 deadbeef 9deadbeef 0xg 0b2 0o8 1p4 0x1p4 infinity nan é 日本 a#b #a a,b a?b a[b a]b {a :a a: a:b &a *a !a |
		> % @a a@b ./x /x $x (x) -x --- ... 'a' 'it''s' "a" "\n\t\\\"" "\u00e9" "\ud800" "\u0000" "\x41" "\/" "\uZZZZ" "\u00" '' "" '#' '日' [] {} [a] {a: ,`) {
		scalars = append(scalars, s, s+" b", "b "+s, s+" ", " "+s, s+"  # c", s+"\n", s+"\n   b", s+"é")
	}
	taken := 0
	for _, s := range scalars {
		for _, src := range []string{
			"key: " + s + "\n", "key: " + s, s + ": v\n", "key:\n  - " + s + "\n  - x\n", "key: [x, " + s + ", y]\n", "key: [" + s + "]\n",
			"key:\n  - {a: " + s + ", b: x}\n", "key: {" + s + ": x}\n", "key: {日: x, a: " + s + "}\n", "key:\n  sub: " + s + "\n  " + s + ": x\nx: y\n",
			"key:\n  - a: " + s + "\n    b: x\n", "key:\n  - é: x\n    " + s + ": x\n", "k: " + s + "\n - x\n",
		} {
			if mustReadAlike(t, []byte(src), YAML) {
				taken++
			}
		}
	}
	t.Logf("%d taken", taken)
	if taken < 2000 {
		t.Errorf("only %d are in cairn's own form", taken)
	}
}

// anyValue draws values of every kind, with texts that look like YAML. Where it is for ownTree, these are the
// exceptions, which cairn does not write: keys that are not words, numbers and dates as Plain, numbers below 0, lists
// in lists with a line for each item, and an empty list or mapping as the whole file.
func anyValue(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		top := 5
		if depth <= 0 {
			top = 2
		}
		switch rapid.IntRange(0, top).Draw(t, "kind") {
		case 0, 1:
			return String(hostileText.Draw(t, "text"))
		case 2:
			return rapid.SampledFrom([]Value{Int(0), Int(300), Bool(true), Plain("2026-06-21T10:00:00Z"), Plain("5m")}).Draw(t, "value")
		case 3:
			return Flow{anyValue(depth-1).Draw(t, "flow")}
		case 4:
			return anyMap(depth-1).Draw(t, "map")
		}
		var s Seq
		for _, item := range rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "items") {
			if nested, ok := item.(Seq); ok && blockLines(nested) != nil {
				item = Flow{item}
			}
			s = append(s, item)
		}
		return s
	})
}

func anyMap(depth int) *rapid.Generator[Map] {
	return rapid.Custom(func(t *rapid.T) Map {
		var m Map
		for _, key := range rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_-]{0,4}`), 1, 4, rapid.ID).Draw(t, "keys") {
			if !isWord(key) {
				key = "word"
			}
			if keyIndex(m.node(), key) < 0 {
				m = append(m, Field{key, anyValue(depth).Draw(t, key)})
			}
		}
		return m
	})
}

var hostileText = rapid.OneOf(rapid.StringMatching(`[^\x00]*`), rapid.StringMatching(`[.0-9][-+._:,0-9a-fA-FxXoOtTzZinpIN ]{0,6}`), rapid.StringMatching(`[-+.0-9a-zA-Z_:,#'"\\ \[\]{}&*!|>%@~=<?\t\né日]{0,12}`),
	rapid.StringMatching(`[a-zA-Z0-9][-+.0-9a-z_:# ,?é]{0,20}`), rapid.StringMatching(`20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9])?Z?`))

// Whatever this package writes is read by ownTree, and as yaml.v3 reads it. So it is after each edit. With one piece of
// it changed, it is read alike or left to yaml.v3.
func TestOwnTreeOfWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{Markdown, YAML}).Draw(t, "form")
		d, err := New(kind, anyMap(3).Draw(t, "front"), "")
		if err != nil {
			t.Fatal(err)
		}
		mustBeOwn(t, d)
		for range 3 {
			e := Set(Path{rapid.SampledFrom([]string{"status", "labels", "z", d.root.Content[0].Value}).Draw(t, "key")}, anyValue(2).Draw(t, "value"))
			if next, err := d.Edit(order, e); err == nil {
				d = next
				mustBeOwn(t, d)
			}
		}
		src := d.Bytes()
		for range 20 {
			i := rapid.IntRange(0, len(src)-1).Draw(t, "at")
			j := min(len(src), i+rapid.IntRange(0, 3).Draw(t, "length"))
			piece := rapid.SampledFrom([]string{"", "#", " #", ": ", ":", "\t", "\n", "\n\n", "\r", "\r\n", " ", "  ", "-", "- ", "? ", "'", "\"", "[", "]", "{", "}",
				",", "\\", "&a ", "*a", "!", "|", ">", "<<", "~", "é", "\u00a0", "a", "0", ".", "%", "@", "`", "---\n", "\n  ", "\n    "}).Draw(t, "piece")
			var taken bool
			if err := readAlike([]byte(string(src[:i])+piece+string(src[j:])), kind, &taken); err != nil {
				t.Fatalf("%q for %q: %v\n%s", piece, src[i:j], err, src)
			}
		}
	})
}

func mustBeOwn(t *rapid.T, d *Doc) {
	var taken bool
	if err := readAlike(d.Bytes(), d.kind, &taken); err != nil {
		t.Fatalf("%v\n%s", err, d.Bytes())
	}
	if !taken || !d.Own() {
		t.Fatalf("was written, and is not in cairn's own form:\n%s", d.Bytes())
	}
}

// Forms beside cairn's own are left to yaml.v3.
func TestOtherForms(t *testing.T) {
	for _, src := range []string{
		"", "{}\n", "\na: b\n", "a: b\n\nc: d\n", "a: b\n\n", "a: b # c\n", "# c\na: b\n", "a:\n", "a: \n", "a: b \n", "a:  b\n", "a : b\n", "a:\tb\n", "a: b\r\n",
		"a: b\n c\n", "a: 'b\n c'\n", "a: |\n  b\n", "a: >\n  b\n", "a: &b c\n", "a: &b c\nd: *b\n", "a: !!str b\n", "<<: {a: b}\n", "? a\n: b\n", "'a': b\n",
		"a:\n- b\n", "a:\n  -  b\n", "a:\n  - - b\n", "a: [b,\n  c]\n", "a: [b, ]\n", "a: [b: c]\n", "a: [ ]\n", "a: { b: c }\n", "a: {b: }\n", "a: {b}\n", "a: -1\n",
		"a: 1.5\n", "a: 0x1F\n", "a: 2026-06-21\n", "a: ~\n", "a: \"\\x41\"\n", "a: \"\\ud800\"\n", "--- {a: b}\n", "a: b\n...\n", "%YAML 1.2\n---\na: b\n",
		"a: " + strings.Repeat("[", maxOwnDepth) + strings.Repeat("]", maxOwnDepth) + "\n", strings.Repeat("k", maxOwnKey+1) + ": b\n",
	} {
		if ownTree([]byte(src)) != nil {
			t.Errorf("%q is taken for cairn's own form", src)
		}
	}
}

// If the YAML of a file is taken for cairn's own form, yaml.v3 reads the same tree.
func FuzzOwnTree(f *testing.F) {
	for _, src := range everyFile(f) {
		f.Add(src)
	}
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		mustReadAlike(t, src, Markdown)
		mustReadAlike(t, src, YAML)
	})
}

// The texts of a tree keep the front matter in memory, and not the body.
func TestOwnTreeKeepsNoBody(t *testing.T) {
	src := []byte("---\nid: T-1\n---\nbody\n")
	d := mustParse(t, string(src))
	id := d.Get("id").Value
	copy(src, bytes.Repeat([]byte("x"), len(src)))
	if id != "T-1" {
		t.Errorf("the text is now %q", id)
	}
}
