package record_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"pgregory.net/rapid"
)

const (
	claude = record.Actor("agent:claude-1")
	gemini = record.Actor("agent:gemini")
	shah   = record.Actor("human:shah")
)

var now = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// An id tells when it was minted, and one that was not minted tells nothing.
func TestMinted(t *testing.T) {
	at := time.Date(2026, 6, 21, 12, 0, 0, 5e6, time.UTC)
	id, err := record.NewID("T", at, strings.NewReader("abc"))
	if got, ok := id.Minted(); err != nil || !ok || !got.Equal(at) {
		t.Errorf("%s was minted %s, %v, %v", id, got, ok, err)
	}
	for _, id := range []record.ID{"T-1", "T-01kvn0y7p0000", "T-01kvn0y7p0000u", "T-01kvn0y7p00000a", "T", ""} {
		if at, ok := id.Minted(); ok {
			t.Errorf("%s was minted %s", id, at)
		}
	}
}

func wantCode(t *testing.T, err error, want record.Code) {
	t.Helper()
	if record.CodeOf(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// ParseID accepts the form that docs/format.md gives, and nothing else.
func TestParseIDAcceptsTheFormOfThePage(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[A-Za-z0-9._-]+$`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching("[A-Za-z0-9_.@\\[`{^ é\n/:-]{0,8}")).Draw(t, "id")
		if _, err := record.ParseID(s); (err == nil) != form.MatchString(s) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func TestParseID(t *testing.T) {
	for _, tt := range []struct {
		name, id string
		ok       bool
	}{
		{"a minted one", "PROJ-01j8x2k7q7f3az", true},
		{"one numbered by hand", "PROJ-001", true},
		{"a lower-case prefix with an underscore", "my_proj2-1", true},
		{"dots, dashes and underscores behind the dash", "PROJ-1.2_a-b", true},
		{"the longest", "P-" + strings.Repeat("x", 78), true},
		{"one byte longer", "P-" + strings.Repeat("x", 79), false},
		{"nothing", "", false},
		{"no dash", "PROJ001", false},
		{"nothing behind the dash", "PROJ-", false},
		{"nothing before it", "-001", false},
		{"a prefix that begins with a digit", "1PROJ-001", false},
		{"a path", "../PROJ-001", false},
		{"a path behind the dash", "PROJ-/../../etc", false},
		{"a backslash", `PROJ-1\2`, false},
		{"a colon, which projects will use", "web:PROJ-1", false},
		{"a space", "PROJ-1 ", false},
		{"a line break", "PROJ-1\n", false},
		{"letters of other scripts", "PROJ-größe", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := record.ParseID(tt.id)
			if ok := err == nil && string(got) == tt.id; ok != tt.ok {
				t.Errorf("ParseID(%q) = %q, %v", tt.id, got, err)
			}
			if !tt.ok {
				wantCode(t, err, record.InvalidInput)
			}
		})
	}
}

func TestParsePrefix(t *testing.T) {
	for _, tt := range []struct {
		name, prefix string
		ok           bool
	}{
		{"letters", "PROJ", true},
		{"one letter", "p", true},
		{"digits and underscores after the first", "p2_x", true},
		{"32 characters", strings.Repeat("p", 32), true},
		{"33 characters", strings.Repeat("p", 33), false},
		{"nothing", "", false},
		{"a digit first", "2p", false},
		{"a dash", "my-proj", false},
		{"a line break", "PROJ\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := record.ParsePrefix(tt.prefix); (err == nil) != tt.ok {
				t.Errorf("ParsePrefix(%q): %v", tt.prefix, err)
			}
		})
	}
}

// zeros is randomness that is not random.
func zeros() *bytes.Reader { return bytes.NewReader(make([]byte, 3)) }

func TestNewID(t *testing.T) {
	id, err := record.NewID("PROJ", time.UnixMilli(33), bytes.NewReader([]byte{0xff, 0xff, 0xff}))
	if err != nil {
		t.Fatal(err)
	}
	if want := record.ID("PROJ-0000000011zzzz"); id != want {
		t.Errorf("minted %s, want 10 characters of time and 4 random ones: %s", id, want)
	}
	if parsed, err := record.ParseID(string(id)); err != nil || parsed != id {
		t.Errorf("%s does not parse: %v", id, err)
	}
}

// Ids sort by age, and hold no letter that can be mistaken for another.
func TestIDsSortByAge(t *testing.T) {
	var last record.ID
	for i := range 2000 {
		id, err := record.NewID("PROJ", now.Add(time.Duration(i*i)*time.Millisecond), zeros())
		if err != nil {
			t.Fatal(err)
		}
		if id <= last && i > 0 {
			t.Fatalf("%s, minted later, does not sort behind %s", id, last)
		}
		if token := string(id)[len("PROJ-"):]; strings.ContainsAny(token, "iloU") || strings.ToLower(token) != token {
			t.Fatalf("%s is not lower-case Crockford base32", id)
		}
		last = id
	}
}

func TestNewIDWithoutRandomness(t *testing.T) {
	_, err := record.NewID("PROJ", now, bytes.NewReader(nil))
	wantCode(t, err, record.IO)
}
