package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/form"
	"github.com/cairn-tasks/cairn/cmd/render"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/urfave/cli/v3"
)

// formFlags are the flags by which a command that prints the result of a verb is told in what form.
func formFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "fields", Aliases: []string{"columns"}, Local: true, Usage: "print only these `KEYS` of each row, with commas between them, as in id,title; with --json, of the JSON"},
		&cli.StringFlag{Name: "format", Local: true, Usage: "print what a `TEMPLATE` of Go makes of each row, as in '{{.id}} {{.title}}'"},
		&cli.StringFlag{Name: "jq", Local: true, Usage: "print what a `PROGRAM` of jq finds in the JSON, as in '.tasks[].id'"},
	}
}

type listIn struct {
	IDs bool `json:"ids,omitempty" doc:"print the ids alone"`
}

func (p *program) readForm(c *cli.Command) (err error) {
	if !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "jq" }) {
		return nil
	}
	for _, name := range []string{"fields", "format", "jq"} {
		if c.IsSet(name) && strings.TrimSpace(c.String(name)) == "" {
			return usage("--%s is empty", name).WithHint("leave it out to see all")
		}
	}
	if c.String("format") != "" && p.json {
		return usage("--format and --json exclude each other").WithHint("with --json, --fields chooses keys and --jq a part")
	}
	fields := c.String("fields")
	if fields == "" && c.Name == "list" && c.Bool("ids") {
		fields = "id"
	}
	p.form, err = form.New(fields, c.String("format"), c.String("jq"))
	return err
}

// checkForm refuses a form that asks for a key which no result of a verb has. It is called before the verb.
func (p *program) checkForm(ctx context.Context, v verb.Verb) error {
	if p.form == nil {
		return nil
	}
	return p.form.Check(ctx, v.Results())
}

// result prints what a verb returned: in the form that the line asks for, as JSON, or for people. In is the workspace
// in whose records ids are looked for to shorten them; nil to show them whole.
func (p *program) result(ctx context.Context, v verb.Verb, in *verb.Workspace, out any) (err error) {
	if list, ok := out.(tasks.ListOut); ok && p.form == nil && !p.json && len(list.Columns) > 0 { // of a saved view
		if p.form, err = form.New(strings.Join(list.Columns, ","), "", ""); err == nil {
			err = p.checkForm(ctx, v)
		}
		if err != nil {
			return err
		}
	}
	if v.Kind == verb.Read {
		return p.paged(func() error { return p.printed(ctx, v, in, out) })
	}
	return p.printed(ctx, v, in, out)
}

func (p *program) printed(ctx context.Context, v verb.Verb, in *verb.Workspace, out any) error {
	switch {
	case p.form != nil:
		return doneBut(v, p.formed(ctx, v, out))
	case p.json:
		p.printJSON(out)
	default:
		r := p.renderer(v)
		r.In = in
		switch page := out.(type) {
		case verb.Task:
			if v.Name == "get" && in != nil {
				out = tasks.PageOf(ctx, in, page)
			}
		case guide.Page:
			page.Text = catalogue.ForPeople(page.Text)
			out = page
		}
		r.Show(out)
	}
	return nil
}

// paged prints on a terminal that a person reads: through their pager, $CAIRN_PAGER or $PAGER or less, where it is more
// than the terminal shows at once.
func (p *program) paged(show func() error) error {
	terminalOut, isFile := p.Stdout.(*os.File)
	rows, command := terminal.Rows(p.Stdout), cmp.Or(p.Getenv("CAIRN_PAGER"), p.Getenv("PAGER"), "less")
	if _, keys := terminal.Is(p.Stdin); !isFile || rows == 0 || !keys || command == "cat" || p.Getenv("TERM") == "dumb" {
		return show()
	}
	var text bytes.Buffer
	to := p.out.to
	p.out.to = &text
	err := show()
	p.out.to = to
	if bytes.Count(text.Bytes(), []byte("\n")) < rows || !p.personReads() {
		_, _ = p.out.Write(text.Bytes())
		return err
	}
	var env []string
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} { // as git sets them
		if p.Getenv(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	if !terminal.Page(command, env, terminalOut, text.Bytes()) {
		_, _ = p.out.Write(text.Bytes())
	}
	return err
}

// personReads reports whether a person is at the terminal, and not a CI or an agent that has one.
func (p *program) personReads() bool {
	who, _, _ := strings.Cut(p.Getenv("CAIRN_ACTOR"), ":")
	return p.Getenv("CI") == "" && (who == "" || who == "human") && p.personHere("read a pager") == nil
}

func (p *program) renderer(v verb.Verb) *render.Renderer {
	return &render.Renderer{Out: p.out, Err: p.Stderr, Width: p.width(), Style: p.style(), Now: p.Now, Getenv: p.Getenv, Kind: v.Kind, Noun: v.Noun}
}

// doneBut says of an error of a form that the verb was done before it.
func doneBut(v verb.Verb, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if v.Kind == verb.Read || !ok {
		return err
	}
	return amended(e, func(e *record.Error) { e.Msg = "it is done, but " + e.Msg })
}

func (p *program) formed(ctx context.Context, v verb.Verb, out any) error {
	if v.Results() == nil { // nobody could check it before
		if err := p.form.Check(ctx, []reflect.Type{reflect.TypeOf(out)}); err != nil {
			return err
		}
	}
	switch {
	case p.form.Fields == nil:
		if err := p.form.Print(ctx, p.out, out); err != nil {
			return err
		}
	case p.json:
		selected, err := p.form.Select(out)
		if err == nil {
			p.printJSON(selected)
		}
		return err
	default:
		if err := columns(p, out); err != nil {
			return err
		}
	}
	if _, key := verb.RowType(reflect.TypeOf(out)); key == "" || p.form.Whole() {
		return nil
	}
	page := verb.RestOf(out) // what a list has beside the rows that were printed
	switch {
	case page.NextCursor != "":
		screen.Fprintf(p.Stderr, "cairn: there are more; the next page: --cursor %s\n", page.NextCursor)
	case page.HasMore:
		screen.Fprintf(p.Stderr, "cairn: there are more; the next page: --offset\n")
	}
	p.renderer(v).Problems(page.Problems)
	return nil
}

// columns prints the rows of a result with the keys that were asked for: as a table on a terminal, else with tabs
// between them and without a head.
func columns(p *program, out any) error {
	rows, err := form.RowsOf(out)
	if err != nil {
		return err
	}
	t := render.KeyTable(p.form.Fields, rows)
	if width := p.width(); width > 0 {
		t.Print(p.out, width, p.style())
		return nil
	}
	for _, row := range t.Rows {
		var line string
		for _, c := range row {
			line += "\t" + c.Text
		}
		p.printf("%s\n", screen.Lines(line[1:]))
	}
	return nil
}

// output is standard output. It remembers the first error, so that a full disk does not pass for success.
type output struct {
	to    io.Writer
	err   error
	meter *terminal.Meter // whose line is erased first
}

func (o *output) Write(b []byte) (int, error) {
	o.meter.Clear()
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// printf prints for people. Each text among the arguments is made harmless and kept on one line, whatever its source.
// Two types are exceptions: screen.Lines keeps its line breaks, and screen.Painted is printed as it is.
func (p *program) printf(format string, args ...any) { screen.Fprintf(p.out, format, args...) }

// show prints what a command did: as JSON if that is asked for, else as the section of pages.txt about its type says.
func (p *program) show(v any) {
	if p.json {
		p.printJSON(v)
	} else {
		p.renderer(verb.Verb{}).Show(v)
	}
}

// printJSON prints a value as JSON. If that is impossible, the program exits with a failure.
func (p *program) printJSON(v any) {
	line, err := harmless.Marshal(v)
	var text bytes.Buffer
	if err = cmp.Or(err, json.Indent(&text, line, "", "  ")); err != nil {
		screen.Fprintf(p.Stderr, "cairn: the result does not make JSON: %v\n", err)
		p.exit = exitFailure
		return
	}
	text.WriteByte('\n')
	_, _ = text.WriteTo(p.out)
}

// style is coloured on a terminal, unless NO_COLOR is set.
func (p Env) style() screen.Style {
	_, terminal := terminal.Is(p.Stdout)
	return screen.Style(terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb")
}

// width is how many columns a line may have; 0 is without limit.
func (p Env) width() int {
	width, _ := terminal.Is(p.Stdout)
	return width
}

// exitFailure is the exit number where no code says another.
const exitFailure = 1

// ExitInterrupted is what the program exits with when a signal ended it.
const ExitInterrupted = 130

// report prints what went wrong, if anything did, and returns the exit number: on stdout as JSON where that was asked
// for, else on stderr as a message and a hint.
func (p *program) report(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return p.exit
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return ExitInterrupted
	}
	e := asError(err)
	exit, soft := p.exitOf(e), p.isSoft(e)
	if soft {
		defer p.saySoft()
	}
	if p.json {
		p.printJSON(softFailure{catalogue.FailureOf(e, verb.Rights{Profile: verb.Maintainer}, catalogue.CommandLine), soft})
		return exit
	}
	typed := amended(e, func(e *record.Error) { e.Op = p.commandTyped(e.Op) })
	run, _ := e.Details["run"].(*verb.RunReport)
	p.tellError(typed.Error(), e.Hint, run)
	return exit
}

// tellError prints an error for a person: what went wrong, the runs of checks that it is about, and what to do next.
func (p *program) tellError(text string, hint record.Hint, runs ...*verb.RunReport) {
	screen.Fprintf(p.Stderr, "cairn: %s\n", text)
	for _, run := range runs {
		if run != nil {
			(&render.Renderer{Out: p.Stderr}).Show(run)
		}
	}
	if !hint.Empty() {
		screen.Fprintf(p.Stderr, "hint: %s\n", hint.Spell(catalogue.CommandLine))
	}
}

func (p *program) exitOf(e *record.Error) int {
	if p.isSoft(e) {
		return 0
	}
	return cmp.Or(p.failing, e.Code.Info().Exit)
}

// isSoft reports whether an error is one that may go away by itself, after which --soft-fail exits with 0.
func (p *program) isSoft(e *record.Error) bool { return p.soft && e.Code.Info().Retryable && !e.Final }

// soften is the exit number of an answer: 0 under --soft-fail for one after which the same call may succeed later,
// because there was nothing to be had or nothing happened in time.
func (p *program) soften(exit int) int {
	if !p.soft || exit != verb.ExitNothingFound && exit != verb.ExitTimedOut {
		return exit
	}
	p.saySoft()
	return 0
}

func (p Env) saySoft() {
	screen.Fprintf(p.Stderr, "soft-fail: the same command may succeed later; exits with 0\n")
}

// softFailure is a failure as JSON, and whether the program exits with 0 all the same.
type softFailure struct {
	catalogue.Failure
	SoftFail bool `json:"soft_fail,omitempty"`
}

// commandNamed is what the command is called of which an error names the verb, or the command itself.
func commandNamed(op string) string {
	if v, ok := catalogue.Named(op); ok {
		return v.Command()
	}
	return verb.CommandName(op)
}

// commandTyped is commandNamed, but the other name of the command if the line called it by that: add for create, show
// for get.
func (p *program) commandTyped(op string) string {
	word, _ := p.commandWord(rootFlags())
	if v, ok := catalogue.Named(op); ok && slices.Contains(v.Aliases, word) {
		return word
	}
	return commandNamed(op)
}

// named adds the name of the command to an error without one.
func named(err error, command string) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Op != "" {
		return err
	}
	return amended(e, func(e *record.Error) { e.Op = command })
}

// amended is an error with something changed. The one that is given stays as it is.
func amended(e *record.Error, change func(*record.Error)) *record.Error {
	other := *e
	change(&other)
	return &other
}

// asError is any error as one with a code.
func asError(err error) *record.Error {
	if e, ok := errors.AsType[*record.Error](err); ok {
		return e
	}
	return record.Errorf(record.IO, "%w", err)
}

func usage(format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidInput, format, args...)
}

// exitCodes is the text of "cairn help exit-codes". It follows from the list of codes.
func exitCodes() string {
	codes := map[int][]string{}
	for _, info := range record.Codes {
		codes[info.Exit] = append(codes[info.Exit], string(info.Code))
	}
	var b strings.Builder
	for n, words := range []string{
		"done", "failure: ", "usage: ", "not found: ", "refused by a gate or rule: ", "held by another, or changed meanwhile: ",
		"timed out", "not allowed: ", "commands not approved: ",
	} {
		if !strings.HasSuffix(words, ": ") {
			codes[n] = nil
		}
		fmt.Fprintf(&b, "  %d  %s%s\n", n, words, strings.Join(codes[n], " "))
	}
	fmt.Fprintf(&b, "%d  interrupted\n", ExitInterrupted)
	return b.String()
}
