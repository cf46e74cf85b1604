package record

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"strings"
	"time"
)

// ID names a task, and with ".md" behind it its file.
type ID string

// MaxID is the most bytes of an id.
const MaxID = 80

// ParseID accepts what may be the name of a task file: a prefix of letters, digits and underscores, a dash, then
// letters, digits, dots, underscores and dashes; at most 80 bytes. Such a name can never lead out of its folder.
func ParseID(s string) (ID, error) {
	prefix, rest, _ := strings.Cut(s, "-")
	if len(s) > MaxID || !isPrefix(prefix) || !IsWord(rest, "._-") {
		return "", Errorf(InvalidInput, "%q is not a task id", Clip(s, 100)).WithHint("an id looks like PROJ-01j8x2k7q7f3az")
	}
	return ID(s), nil
}

// ParsePrefix accepts what may stand before the dash of an id: a letter, then letters, digits and underscores; at most
// 32.
func ParsePrefix(s string) (string, error) {
	if len(s) > 32 || !isPrefix(s) {
		return "", Errorf(InvalidInput, "prefix %q is not a letter followed by letters (A to Z, a to z), digits and underscores, 32 at most", Clip(s, 40)).
			WithHint("a prefix looks like PROJ")
	}
	return s, nil
}

// isPrefix reports whether s is a letter followed by letters, digits and underscores.
func isPrefix(s string) bool { return IsWord(s, "_") && (s[0] < '0' || s[0] > '9') && s[0] != '_' }

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id: the prefix, a dash, 10 characters of the time in milliseconds and 4 random ones, in Crockford
// base32. Ids sort by age. Two ids of the same millisecond are equal once in a million times, so the file must be
// created exclusively.
func NewID(prefix string, now time.Time, random io.Reader) (ID, error) {
	token, err := Token(now, random)
	return ID(prefix + "-" + token), err
}

// Token returns the part of a new id behind the dash.
func Token(now time.Time, random io.Reader) (string, error) {
	var noise [3]byte
	if _, err := io.ReadFull(random, noise[:]); err != nil {
		return "", Errorf(IO, "no randomness to make an id: %w", err)
	}
	r := uint64(noise[0])<<16 | uint64(noise[1])<<8 | uint64(noise[2])
	return base32(uint64(now.UnixMilli()), 10) + base32(r, 4), nil
}

// Minted returns the time in an id that NewID made. It reports false for any other id.
func (id ID) Minted() (time.Time, bool) {
	_, token, _ := strings.Cut(string(id), "-")
	if len(token) != 14 {
		return time.Time{}, false
	}
	var ms int64
	for i := range token {
		digit := strings.IndexByte(crockford, token[i])
		if digit < 0 {
			return time.Time{}, false
		}
		if i < 10 {
			ms = ms<<5 | int64(digit)
		}
	}
	return time.UnixMilli(ms).UTC(), true
}

// Next is the id of the round after a task that repeats. It follows from the id alone, so that whoever closes the task,
// in whichever clone, makes the same one. It sorts behind the task, and before what was made a millisecond later.
func (id ID) Next() ID {
	prefix, _, _ := strings.Cut(string(id), "-")
	hash := sha256.Sum256([]byte("round " + string(id)))
	noise := binary.BigEndian.Uint64(hash[:])
	if made, ok := id.Minted(); ok {
		return ID(prefix + "-" + base32(uint64(made.UnixMilli()+1), 10) + base32(noise, 4))
	}
	return ID(prefix + "-" + base32(noise, 12))
}

// base32 writes the lowest 5*width bits of n.
func base32(n uint64, width int) string {
	out := make([]byte, width)
	for i := width - 1; i >= 0; i-- {
		out[i] = crockford[n&31]
		n >>= 5
	}
	return string(out)
}

// JoinIDs joins ids as text.
func JoinIDs(ids []ID, sep string) string {
	return strings.Join(Texts(ids), sep)
}

// Ref names the task that has this id.
func (id ID) Ref() Ref { return Ref{Kind: TaskKind, ID: string(id)} }
