package screen

import (
	"strings"
	"testing"
)

func TestHelpFitsTheTerminal(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"a short line stays", "   --to  who", "   --to  who"},
		{
			"an explanation stays in its column", "   --to ACTOR  who is asked to do it, which may be several",
			"   --to ACTOR  who is asked to do it, which may be\n               several",
		},
		{
			"beside a long name it goes on the next line", "   --capability string [ --capability string ]  what it can be asked for; may be repeated",
			"   --capability string [ --capability string ]\n         what it can be asked for; may be\n         repeated",
		},
		{"a paragraph keeps its indent", "   When you will not go on with it, and somebody else should.", "   When you will not go on with it, and\n   somebody else should."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			width := 42
			if strings.Contains(tt.name, "column") {
				width = 52
			}
			if got := wrapColumn(tt.line, width); got != tt.want {
				t.Errorf("wrapColumn:\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestPagesOfTheManualFitTheTerminal(t *testing.T) {
	page := "# A heading that is longer than the terminal is wide\n\n1. An item of a list that is too long\n| a table | that stays as it is, however wide |\nWords."
	want := "# A heading that is longer than the terminal is wide\n\n1. An item of a list\n   that is too long\n| a table | that stays as it is, however wide |\nWords."
	if got := WrapMarkdown(page, 24); got != want {
		t.Errorf("WrapMarkdown:\n%s\nwant\n%s", got, want)
	}
	if got := WrapMarkdown(page, 0); got != page {
		t.Errorf("without a terminal it is\n%s", got)
	}
}

func TestWrapTopic(t *testing.T) {
	page := "A job has a\nprogram.\n\n    job show JOB    the story, and what it left\n    a command that is too long to fit\n\n- one\n- two"
	want := "A job has a program.\n\n    job show JOB\n          the story, and\n          what it left\n    a command that is too long to fit\n\n- one\n- two"
	if got := WrapTopic(page, 24); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := WrapTopic(page, 0); got != page {
		t.Errorf("without a width:\n%s", got)
	}
}
