package cmd

import (
	"bytes"
	"context"
	"os"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/verb"
	stated "github.com/cairn-tasks/cairn/internal/verb/evidence"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/statements"
	"github.com/cairn-tasks/cairn/task"
)

type (
	evidenceAddIn struct {
		File string `json:"file" doc:"a file with evidence, an envelope on each line" cli:"arg,value=FILE"`
	}
	evidenceVerifyIn struct {
		What string `json:"what,omitempty" doc:"a file with evidence, or a task; all that is kept here by default" cli:"arg,value=FILE|ID"`
	}
	evidenceExportIn struct {
		ID  record.ID `json:"id" doc:"the closed task" cli:"arg"`
		Key string    `json:"key,omitempty" doc:"sign what the record says with the ed25519 key in FILE, a private one or the public half of one in the agent" cli:"value=FILE"`
	}
)

// evidenceResult is what the commands of evidence print: statements, and what became of the exchange with the remote.
type evidenceResult struct {
	Evidence []stated.Row `json:"evidence"`
	Remote   string       `json:"remote,omitempty"` // "" if none was asked
	Pushed   bool         `json:"pushed"`           // the remote has all that is here
	Said     string       `json:"said,omitempty"`   // why not
}

func evidenceCommands() []command {
	return []command{
		declare(command{
			name: "evidence add", usage: "Take in evidence from a file, such as the artifact of a CI, and push it.",
			about: "Evidence that does not count is kept too, and says why. cairn sync brings what others have.",
		}, func(ctx context.Context, c *call, in evidenceAddIn) error { return evidenceCommand{c}.add(ctx, in) }),
		declare(command{
			name: "evidence verify", usage: "Verify evidence: whose it is, and whether it counts. It exits with 4 if any does not, or there is none.",
		}, func(ctx context.Context, c *call, in evidenceVerifyIn) error {
			return evidenceCommand{c}.verify(ctx, in)
		}),
		declare(command{
			name: "evidence export", usage: "Print evidence of a closed task, for others to verify: a DSSE envelope with an in-toto statement.",
			about: "Without --key it is what witnesses signed, an envelope on each line. With a key it states and signs what the record says.\n" +
				"docs/proof.md shows how others verify it.",
		}, func(ctx context.Context, c *call, in evidenceExportIn) error {
			return evidenceCommand{c}.export(ctx, in)
		}),
	}
}

type evidenceCommand struct{ *call }

// maxEvidence is the largest file with evidence that is read, in bytes.
const maxEvidence = 16 << 20

// envelopes reads a file with an envelope on each line.
func (p evidenceCommand) envelopes(file string) (all [][]byte, err error) {
	src, err := disk.ReadRegular(p.abs(p.underHome(file)), maxEvidence)
	if err != nil {
		return nil, record.Errorf(record.InvalidInput, "%s cannot be read: %w", file, err).WithHint("name a file that is there, with %d bytes at most", maxEvidence)
	}
	for line := range bytes.Lines(src) {
		if len(bytes.TrimSpace(line)) > 0 {
			all = append(all, append(bytes.TrimRight(line, "\r\n"), '\n'))
		}
	}
	return all, nil
}

func (p evidenceCommand) add(ctx context.Context, in evidenceAddIn) error {
	_, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	all, err := p.envelopes(in.File)
	if err != nil {
		return err
	}
	return p.keep(ctx, s, all)
}

// keep adds envelopes, exchanges with the remote, and shows what was added.
func (p evidenceCommand) keep(ctx context.Context, s *store.Store, sealed [][]byte) error {
	shelf := statements.Of(s, p.Now)
	if err := shelf.Add(ctx, sealed...); err != nil {
		return err
	}
	done, err := shelf.Exchange(ctx)
	if record.CodeOf(err) == record.Offline || record.CodeOf(err) == record.Untrusted {
		done.Said, err = record.MessageOf(err), nil // it is kept here all the same
	}
	if err != nil {
		return err
	}
	if _, err := shelf.Take(ctx, s); err != nil {
		return err
	}
	judged, err := shelf.Judge(ctx, sealed...)
	if err == nil {
		p.show(evidenceResult{stated.Rows(judged), done.Remote, done.Pushed, done.Said})
	}
	return err
}

func (p evidenceCommand) verify(ctx context.Context, in evidenceVerifyIn) error {
	w, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	shelf := statements.Of(s, p.Now)
	var judged []statements.Statement
	_, missing := os.Lstat(p.abs(p.underHome(in.What)))
	switch {
	case in.What == "":
		judged, err = shelf.Take(ctx, s)
	case missing == nil:
		var all [][]byte
		if all, err = p.envelopes(in.What); err == nil {
			judged, err = shelf.Judge(ctx, all...)
		}
	default:
		var id string
		if id, err = p.in.completeID(ctx, w, verb.Field{Names: record.TaskKind}, in.What); err == nil {
			_, err = record.ParseID(id)
		}
		if err == nil {
			judged, err = shelf.Read(ctx, id)
		}
	}
	if err != nil {
		return err
	}
	if len(judged) == 0 {
		p.exit = verb.ExitCheckFailed
	}
	for _, one := range judged {
		if one.Why != "" {
			p.exit = verb.ExitCheckFailed
		}
	}
	p.show(evidenceResult{Evidence: verb.NoNil(stated.Rows(judged))})
	return nil
}

func (p evidenceCommand) export(ctx context.Context, in evidenceExportIn) error {
	_, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	t, err := kind.Tasks.Get(s, in.ID)
	if err != nil {
		return err
	}
	if in.Key == "" {
		return p.stored(ctx, s, t.ID)
	}
	key, err := p.evidenceKey(in.Key)
	if err != nil {
		return err
	}
	at, err := gates.Landed(ctx, s, t)
	if err == nil && at == "" {
		err = record.Errorf(record.InvalidInput, "is not closed as done in any commit here").WithHint("commit its close first")
	}
	if err != nil {
		return verb.WithID(err, t.ID)
	}
	about, err := closeOf(t, at, nil, nil)
	if err != nil {
		return err
	}
	sealed, err := sealClose(ctx, about, key)
	if err == nil {
		_, err = p.out.Write(sealed)
	}
	return err
}

// stored prints the evidence of a task that counts.
func (p evidenceCommand) stored(ctx context.Context, s *store.Store, id record.ID) error {
	all, err := statements.Of(s, p.Now).Read(ctx, string(id))
	found := false
	for _, one := range all {
		if one.Why == "" && err == nil {
			_, err = p.out.Write(one.Sealed)
			found = true
		}
	}
	if err == nil && !found {
		err = record.Errorf(record.NotFound, "no witness has signed anything that counts").
			WithHint("--key FILE signs what the record says with an ed25519 key; a CI runs check --run --witness")
	}
	return verb.WithID(err, id)
}

// evidenceKey is the key to sign evidence with.
func (p *call) evidenceKey(named string) (sshsign.Raw, error) {
	if !sshsign.InWords(named) {
		named = p.abs(p.underHome(named))
	}
	return sshsign.OpenRaw(named, p.home(), p.Getenv("SSH_AUTH_SOCK"))
}

// closeOf states the close of a task: what the record says, or, where held says something of each command, what was run
// again, and which of them are red.
func closeOf(t task.Task, commit string, held, red map[int]bool) (evidence.Close, error) {
	out := evidence.Close{Task: t.ID, Close: t.Closing(), Commit: commit, Rerun: held != nil}
	index := t.EvidenceIndex()
	for i, c := range t.Checks {
		ev, _ := index.Evidence(i)
		again, ran := held[i]
		if held != nil && !ran || held == nil && ev.Result != record.Pass {
			continue
		}
		out.Checks = append(out.Checks, evidence.Passed{
			Key: c.Key(t.ID), Hash: c.Hash(t.ID), Desc: c.Desc, Held: held == nil && ev.Held == record.HeldBase || again, Red: red[i],
		})
	}
	if out.Close == "" || len(out.Checks) == 0 {
		return out, verb.WithID(record.Errorf(record.InvalidInput, "has no check that passed").WithHint("there is nothing to state"), t.ID)
	}
	return out, nil
}

func sealClose(ctx context.Context, c evidence.Close, by evidence.Signer) ([]byte, error) {
	s, err := c.Statement()
	if err != nil {
		return nil, err
	}
	sealed, err := evidence.Seal(ctx, s, by)
	if err != nil && record.CodeOf(err) == "" {
		err = record.Errorf(record.InvalidInput, "%w", err).WithHint("shorten the descriptions of its checks")
	}
	return sealed, err
}
