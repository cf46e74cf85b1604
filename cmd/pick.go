package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// mostPicked is how many records a person chooses from at once.
const mostPicked = 20

// pick lets a person at a terminal choose the records that the line must name and does not, one after the other, from
// those that completion would offer. Elsewhere, and where nothing can be offered, it chooses nothing.
func (in *input) pick(ctx context.Context) error {
	if !in.asksHere() {
		return nil
	}
	words := strings.Fields(in.line.FullName())[1:]
	for _, f := range in.fields {
		named := in.values[f.Name] != nil || f.Else == "session" && in.Getenv("CAIRN_SESSION") != ""
		if named || !f.Arg || !f.Required && f.Else == "" || f.Names == "" && f.From == "" {
			continue
		}
		offered := complete.Candidates(ctx, completion(in.program), words, "")
		if len(offered) == 0 || !in.personReads() {
			return nil
		}
		picked, err := in.pickOne(ctx, f, offered)
		if err != nil {
			return err
		}
		in.values[f.Name], words = picked, append(words, picked)
	}
	return nil
}

// pickOne asks until one is chosen, by its number, or by words that only it has. No answer chooses none.
func (in *input) pickOne(ctx context.Context, f verb.Field, offered []complete.Candidate) (string, error) {
	shown := offered
	for {
		in.offer(shown)
		screen.Fprintf(in.Stderr, "Which one, by its number or by words of it? ")
		answer, err := terminal.ReadAnswer(ctx, in.Stdin)
		if err != nil {
			return "", err
		}
		if answer == "" {
			return "", usage("nothing was chosen").WithHint("%s: %s", in.form(), f.Doc)
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= min(len(shown), mostPicked) {
			return shown[n-1].Value, nil
		}
		fit := having(offered, strings.Fields(answer))
		switch len(fit) {
		case 0:
			screen.Fprintf(in.Stderr, "None of them has %s.\n", answer)
			shown = offered
		case 1:
			return fit[0].Value, nil
		default:
			shown = fit
		}
	}
}

func (in *input) offer(shown []complete.Candidate) {
	t := screen.Table{Head: []string{"", "", ""}, Grow: 2}
	for i, c := range shown[:min(len(shown), mostPicked)] {
		t.Add(strconv.Itoa(i+1), c.Value, c.About)
	}
	width, _ := terminal.Is(in.Stderr)
	t.Print(in.Stderr, width, in.style())
	if more := len(shown) - mostPicked; more > 0 {
		screen.Fprintf(in.Stderr, "and %d more: words of the one that is meant narrow them down\n", more)
	}
}

// having are the candidates that have all of the words, in any case.
func having(all []complete.Candidate, words []string) (out []complete.Candidate) {
	for _, c := range all {
		text, has := strings.ToLower(c.Value+" "+c.About), true
		for _, word := range words {
			has = has && strings.Contains(text, word)
		}
		if has {
			out = append(out, c)
		}
	}
	return out
}
