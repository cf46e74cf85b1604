package cmd

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/urfave/cli/v3"
)

// input reads the fields that a command takes off its line, as the JSON object that is decoded.
type input struct {
	*program
	line   *cli.Command
	fields []verb.Field
	values map[string]any
	from   *inputFile // that a field was read from; nil for none
	plain  bool       // of a command that is no verb, and may have no arguments

	several string   // the field of which the line names more than one; "" if it does not
	each    []string // these
}

func newInput(p *program, line *cli.Command, fields []verb.Field) *input {
	return &input{program: p, line: line, fields: fields, values: map[string]any{}}
}

// read reads --input, then the arguments and the flags, which replace what --input says.
func (in *input) read(ctx context.Context) error {
	if source := in.line.String("input"); source != "" {
		text, err := in.inputText(ctx, source)
		if err == nil {
			in.values, err = verb.ReadObject([]byte(text))
		}
		if err != nil {
			return err
		}
	}
	if err := in.arguments(ctx); err != nil {
		return err
	}
	for _, f := range in.fields {
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// arguments reads the positional fields in their order. One that may be left out is, if there are no more arguments
// than those that must be given, and the next is none for it by its looks. One that is given as a flag takes no argument.
func (in *input) arguments(ctx context.Context) error {
	var fields []verb.Field
	needed := 0 // arguments that must be given
	for _, f := range in.fields {
		switch {
		case !f.Arg:
			continue
		case !taken(in.fields, argumentFlag(f)) && in.line.IsSet(argumentFlag(f)):
			if err := in.argument(ctx, f, in.line.String(argumentFlag(f))); err != nil {
				return err
			}
			continue
		case f.Required:
			needed++
		}
		fields = append(fields, f)
	}
	args := in.many(fields, in.line.Args().Slice())
	for _, f := range fields {
		if len(args) == 0 || !f.Required && len(args) <= needed && (f.Names == "" || !looksLikeID(args[0])) {
			continue
		}
		if f.Required {
			needed--
		}
		if err := in.argument(ctx, f, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	e := usage("does not take the argument %q", args[0])
	if in.plain && in.line.ArgsUsage == "" {
		return e.WithHint("cairn help %s", strings.TrimPrefix(in.line.FullName(), "cairn "))
	}
	if slices.ContainsFunc(in.fields, func(f verb.Field) bool { return f.Name == "view" }) {
		return e.WithHint("--status STATE lists what is in a state, --text WORDS finds by words, --view NAME is a list that the config names")
	}
	return e.WithHint("%s; quote text that has spaces", in.form())
}

// looksLikeID reports whether a text is rather an id than a word of a sentence, such as PROJ-404 or ses-01m8h. A record
// that may be left out is then taken as named, so that a wrong id is refused and does not become the reason or the text.
func looksLikeID(text string) bool {
	prefix, rest, ok := strings.Cut(text, "-")
	return ok && (prefix == "ses" || prefix != "" && prefix == strings.ToUpper(prefix)) && strings.ContainsAny(rest, "0123456789") && !strings.Contains(text, " ")
}

// argument reads a positional field.
func (in *input) argument(ctx context.Context, f verb.Field, text string) (err error) {
	switch {
	case f.File:
		return in.file(ctx, f, text)
	case f.Type == verb.Texts: // it takes all of several itself
		all := []string{text}
		if in.several == f.Name {
			all, in.each = in.each, nil
		}
		in.values[f.Name] = all
		return nil
	}
	in.values[f.Name], err = in.text(ctx, f, text)
	return err
}

// missing is the error for what must be given and is not, flags too: it shows the whole form of the command. A person at
// a terminal chooses the records first that the line does not name.
func (in *input) missing(ctx context.Context) error {
	if err := in.pick(ctx); err != nil {
		return err
	}
	absent := func(f verb.Field) bool { return f.Required && !f.File && in.values[f.Name] == nil && f.Own == "" }
	if !slices.ContainsFunc(in.fields, func(f verb.Field) bool { return f.Arg && absent(f) }) {
		return nil
	}
	err := verb.Missing(in.fields, "", absent)
	return err.WithHint("%s; %s", in.form(), err.Hint)
}

// form is the command and its arguments, by the name that was typed.
func (in *input) form() string {
	name := in.line.FullName()
	word, _ := in.commandWord(rootFlags())
	if slices.Contains(in.line.Aliases, word) && !strings.Contains(word, "_") {
		name = "cairn " + word
	}
	return strings.TrimSpace(name + " " + in.line.ArgsUsage)
}

// many takes the arguments of a positional field of which several may be named, all but the first, if there are more
// arguments than fields.
func (in *input) many(fields []verb.Field, args []string) []string {
	at := slices.IndexFunc(fields, func(f verb.Field) bool { return f.Many })
	spare := len(args) - len(fields)
	if at < 0 || spare <= 0 {
		return args
	}
	in.several, in.each = fields[at].Name, slices.Clone(args[at:at+spare+1])
	return slices.Concat(args[:at+1], args[at+spare+1:])
}

// file reads a field from a file in YAML or JSON; the name - is standard input. The file contains the field's value, or
// an object with that field and others.
func (in *input) file(ctx context.Context, f verb.Field, name string) error {
	text, err := in.inputText(ctx, name)
	if err != nil {
		return err
	}
	var got any
	var root format.Node
	err = format.Unmarshal([]byte(text), &root)
	if err == nil {
		datesAsTexts(&root)
		err = root.Decode(&got)
	}
	if err != nil {
		return usage("%s: %s", name, yamlMessage(err)).WithHint("a list of %s in YAML or JSON, or an object with %s in it", f.Name, f.Name)
	}
	object, ok := got.(map[string]any)
	if !ok {
		object = map[string]any{f.Name: got}
	}
	maps.Copy(in.values, object)
	in.from = &inputFile{name, f.Name, &root}
	return nil
}

// flag reads the flags of a field. Without them the field keeps the value that it has.
func (in *input) flag(ctx context.Context, f verb.Field) (err error) {
	switch {
	case f.Arg:
		return nil
	case f.Not != "":
		return in.choice(f)
	case f.Type == verb.Object:
		inner := newInput(in.program, in.line, nil)
		if had, ok := in.values[f.Name].(map[string]any); ok {
			inner.values = had
		}
		for _, field := range f.Fields {
			if err := inner.flag(ctx, field); err != nil {
				return err
			}
		}
		if len(inner.values) > 0 {
			in.values[f.Name] = inner.values
		}
		return nil
	case f.Type == verb.Objects:
		return in.objects(f)
	case !in.line.IsSet(f.Flag):
		return nil
	case f.Condition() && strings.TrimSpace(strings.Join(in.line.StringSlice(f.Flag), "")+in.line.String(f.Flag)) == "":
		return usage("--%s is blank", f.Flag).WithHint("give a value, or leave it out")
	}
	switch f.Type {
	case verb.Boolean:
		in.values[f.Name] = in.line.Bool(f.Flag)
	case verb.Pairs: // each is NAME=VALUE; NAME= is an empty one
		object := map[string]any{}
		if had, ok := in.values[f.Name].(map[string]any); ok {
			object = had
		}
		for _, pair := range in.line.StringSlice(f.Flag) {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || strings.TrimSpace(name) == "" {
				return usage("--%s %q is no NAME=VALUE", f.Flag, pair).
					WithHint("--%s severity=high; an empty value takes it away", f.Flag)
			}
			object[strings.TrimSpace(name)] = value
		}
		in.values[f.Name] = object
	case verb.Texts, verb.Numbers:
		in.values[f.Name] = cleared(in.line.StringSlice(f.Flag))
	default:
		in.values[f.Name], err = in.text(ctx, f, in.line.String(f.Flag))
		if span, ok := record.Span(in.line.String(f.Flag)); inSeconds(f) && ok {
			in.values[f.Name] = strconv.FormatFloat(span.Seconds(), 'f', -1, 64)
		}
	}
	return err
}

// choice reads a boolean that has a flag for each of its values.
func (in *input) choice(f verb.Field) error {
	yes, no := in.line.Bool(f.Flag), in.line.Bool(f.Not)
	switch {
	case yes && no:
		return usage("--%s and --%s exclude each other", f.Flag, f.Not).WithHint("leave out the one that does not hold")
	case yes || no:
		in.values[f.Name] = yes
	case f.Required && in.values[f.Name] == nil:
		return usage("says neither --%s nor --%s", f.Flag, f.Not).WithHint("add the one that holds")
	}
	return nil
}

// objects reads a list of objects, flag by flag. One empty value of the first flag clears the list.
func (in *input) objects(f verb.Field) error {
	objects := []map[string]any{}
	given := false
	for i, flag := range objectFlags(f) {
		given = given || in.line.IsSet(flag.Name)
		values := in.line.StringSlice(flag.Name)
		if i == 0 {
			values = cleared(values)
		}
		for _, value := range values {
			object, err := flag.Parse(value)
			if err != nil {
				return err
			}
			objects = append(objects, object)
		}
	}
	if given {
		in.values[f.Name] = objects
	}
	return nil
}

// cleared is the empty list for one empty value, so that --label= clears the labels.
func cleared(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return []string{}
	}
	return values
}

// text is a value as given. For free text, - stands for standard input.
func (in *input) text(ctx context.Context, f verb.Field, value string) (string, error) {
	if value != "-" || f.Names != "" || f.From != "" || f.Type != verb.Text {
		return value, nil
	}
	text, err := readAll(ctx, "standard input", in.Stdin)
	return strings.TrimRight(text, "\r\n"), err
}

// fillOwn fills in what the command line knows and a tool has to be told: who acts, and a key for a call that is made
// once.
func (in *input) fillOwn(w *verb.Workspace) error {
	for _, f := range in.fields {
		if in.values[f.Name] != nil {
			continue
		}
		switch f.Own {
		case "actor":
			in.values[f.Name] = string(w.Actor())
		case "key":
			token, err := record.Token(w.Now(), w.Rand)
			if err != nil {
				return err
			}
			in.values[f.Name] = "cli-" + token
		}
	}
	return nil
}

const maxInput = 4 << 20 // bytes; no file in a workspace may be larger

// isInline reports whether what stands for an input is the text itself.
func isInline(source string) bool { return strings.HasPrefix(strings.TrimSpace(source), "{") }

// inputText reads what a flag or an argument names: - is standard input, {...} is the text itself, and the rest is a
// file.
func (p *program) inputText(ctx context.Context, source string) (string, error) {
	switch {
	case source == "-":
		return readAll(ctx, "standard input", p.Stdin)
	case isInline(source):
		return source, nil
	}
	f, err := terminal.Interruptible(ctx, func() (*os.File, error) { return os.Open(p.abs(source)) })
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", usage("the input: %v", err).WithHint("it is -, a file, or an {...} object")
	}
	defer func() { _ = f.Close() }()
	return readAll(ctx, "--input", f)
}

// readAll reads a stream to its end. It returns an error if ctx ends first, or if there are more than maxInput bytes.
func readAll(ctx context.Context, name string, in io.Reader) (string, error) {
	text, err := terminal.Interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxInput+1)) })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", record.Errorf(record.IO, "%s: %w", name, err).WithHint("name a file that can be read")
	case len(text) > maxInput:
		return "", usage("%s is longer than %d bytes", name, maxInput).WithHint("no file of cairn's may be larger")
	}
	return string(text), nil
}

// inputFile is a file that a field was read from, so that an error about a part of it can say the line.
type inputFile struct {
	name  string
	field string // whose value the file is, unless it is an object with that key
	root  *format.Node
}

// located is an error with the line of what its message names first, such as tasks[2].checks[0].cmd. Any other error
// stays as it is.
func (f *inputFile) located(err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if f == nil || !ok || e.Code != record.InvalidInput && e.Code != record.DanglingDep && e.Code != record.DepCycle {
		return err
	}
	_, path, ok := strings.Cut(e.Msg, f.field+"[")
	if !ok || len(f.root.Content) == 0 {
		return err
	}
	n := f.root.Content[0]
	if n.Kind == format.MappingNode {
		_, n = format.Member(n, f.field)
	}
	if n == nil {
		return err
	}
	return amended(e, func(e *record.Error) {
		e.Msg = f.name + ":" + strconv.Itoa(lineWithin(n, "["+path)) + ": " + e.Msg
	})
}

// lineWithin is the line of what a path such as [2].checks[0] names below a node. Of what is not there it is the line of
// what is around it.
func lineWithin(n *format.Node, path string) int {
	line := n.Line
	for {
		part := regexp.MustCompile(`^(?:\[([0-9]+)\]|\.([a-z0-9_]+))`).FindStringSubmatch(path)
		if part == nil {
			return line
		}
		path = path[len(part[0]):]
		if i, err := strconv.Atoi(part[1]); err == nil {
			if n.Kind != format.SequenceNode || i >= len(n.Content) {
				return line
			}
			n = n.Content[i]
			line = n.Line
			continue
		}
		key, value := format.Member(n, part[2])
		if value == nil {
			return line
		}
		n, line = value, key.Line
	}
}

// yamlMessage is what is wrong with a file in YAML, on one line.
func yamlMessage(err error) string {
	msg := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:")
	return strings.ReplaceAll(strings.TrimSpace(msg), "\n  ", "; ")
}

// datesAsTexts keeps dates as they are written: YAML would make times of them, and a day is due at its end.
func datesAsTexts(n *format.Node) {
	if n.Kind == format.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, below := range n.Content {
		datesAsTexts(below)
	}
}
