package cmd

import (
	"context"
	"embed"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/urfave/cli/v3"
)

//go:embed topics/*.md
var topicPages embed.FS

const (
	topicsWord    = "topics"
	exitCodesWord = "exit-codes"
)

// peoplesTopics are what people look up, in the order in which help lists it. What agents look up is behind them: the
// manual of package guide.
func peoplesTopics() []string {
	return []string{"gates", "ids", "actors", "times", "plans", "templates", "files", "merging", "jobs", "environment"}
}

// topicNamed is the topic that a word means: some have other names.
func topicNamed(word string) string {
	switch word {
	case "exit", "exit-status", "exit-code":
		return exitCodesWord
	case "id":
		return "ids"
	case "actor", "who", "users":
		return "actors"
	case "time", "dates", "date", "durations":
		return "times"
	case "format", "config", "layout":
		return "files"
	case "merges", "branches", "conflicts":
		return "merging"
	case "env", "variables":
		return "environment"
	case "template":
		return "templates"
	case "gate", "states":
		return "gates"
	case "filter", "where":
		return "filters"
	}
	return word
}

// topic is the text of a topic; false for a word that is none.
func topic(word string) (string, bool) {
	if word == exitCodesWord {
		return "# The numbers with which commands exit\n\n" + exitCodes() + "\ncairn help check explains the numbers of check.\n", true
	}
	if src, err := topicPages.ReadFile("topics/" + word + ".md"); err == nil {
		return string(src), true
	}
	text, err := guide.Text(word)
	return text, err == nil
}

// helpTopics are all topics, with what each explains.
func helpTopics() []complete.Candidate {
	var out []complete.Candidate
	for _, word := range append(peoplesTopics(), exitCodesWord) {
		text, _ := topic(word)
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		out = append(out, complete.Candidate{Value: word, About: title})
	}
	return append(out, complete.GuideTopics()...)
}

// helpCommand is cairn help.
type helpCommand struct{ *program }

func (p helpCommand) command() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "Explain a command, or a topic: cairn help topics lists them.",
		ArgsUsage: "[COMMAND | TOPIC]",
		Category:  "workspace",
		Action:    p.run,
	}
}

func (p helpCommand) run(ctx context.Context, c *cli.Command) error {
	root, word := c.Root(), c.Args().First()
	switch {
	case word == "":
		return cli.ShowRootCommandHelp(root)
	case word == topicsWord:
		p.topics()
		return nil
	case root.Command(word) == nil:
		text, ok := topic(topicNamed(word))
		if !ok {
			return p.unknown(root, word)
		}
		p.printf("%s\n", screen.Lines(strings.TrimRight(text, "\n")))
		return nil
	}
	around, typed := root.Command(word), word
	for _, word := range c.Args().Tail() {
		sub := around.Command(word)
		if sub == nil {
			return usage("there is no command %q", typed+" "+word).WithHint("cairn help %s", typed)
		}
		if sub.Commands == nil {
			return cli.ShowCommandHelp(ctx, around, word)
		}
		around, typed = sub, typed+" "+word
	}
	if around == root.Command(word) {
		return cli.ShowCommandHelp(ctx, root, word)
	}
	return cli.ShowSubcommandHelp(around)
}

// unknown is the error for a word that is neither a command nor a topic: it names the nearest of both.
func (p helpCommand) unknown(root *cli.Command, word string) error {
	e := usage("there is no command or topic %q", word)
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
	for _, name := range names {
		if near == "" && len(word) > 1 && strings.HasPrefix(name, strings.ToLower(word)) {
			near = name
		}
	}
	if near == "" {
		return e.WithHint("cairn help lists the commands; cairn help topics the topics")
	}
	return e.WithHint("did you mean cairn help %s? cairn help lists the commands; cairn help topics the topics", near)
}

// topics lists what help explains besides commands.
func (p helpCommand) topics() {
	t := screen.Table{Head: []string{"TOPIC", "WHAT IT EXPLAINS"}, Grow: 1}
	for _, one := range helpTopics() {
		t.Add(one.Value, one.About)
	}
	t.Print(p.out, p.width(), screen.Plain)
	p.printf("cairn help TOPIC shows one\n")
}
