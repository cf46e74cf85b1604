package cmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

type resolveIn struct {
	ID     string `json:"id,omitempty" doc:"the record; without it they are listed, and if there is one alone it is that" cli:"arg" from:"disputes"`
	Ours   bool   `json:"ours,omitempty" doc:"take what this branch says"`
	Theirs bool   `json:"theirs,omitempty" doc:"take what the other side says"`
	Edit   bool   `json:"edit,omitempty" doc:"settle it in your editor" cli:"also=e"`

	Discard bool `json:"discard,omitempty" doc:"with edit: begin anew, without what an earlier edit left"`
}

// disputesResult is the records that are in dispute.
type disputesResult struct {
	Disputes []disputeResult `json:"disputes"`
}

type disputeResult struct {
	ID          string             `json:"id"`
	Path        string             `json:"path"`
	With        string             `json:"with"` // where their version comes from
	Differences []differenceResult `json:"differences"`
}

type differenceResult struct {
	Field  string `json:"field"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
	Note   string `json:"note,omitempty"`
}

// resolveResult is a record that was settled.
type resolveResult struct {
	ID     string   `json:"id"`
	Path   string   `json:"path"`
	Chosen string   `json:"chosen"` // the text of the entry that says what was chosen
	Staged bool     `json:"staged"` // false if the next sync merges it so
	Left   []string `json:"left"`   // the ids of the records that are still in dispute
}

func resolveCommands() []command {
	return []command{declare(command{
		name:  "resolve",
		usage: "Settle a record of which two branches say different things, in a merge or after a sync.",
		group: "workspace",
		about: "At a terminal it asks for each difference; elsewhere it takes a flag, or lists the differences and fails. What does go together\n" +
			"is merged, the entries of both sides stay, and one more says what was chosen. In a merge that git has under way the file is\n" +
			"written and staged, also where one side was checked out (git checkout --ours), which brings the lost entries back. What cairn\n" +
			"sync could not merge is settled for the next sync. Of a record that one side deleted and the other changed, the side that is taken\n" +
			"says whether it is deleted or kept.",
	}, func(ctx context.Context, c *call, in resolveIn) error {
		return resolveCommand{call: c, resolveIn: in}.run(ctx)
	})}
}

type resolveCommand struct {
	*call
	resolveIn
	w   *verb.Workspace
	s   *store.Store
	all []work.Dispute
}

func (p resolveCommand) run(ctx context.Context) (err error) {
	flags := []string{}
	for name, set := range map[string]bool{"--ours": p.Ours, "--theirs": p.Theirs, "--edit": p.Edit} {
		if set {
			flags = append(flags, name)
		}
	}
	if len(flags) > 1 {
		return usage("--ours, --theirs and --edit do not go together").WithHint("leave out all but one")
	}
	if p.w, p.s, err = p.open(ctx); err != nil {
		return err
	}
	if p.s.Repo != nil {
		if p.all, err = work.Disputes(ctx, p.s, p.Now); err != nil {
			return err
		}
	}
	at, err := p.named(len(flags) > 0 || p.atTerminal())
	if err != nil {
		return err
	}
	if at < 0 {
		p.show(listed(p.all))
		return nil
	}
	d := p.all[at]
	p.all = slices.Delete(p.all, at, at+1)
	return p.settle(ctx, d)
}

func (p resolveCommand) atTerminal() bool {
	_, ok := terminal.Is(p.Stdin)
	return ok && !p.json
}

// named is the dispute that is meant: that of the id, a part of it or the words of its title, or the only one if it is to
// be settled. It is negative if none is.
func (p resolveCommand) named(settles bool) (int, error) {
	if p.ID == "" {
		if len(p.all) == 1 && settles {
			return 0, nil
		}
		return -1, nil
	}
	fit := record.Those(p.all, func(d work.Dispute) bool { return strings.Contains(d.Ref.ID, p.ID) })
	if len(fit) == 0 {
		fit = verb.Titled(p.all, p.ID, work.Dispute.Title)
	}
	i := slices.IndexFunc(p.all, func(d work.Dispute) bool {
		return d.Ref.ID == p.ID || len(fit) == 1 && d.Ref == fit[0].Ref
	})
	switch {
	case i >= 0:
		return i, nil
	case len(fit) == 0:
		return 0, record.Errorf(record.NotFound, "%s is not in dispute", record.Clip(p.ID, 100)).
			WithHint(
				"%s lists what is; %s merges what others have pushed", record.CallTo("resolve"), record.CallTo("sync"))
	default:
		return 0, record.Errorf(record.AmbiguousID, "%s fits %d records in dispute", record.Clip(p.ID, 100), len(fit)).
			WithHint("%s lists them", record.CallTo("resolve"))
	}
}

// settle settles a dispute as the flags say, as the file shows, or as the person at the terminal answers.
func (p resolveCommand) settle(ctx context.Context, d work.Dispute) error {
	theirs := slices.Repeat([]bool{p.Theirs}, len(d.Differences))
	taken, took := d.Taken()
	switch {
	case p.Edit && d.Deleted:
		return usage("one side deleted %s, so there are no two texts to edit", d.Ref.ID).WithHint("%s, or --theirs", record.CallTo("resolve", "", d.Ref.ID, "ours", true))
	case p.Edit:
		return p.inEditor(ctx, d)
	case p.Ours, p.Theirs, len(d.Differences) == 0:
	case d.ByHand():
		return p.land(ctx, d, d.Text(), "settled a merge with "+d.With+" by hand")
	case took:
		theirs = slices.Repeat([]bool{taken}, len(d.Differences))
	case p.atTerminal():
		if err := p.ask(ctx, d, theirs); err != nil {
			return err
		}
	default:
		if !p.json {
			p.show(listed([]work.Dispute{d}))
		}
		if d.Deleted {
			return verb.WithID(record.Errorf(record.MergeConflict, "one side deleted it and the other changed it, and nobody is here to choose").
				WithHint("%s, or --theirs: the one that deleted it deletes it, the other keeps it", record.CallTo("resolve", "", d.Ref.ID, "ours", true)), record.ID(d.Ref.ID))
		}
		fields := record.Each(d.Differences, func(one kind.Difference) string { return one.Field })
		e := record.Errorf(record.MergeConflict,
			"ours and theirs differ in %s, and nobody is here to choose", strings.Join(record.Unique(fields), ", ")).
			WithHint("%s, or --theirs, or --edit", record.CallTo("resolve", "", d.Ref.ID, "ours", true))
		return verb.WithID(e, record.ID(d.Ref.ID))
	}
	return p.land(ctx, d, d.Choices.With(theirs), d.Chosen(theirs))
}

// ask asks for each difference which side is taken.
func (p resolveCommand) ask(ctx context.Context, d work.Dispute, theirs []bool) error {
	for i, one := range d.Differences {
		p.show(disputeOf(d, []kind.Difference{one}))
		for {
			p.printf("Take (o)urs or (t)heirs? [o/t/q] ")
			answer, err := terminal.ReadAnswer(ctx, p.Stdin)
			if err != nil {
				return err
			}
			if answer == "" || strings.HasPrefix("quit", answer) {
				return usage("not settled").WithHint("nothing was changed")
			}
			if theirs[i] = strings.HasPrefix("theirs", answer); theirs[i] || strings.HasPrefix("ours", answer) {
				break
			}
		}
	}
	return nil
}

// inEditor settles a dispute in the user's editor.
func (p resolveCommand) inEditor(ctx context.Context, d work.Dispute) error {
	draft, err := newDraft(p.program, p.s, "resolve-"+strings.ReplaceAll(d.Ref.ID, ":", "-"))
	if err != nil {
		return err
	}
	draft.op, draft.id = "resolve", record.ID(d.Ref.ID)
	draft.goOn = "cairn resolve " + d.Ref.ID + " --edit"
	draft.without = record.CallTo("resolve", "", d.Ref.ID, "ours", true)
	marked := func() ([]byte, error) { return d.Marked(), nil }
	return draft.inEditor(ctx, p.Discard, marked, func(ctx context.Context) error {
		_, mine, err := draft.texts()
		if err == nil {
			err = p.land(ctx, d, mine, "settled a merge with "+d.With+" in an editor")
		}
		if err == nil {
			draft.forget()
		}
		return err
	})
}

// land writes what was chosen, and says so.
func (p resolveCommand) land(ctx context.Context, d work.Dispute, text []byte, chosen string) error {
	err := d.Settle(ctx, p.s, p.Now, text, record.Stamp{Who: p.w.Actor(), At: p.Now(), Text: chosen})
	if err != nil {
		return verb.WithID(err, record.ID(d.Ref.ID))
	}
	r := resolveResult{ID: d.Ref.ID, Path: d.Path, Chosen: chosen, Staged: !d.OfSync(), Left: []string{}}
	for _, other := range p.all {
		r.Left = append(r.Left, other.Ref.ID)
	}
	p.show(r)
	return nil
}

func listed(all []work.Dispute) disputesResult {
	r := disputesResult{Disputes: []disputeResult{}}
	for _, d := range all {
		r.Disputes = append(r.Disputes, disputeOf(d, d.Differences))
	}
	return r
}

func disputeOf(d work.Dispute, differences []kind.Difference) disputeResult {
	r := disputeResult{ID: d.Ref.ID, Path: d.Path, With: d.With, Differences: []differenceResult{}}
	for _, one := range differences {
		r.Differences = append(r.Differences, differenceResult{one.Field, one.Ours, one.Theirs, one.Note})
	}
	return r
}

// exitConflict says to git that the file has conflicts.
const exitConflict = 1

func mergeCommands() []command {
	return []command{declare(command{
		name:  mergeDriver,
		usage: "Merge two versions of a file of a workspace, key by key; git calls it.",
		args:  "BASE OURS THEIRS MARKER-SIZE PATH",
		group: "workspace",
		about: "The result takes the place of OURS. It exits with 0 if nothing is left to settle and with 1 if there are conflict\n" +
			"markers in it. cairn setup merge-driver has git call it.",
		raw: true, // a path may begin with a dash
	}, runMergeDriver)}
}

// runMergeDriver reads and writes only the files that it is given: it takes no lock, asks nothing, and runs no git,
// which waits for it.
func runMergeDriver(ctx context.Context, p *call, _ nothing) error {
	args := p.words()
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cli.ShowCommandHelp(ctx, p.line.Root(), p.line.Name)
	}
	if len(args) != 5 {
		return usage("takes 5 arguments and not %d", len(args)).WithHint("git calls it as cairn merge-driver %%O %%A %%B %%L %%P")
	}
	size, err := strconv.Atoi(args[3])
	if err != nil || size < 1 || size > 1000 {
		return usage("%q is not the size of a marker", args[3]).WithHint("git passes it as %%L, and it is 7 as a rule")
	}
	var versions [3][]byte
	for i, name := range args[:3] {
		if versions[i], err = layout.ReadInput(p.abs(name)); err != nil {
			return usage("%v", err).WithHint("git passes the names of three files as %%O %%A %%B")
		}
	}
	markers := format.Markers{Size: size, Ours: "ours", Theirs: "theirs"}
	merged, clean := kind.Merge(filepath.ToSlash(args[4]), versions[0], versions[1], versions[2], p.flowAt(args[4]), markers)
	// The file is a temporary one of git's, which reads it when this process ends.
	if err := os.WriteFile(p.abs(args[1]), merged, 0o666); err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	if !clean {
		p.exit = exitConflict
	}
	return nil
}

// flowAt is the flow of the workspace that a file belongs to; the default one for one of no workspace.
func (p Env) flowAt(name string) task.Flow {
	for dir := filepath.Dir(p.abs(name)); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == layout.Folder {
			return snapshot.FlowToMerge(layout.Layout{Root: filepath.Dir(dir)})
		}
	}
	return kind.DefaultConfig().Flow
}
