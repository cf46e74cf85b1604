package transfer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

const (
	lineRoom  = 500          // bytes of a title, a label, a check
	checkRoom = lineRoom - 8 // of a check that may get a number
	bodyRoom  = 1 << 20      // bytes of a body
)

// oneLine makes a text fit for a line: white space and control characters become single blanks.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// plain makes a text of several lines fit for a file: valid UTF-8, without control characters but tabs and the ends of
// lines.
func plain(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// fit cuts a line to the room that there is, and reports whether it did.
func fit(s string, room int) (string, bool) {
	if len(s) <= room {
		return s, false
	}
	return strings.TrimSpace(record.Clip(s, room-len("…"))), true
}

// pieces cuts a text into parts that an entry can hold, where possible at the end of a line.
func pieces(s string, room int) []string {
	var out []string
	for len(s) > room {
		cut := strings.LastIndexByte(s[:room], '\n')
		if cut < room/2 {
			cut = room
			for cut > 0 && !utf8.RuneStart(s[cut]) {
				cut--
			}
		}
		out = append(out, strings.Trim(s[:cut], "\n"))
		s = strings.TrimLeft(s[cut:], "\n")
	}
	return append(out, s)
}

// actorOf reads who holds an item: an actor as it is, and of any other name a person with that name.
func actorOf(name string) (record.Actor, bool) {
	name = strings.TrimPrefix(strings.TrimSpace(name), "@")
	if who, err := record.ParseActor(name); err == nil {
		return who, true
	}
	who, err := record.ParseActor("human:" + record.NameOf(name))
	return who, err == nil
}
