package tasks

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// NoteIn is the input of Note.
type NoteIn struct {
	ID       verb.RecordID `json:"id,omitempty" doc:"record it is about; by default your session" cli:"arg,several" else:"session"`
	Text     string        `json:"text" doc:"what is worth remembering; 4 KiB at most; @NAME mentions somebody" cli:"arg"`
	Re       string        `json:"re,omitempty" doc:"hash of the entry that it answers" from:"entries" mcp:"quiet"`
	Mentions []string      `json:"mentions,omitempty" doc:"actors whom it concerns" cli:"flag=mention" from:"actors" mcp:"quiet"`
	Severity string        `json:"severity,omitempty" doc:"how grave it is: info, warn or critical" oneof:"info,warn,critical" mcp:"quiet"`
	Verb     string        `json:"verb,omitempty" doc:"of a milestone: what was done, such as deployed" mcp:"quiet"`
	verb.Once
}

// Note appends a comment to the provenance of a record of any kind, without changing anything else. Anybody may, also
// if somebody else holds the task. It returns the record, as get does.
func Note(ctx context.Context, w *verb.Workspace, s *store.Store, in NoteIn) (any, error) {
	if in.ID == "" {
		in.ID = verb.RecordID(w.Session)
	}
	if in.ID == "" {
		return nil, in.whichOne(ctx, w, s)
	}
	if err := in.valid(); err != nil {
		return nil, err
	}
	k, v, err := kind.Find(s, string(in.ID))
	if err != nil {
		return nil, err
	}
	re, err := in.answers(k.Header(v).Log)
	if err != nil {
		return nil, err
	}
	mentions, missed, err := in.mentioned(ctx, w, s)
	if err != nil {
		return nil, err
	}
	entry := w.Stamp(in.Text).Entry(record.Noted).Saying(record.Detail{Mentions: mentions, Re: re, Verb: in.Verb, Severity: in.Severity})
	out, err := verb.Change{Kind: k, IDs: []string{string(in.ID)}, Decide: func(wc verb.WriteContext) (any, error) {
		_, told := k.Header(wc.Was).Log.Newest(func(e record.Entry) bool {
			return e.Did == record.Noted && e.Who == entry.Who && e.Text == entry.Text && e.Said().Verb == in.Verb
		})
		if in.Verb != "" && told { // the milestone is there already
			return wc.Was, nil
		}
		return k.With(wc.Was, entry), nil
	}}.Any(ctx, w, s)
	return verb.Noticed(out, missed), err
}

// whichOne is the refusal of a note that names no record: it names the sessions that the caller has open.
func (in NoteIn) whichOne(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	all, err := w.Reads.Look(ctx, s, kind.Sessions.Kind)
	if err != nil {
		return err
	}
	var open []string
	for _, r := range all.Rows() {
		if ses, err := kind.Sessions.Get(s, r.ID); r.Status == record.Status(session.Active) && err == nil && ses.Actor == w.Actor() {
			open = append(open, ses.ID+" on "+cmp.Or(string(ses.Task), "no task"))
		}
	}
	call := record.CallTo("note", "id", "ID", "text", "TEXT").OnlyShown()
	if len(open) == 0 {
		return verb.BadInput("id", "is missing, and no session is under way").WithHint("%s; CAIRN_SESSION names a session", call)
	}
	return verb.BadInput("id", "is missing: which of your open sessions is it about, %s?", strings.Join(open, " or ")).WithHint("%s, with a session or a task; CAIRN_SESSION names a session for all that follow", call)
}

// valid looks at what can be judged without reading anything.
func (in NoteIn) valid() error {
	if len(in.Text) > record.MaxText {
		return record.Errorf(record.InvalidInput, "text is %d bytes long, more than %d", len(in.Text), record.MaxText).
			WithHint("what is longer belongs into a note of knowledge, or into a file: %s", record.CallTo("ref_add", "id", string(in.ID), "type", string(record.FileRef)).OnlyShown())
	}
	if in.Verb != "" && !record.IsWord(in.Verb, "._-") || len(in.Verb) > maxVerb {
		return verb.BadInput("verb", "is %q", verb.Head(in.Verb, 40)).WithHint("one word of letters, digits and ._-, such as deployed")
	}
	return record.RequiredText("text", in.Text, "say what is worth remembering")
}

const maxVerb = 64 // bytes

const maxMentions = 50

// mentioned lists whom the note concerns: the actors that the caller names, and those that the text mentions.
func (in NoteIn) mentioned(ctx context.Context, w *verb.Workspace, s *store.Store) ([]record.Actor, []verb.Notice, error) {
	out, missed, err := w.Mentioned(ctx, s, in.Text)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range in.Mentions {
		who, err := w.ActorNamed(name)
		if err != nil {
			return nil, nil, err
		}
		if who != "" && !slices.Contains(out, who) {
			out = append(out, who)
		}
	}
	if len(out) > maxMentions {
		return nil, nil, verb.BadInput("mentions", "are %d, more than %d", len(out), maxMentions).WithHint("mention those whom it concerns most")
	}
	return out, missed, nil
}

func (in NoteIn) answers(log record.Log) (string, error) {
	if in.Re == "" {
		return "", nil
	}
	e, err := log.Entry(in.Re)
	if err != nil {
		return "", record.Errorf(record.CodeOf(err), "re: %s", record.MessageOf(err)).WithHint("%s shows the comments with their hashes", record.CallTo("get", "id", string(in.ID), "include", []string{commentsPart}))
	}
	return e.ShortHash(), nil
}
