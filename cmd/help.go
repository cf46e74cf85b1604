package cmd

import (
	"cmp"
	"context"
	"embed"
	_ "embed"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

//go:embed topics/*.md
var topicPages embed.FS

const (
	topicsWord    = "topics"
	allWord       = "all"
	exitCodesWord = "exit-codes"
)

// peoplesTopics are what people look up, in the order in which help lists it. What agents look up is behind them: the
// manual of package guide.
func peoplesTopics() []string {
	return []string{"gates", "ids", "actors", "times", "plans", "templates", "files", "merging", "jobs", "environment"}
}

func topic(word string) (string, bool) {
	if word == exitCodesWord {
		return "# The numbers with which commands exit\n\n" + exitCodes() + "\ncairn help check explains the numbers of check.\n", true
	}
	if src, err := topicPages.ReadFile("topics/" + word + ".md"); err == nil {
		return string(src), true
	}
	text, err := guide.Text(word)
	return catalogue.ForPeople(text), err == nil
}

func helpTopics() []complete.Candidate {
	var out []complete.Candidate
	for _, word := range append(peoplesTopics(), exitCodesWord) {
		text, _ := topic(word)
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		out = append(out, complete.Candidate{Value: word, About: title})
	}
	return append(out, complete.GuideTopics()...)
}

type helpIn struct {
	Word string `json:"word,omitempty" doc:"what to explain" cli:"arg,several" from:"help"`
}

func helpCommands() []command {
	return []command{
		declare(command{
			name:  "man",
			usage: "Print the manual page, for man.",
			group: "workspace",
			about: "It explains every command, from the same words as cairn help. Archives and packages of a release have it. Elsewhere:\n\n" +
				"    mkdir -p ~/.local/share/man/man1\n" +
				"    cairn man > ~/.local/share/man/man1/cairn.1\n\n" +
				"man cairn then shows it.",
		}, func(_ context.Context, c *call, _ nothing) error {
			c.printf("%s", screen.Painted(manual(c.line.Root()))) // words of ours, unchanged
			return nil
		}),
		declare(command{name: "version", usage: "Print the version, and the commit that it was built of.", group: "workspace"},
			func(_ context.Context, c *call, _ nothing) error {
				c.show(built())
				return nil
			}),
		declare(command{
			name: "help", usage: "Explain a command, or a topic: cairn help topics lists them.", args: "[COMMAND | TOPIC]", group: "workspace",
		}, func(ctx context.Context, c *call, in helpIn) error {
			return c.paged(func() error { return help(ctx, c, in) })
		}),
	}
}

func help(ctx context.Context, c *call, in helpIn) error {
	root, word := c.line.Root(), in.Word
	switch {
	case word == "":
		return cli.ShowRootCommandHelp(root)
	case word == allWord:
		c.printf("%s", screen.Lines(rootHelp(root, true)))
		return nil
	case word == topicsWord:
		t := screen.Table{Head: []string{"TOPIC", "WHAT IT EXPLAINS"}, Grow: 1}
		for _, one := range helpTopics() {
			t.Add(one.Value, one.About)
		}
		t.Print(c.out, c.width(), screen.Plain)
		c.printf("cairn help TOPIC shows one\n")
		return nil
	case root.Command(word) == nil:
		text, ok := topic(cmp.Or(guess("topics", word), word))
		if !ok {
			return noTopic(root, word)
		}
		c.printf("%s\n", screen.Lines(screen.WrapTopic(strings.TrimRight(text, "\n"), c.width())))
		return nil
	}
	around, typed := root.Command(word), word
	for _, next := range c.words()[1:] {
		sub := around.Command(next)
		if sub == nil {
			return usage("there is no command %q", typed+" "+next).WithHint("cairn help %s", typed)
		}
		if sub.Commands == nil {
			return cli.ShowCommandHelp(ctx, around, next)
		}
		around, typed = sub, typed+" "+next
	}
	if typed == word {
		return cli.ShowCommandHelp(ctx, root, word)
	}
	return cli.ShowSubcommandHelp(around)
}

// noTopic is the error for a word that is neither a command nor a topic: it names the nearest of both.
func noTopic(root *cli.Command, word string) error {
	names := []string{topicsWord}
	for _, one := range helpTopics() {
		names = append(names, one.Value)
	}
	for _, sub := range root.Commands {
		if !sub.Hidden {
			names = append(names, sub.Name)
		}
	}
	near := verb.Nearest(word, names)
	if at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, strings.ToLower(word)) }); near == "" && len(word) > 1 && at >= 0 {
		near = names[at]
	}
	hint := "cairn help lists the commands; cairn help topics the topics"
	if near != "" {
		hint = "did you mean cairn help " + near + "? " + hint
	}
	return usage("there is no command or topic %q", word).WithHint("%s", hint)
}

// everyday are the commands that help lists first, in the order in which somebody comes to need them.
var everyday = []string{
	"init", "status", "board", "ready", "list", "show", "add", "edit", "start", "note", "done", "close", "reopen", "next", "search", "log", "undo",
}

// groups are the other headings of help, in the order in which somebody comes to need them. A group that is not among
// them comes behind.
var groups = []struct{ group, heading string }{
	{"tasks", "Tasks"}, {"sessions", "Sessions of work"}, {"review", "Review"}, {"jobs", "Jobs and work trees"}, {"ledger", "What is known and decided"},
	{"handoffs", "Questions and answers"}, {"references", "References"}, {"team", "Who is here"}, {"projects", "Several workspaces"}, {"workspace", "The workspace"}, {"setup", "Many machines"},
}

// rootHelp is what cairn help prints: the commands of every day in a few words, or each command once.
func rootHelp(root *cli.Command, all bool) string {
	left := slices.DeleteFunc(slices.Clone(root.Commands), func(c *cli.Command) bool { return c.Hidden })
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\ncairn COMMAND [ARGUMENT...] [FLAG...]\n", root.Name, root.Usage)
	width := 0
	for _, c := range left {
		width = max(width, len(shownName(c)))
	}
	section := func(heading string, takes func(*cli.Command) bool) {
		var taken []*cli.Command
		for _, c := range left {
			if takes(c) {
				taken = append(taken, c)
			}
		}
		left = slices.DeleteFunc(left, takes)
		if heading == firstHeading {
			place := func(c *cli.Command) int { return slices.Index(everyday, shownName(c)) }
			sorted.By(taken, func(a, b *cli.Command) int { return place(a) - place(b) })
		}
		for i, c := range taken {
			if i == 0 {
				fmt.Fprintf(&b, "\n%s\n", heading)
			}
			fmt.Fprintf(&b, "  %-*s  %s\n", width, shownName(c), aboutCommand(c))
		}
	}
	section(firstHeading, func(c *cli.Command) bool { return slices.Contains(everyday, shownName(c)) })
	if !all {
		fmt.Fprintf(&b, "\ncairn help all lists the other %d commands, and the flags of every command;\n", len(left))
		b.WriteString("cairn help COMMAND, or cairn COMMAND -h, explains one; cairn help topics lists what else is explained.\n")
		return b.String()
	}
	for _, g := range groups {
		section(g.heading, func(c *cli.Command) bool { return c.Category == g.group })
	}
	section("Others", func(*cli.Command) bool { return true })
	b.WriteString("\nFlags of every command\n")
	for _, f := range root.Flags {
		form, usage, _ := strings.Cut(flagLine(f), "\t")
		fmt.Fprintf(&b, "  %-*s  %s\n", width, form, usage)
	}
	b.WriteString("\ncairn help COMMAND, or cairn COMMAND -h, explains one; cairn help topics lists what else is explained.\n")
	return b.String()
}

const firstHeading = "Every day"

func verbOfCommand(c *cli.Command) (verb.Verb, bool) {
	return record.Find(catalogue.All, func(v verb.Verb) bool { return v.Noun == "" && v.Command() == c.Name })
}

// shownName is the name under which help lists a command: the alias of a verb that people know it by, else its own.
func shownName(c *cli.Command) string {
	if v, ok := verbOfCommand(c); ok && len(v.Aliases) > 0 {
		return v.Aliases[0]
	}
	return c.Name
}

func aboutCommand(c *cli.Command) string {
	if v, ok := verbOfCommand(c); ok {
		return v.Title
	}
	if about := aboutNoun(c.Name); about != "" {
		return about
	}
	about := c.Usage
	for _, end := range []string{"; ", ": ", " ("} {
		about, _, _ = strings.Cut(about, end)
	}
	return strings.TrimSuffix(about, ".")
}

//go:embed guesses.txt
var guessesText string

// guess is what a section of guesses.txt says of a word, such as how to do here what people mean by one of another
// program; "" if nothing is known of it.
func guess(section, word string) string {
	at := ""
	for line := range strings.Lines(guessesText) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			at = heading
		}
		words, hint, ok := strings.Cut(line, ": ")
		if ok && at == section && line[0] != ';' && slices.Contains(strings.Fields(words), word) {
			return hint
		}
	}
	return ""
}

// guessBehind is the command that does what people mean by a word behind a noun.
func guessBehind(noun, word string) string {
	hint := guess("behind "+noun, word)
	if hint == "" && !slices.Contains([]string{"job", "project", "repo", "review", "worktree", "pair"}, noun) {
		hint = guess("behind a noun of records", word)
	}
	return hint
}

// guessFlag says what stands for a flag that people know of another tracker.
func guessFlag(command, flag string) string {
	if hint := guess("flags of "+command, flag); hint != "" {
		return hint
	}
	return guess("flags", flag)
}

// Who builds from files without a git history says what they are: go build -ldflags '-X
// github.com/cairn-tasks/cairn/cmd.builtCommit=...'.
var builtVersion, builtCommit, builtDate string

// Version is the version of the program: what the build said, else what the Go toolchain stamped: a tag, or "(devel)"
// for a build from a work tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case builtVersion != "":
		return builtVersion
	case ok && info.Main.Version != "":
		return info.Main.Version
	}
	return "(devel)"
}

// versionResult is what version prints. Schema is the version of all JSON output: under one number fields are only
// added.
type versionResult struct {
	Version  string `json:"version"`
	Schema   int    `json:"schema"`
	Format   int    `json:"format"`
	Commit   string `json:"commit,omitempty"`   // empty if the build knew none, as in go install of a version
	Date     string `json:"date,omitempty"`     // of the commit, as RFC 3339
	Modified bool   `json:"modified,omitempty"` // files differed from the commit
	Go       string `json:"go"`
}

func built() versionResult {
	v := versionResult{Version: Version(), Schema: 1, Format: kind.Format, Commit: builtCommit, Date: builtDate}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if builtCommit != "" {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
