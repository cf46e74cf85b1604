package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/verb/guide"
	"github.com/urfave/cli/v3"
)

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
	root := c.Root()
	topic := c.Args().First()
	switch {
	case topic == "":
		return cli.ShowRootCommandHelp(root)
	case topic == "exit-codes":
		p.printf("%s\ncairn help check explains the numbers of check.\n", lines(exitCodes()))
		return nil
	case topic == "topics":
		p.topics()
		return nil
	case root.Command(topic) == nil && slices.Contains(guide.Topics, topic):
		text, err := guide.Text(topic)
		if err == nil {
			p.printf("%s\n", lines(strings.TrimRight(text, "\n")))
		}
		return err
	case root.Command(topic) == nil:
		return usage("there is no command or topic %q", topic).WithHint("cairn help lists the commands; cairn help topics the topics")
	case c.Args().Get(1) != "":
		around, sub := root.Command(topic), c.Args().Get(1)
		if around.Command(sub) == nil {
			return usage("there is no command %q", topic+" "+sub).WithHint("cairn help %s", topic)
		}
		return cli.ShowCommandHelp(ctx, around, sub)
	default:
		return cli.ShowCommandHelp(ctx, root, topic)
	}
}

// topics lists what help explains besides commands: the pages of the manual, and the numbers with which commands exit.
func (p helpCommand) topics() {
	t := table{head: []string{"TOPIC", "WHAT IT EXPLAINS"}, grow: 1}
	for _, topic := range guide.Headings() {
		t.add(topic.Topic, topic.Title)
	}
	t.add("exit-codes", "The numbers with which commands exit")
	t.print(p.out, p.width(), plainStyle)
	p.printf("cairn help TOPIC shows one\n")
}
