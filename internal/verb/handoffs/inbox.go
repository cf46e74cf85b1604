package handoffs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// InboxIn is the input of Inbox.
type InboxIn struct {
	Types  []What     `json:"types,omitempty" doc:"only handoff, mention, assigned, answer, review, check, decision, job or lost" cli:"flag=type" oneof:"handoff,mention,assigned,answer,review,check,decision,job,lost"`
	Ack    []string   `json:"ack,omitempty" doc:"ids of items that you have acted on; a handoff that you claimed or answered is ended as processed" from:"handoffs"`
	AckAll bool       `json:"ack_all,omitempty" doc:"acknowledge all that is unread, of these types if any are named; handoffs stay"`
	Unread *bool      `json:"unread" doc:"false: also what was acknowledged already" cli:"not=all"`
	Limit  verb.Limit `json:"limit,omitempty" doc:"how many to return; 20 by default, 500 at most"`
	Cursor string     `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// What says why something is in an inbox.
type What string

// The reasons.
const (
	IsHandoff  What = "handoff"  // addressed to the actor, and not dealt with
	IsMention  What = "mention"  // an entry mentions the actor
	IsAssigned What = "assigned" // somebody else gave the actor a task
	IsAnswer   What = "answer"   // to what the actor asked
	IsReview   What = "review"   // a task that waits for the actor's approval, or a judgement of the actor's work
	IsCheck    What = "check"    // a manual check that the actor may settle is what remains of a task
	IsDecision What = "decision" // somebody proposed it, and a person accepts or rejects it
	IsJob      What = "job"      // a job of an open task stopped, and nobody goes on with it
	IsLost     What = "lost"     // the actor held it in this clone, and git brought a file that says otherwise
)

// Item is one thing in an inbox. Its id is that of the record, or that and the short hash of the entry that it is
// about; it stays the same.
type Item struct {
	ID     string        `json:"id"`
	What   What          `json:"what"`
	Title  string        `json:"title"`          // of the record
	Text   string        `json:"text,omitempty"` // the beginning of what the entry says
	From   record.Actor  `json:"from"`
	At     time.Time     `json:"at"`
	Unread bool          `json:"unread"`           // it was not acknowledged
	Record string        `json:"record"`           // id of the record
	Status record.Status `json:"status"`           // of the record
	Type   string        `json:"type,omitempty"`   // of a handoff
	Due    string        `json:"due,omitempty"`    // of a handoff
	Result string        `json:"result,omitempty"` // how the actor's work was judged: pass or fail
	Check  string        `json:"check,omitempty"`  // of a task that waits for the actor: what attest settles
	About  []string      `json:"about,omitempty"`  // of a handoff or a decision: the records that it is about
	Why    string        `json:"why,omitempty"`    // of a claim that was lost, or a job that stopped; what remains of a review
	State  string        `json:"state,omitempty"`  // of a job: failed, stale, expired, given up, sent back; of a review: approved
	Job    string        `json:"job,omitempty"`    // its id
	Next   string        `json:"next,omitempty"`   // the command that leads on from what waits for whoever leads
	Branch string        `json:"branch,omitempty"` // where that task was worked on last, or the one that alone has the handoff
	Head   string        `json:"head,omitempty"`   // and the commit to look at

	session  string // the last one on a task that waits for the actor's approval
	urgency  int    // the priority of the task
	answered bool   // the actor answered the handoff
}

// ItemMark stands between the id of a record and the short hash of an entry, in the id of an item.
const ItemMark = "#"

const inboxLimit = 20

// Inbox lists what waits for the caller, the newest first. It is derived from the rows of all records; the only files
// read are those whose mentions and answers it shows. Reading acknowledges nothing. Ack comes first: it ends the handoffs
// that the caller claimed or answered, where the caller may write, and marks all else in live state.
func Inbox(ctx context.Context, w *verb.Workspace, s *store.Store, in InboxIn) (verb.Items[Item], error) {
	err := in.valid()
	if err == nil {
		err = acknowledge(ctx, w, s, in.Ack)
	}
	if err != nil {
		return verb.Items[Item]{}, err
	}
	g, err := w.Graph(ctx, s)
	if err == nil && in.AckAll {
		err = acknowledgeAll(ctx, w, s, g, in)
	}
	if err != nil {
		return verb.Items[Item]{}, err
	}
	return InboxBeside(ctx, w, s, g, in)
}

// acknowledgeAll marks what is unread. A handoff ends by an answer, and is not among it.
func acknowledgeAll(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, in InboxIn) error {
	all, _, err := collect(ctx, w, s, g)
	if err != nil {
		return err
	}
	var ids []string
	for _, item := range all {
		if item.Unread && item.What != IsHandoff && in.asksFor(item) {
			ids = append(ids, item.ID)
		}
	}
	return acknowledge(ctx, w, s, ids)
}

func (in InboxIn) asksFor(item Item) bool {
	return len(in.Types) == 0 || slices.Contains(in.Types, item.What)
}

// InboxBeside is Inbox for a verb that has looked at the tasks already. It acknowledges nothing.
func InboxBeside(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, in InboxIn) (verb.Items[Item], error) {
	all, problems, err := collect(ctx, w, s, g)
	if err != nil {
		return verb.Items[Item]{}, err
	}
	var fit []verb.Ranked[Item]
	for _, item := range all {
		if in.asksFor(item) && (item.Unread || in.Unread != nil && !*in.Unread) {
			fit = append(fit, verb.Ranked[Item]{At: verb.Position{Key: verb.NewestFirst(item.At), ID: string(item.What) + item.ID}, Item: item})
		}
	}
	page := w.PageIn("inbox", verb.Paging{Limit: cmp.Or(in.Limit, inboxLimit), Cursor: in.Cursor})
	return verb.PageOf(fit, func(item Item) Item { return item.whole(s) }, problems, page)
}

const maxAck = 500 // items

func (in InboxIn) valid() error {
	if len(in.Ack) > maxAck {
		return verb.BadInput("ack", "names %d items, more than %d", len(in.Ack), maxAck).WithHint("acknowledge them in several calls")
	}
	for _, id := range in.Ack {
		of, hash, entry := strings.Cut(id, ItemMark)
		if kind.ParseAnyID(of) != nil || entry && !record.IsShortHash(hash) || !entry && kind.Handoffs.ParseID(of) != nil {
			return verb.BadInput("ack", "names %q, which is not the id of an item", id).WithHint("give back an id as %s returned it", record.CallTo("inbox"))
		}
	}
	return nil
}

// acknowledge ends the handoffs among the items that the caller claimed or answered, and marks all others, in one
// write. A caller who may not write to records marks all. What is over, or gone, is marked too.
func acknowledge(ctx context.Context, w *verb.Workspace, s *store.Store, items []string) error {
	if len(items) == 0 {
		return nil
	}
	writes := w.Profile >= verb.PairWorker && !w.ReadOnly && w.Scope == ""
	_, err := verb.Change{Decide: func(wc verb.WriteContext) (any, error) {
		for _, id := range items {
			if writes && !strings.Contains(id, ItemMark) {
				if err := settle(w, wc, id); err != nil {
					return nil, verb.WithID(err, record.ID(id))
				}
			}
		}
		wc.Tx.Acknowledge(wc.Tx.Inbox(w.Actor()).Ack(items...))
		return nil, nil
	}}.Run(ctx, w, s)
	for _, id := range items {
		if err == nil {
			err = drop(ctx, w, s, id)
		}
	}
	return err
}

// drop ends a claim of the caller that a file overrules, if an item says so: its holder has been told.
func drop(ctx context.Context, w *verb.Workspace, s *store.Store, item string) error {
	id, hash, _ := strings.Cut(item, ItemMark)
	t, err := kind.Tasks.Get(s, record.ID(id))
	if err != nil {
		return nil //nolint:nilerr // it is about no task, or none that is here
	}
	lease := s.Known(t.ID.Ref()).OverruledOf(w.Actor(), t.Header())
	if lease == nil || lease.Session != "" || lease.Made.Short() != hash {
		return nil
	}
	return s.DropLease(ctx, t.ID.Ref(), *lease)
}

// settle ends a handoff that the caller claimed or answered as processed.
func settle(w *verb.Workspace, wc verb.WriteContext, id string) error {
	h, err := kind.Handoffs.Get(wc.Tx, ledger.HandoffID(id))
	if record.CodeOf(err) == record.NotFound {
		return nil
	}
	me := w.Actor()
	if err != nil || h.Closed() || h.Assignee != me && !h.Answered(me) {
		return err
	}
	_, err = wc.Stage(changeOf(w, id, nil, func(c writing) (ledger.Handoff, error) { return c.resolve(ledger.HandoffResolved, "") }))
	return err
}

// collector finds what waits for an actor.
type collector struct {
	w      *verb.Workspace
	s      *store.Store
	me     record.Actor
	groups ledger.GroupsOf
	acked  map[string]bool
	known  func(record.Ref) session.Live
	items  []Item
}

// collect reads the rows of all kinds, and no file that did not change, but for handoffs of which the clone knows more
// than their files.
func collect(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph) ([]Item, []problem.Problem, error) {
	groups, err := w.GroupsOf(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	c := &collector{w: w, s: s, me: w.Actor(), groups: groups, acked: map[string]bool{}}
	for _, id := range s.Inbox(c.me).Acked {
		c.acked[id] = true
	}
	c.known, _ = w.Reads.KnownOf(ctx, s)
	problems, err := w.EachRow(ctx, s, func(k *kind.Kind, r *kind.Row) {
		if k == kind.Tasks.Kind {
			return
		}
		switch c.mentions(r); k {
		case kind.Handoffs.Kind:
			c.handoff(r)
		case kind.Decisions.Kind:
			c.decision(r)
		}
	})
	for _, r := range g.Rows() { // as the work trees have them
		if g.OnBranch(r) == "" {
			c.mentions(r)
			c.task(g, r)
		}
	}
	_ = s.EachHeld(func(of record.Ref) { // a folder that cannot be listed holds nothing that is known
		if r := g.Row(record.ID(of.ID)); of.Kind == record.TaskKind && r != nil && g.OnBranch(r) == "" {
			c.lost(g, r)
		}
	})
	if err == nil {
		err = c.jobs(ctx, g)
	}
	if err == nil {
		err = c.asked(ctx, g)
	}
	return c.items, problems, err
}

// add adds an item about a record, or about one entry of it.
func (c *collector) add(what What, r *kind.Row, said kind.Said) *Item {
	item := Item{
		ID: r.ID, What: what, Title: r.Title, From: said.Who, At: said.At, Unread: true,
		Record: r.ID, Status: r.Status,
	}
	if said.Hash != "" {
		item.ID += ItemMark + said.Hash
	}
	item.Unread = !c.acked[item.ID]
	c.items = append(c.items, item)
	return &c.items[len(c.items)-1]
}

func (c *collector) mentions(r *kind.Row) {
	for _, said := range r.Said(kind.MentionFact) {
		if said.More == string(c.me) && said.Who != c.me {
			c.add(IsMention, r, said)
		}
	}
}

// lost adds a task that the actor held in this clone, until git brought a file that says otherwise.
func (c *collector) lost(g *verb.Graph, r *kind.Row) {
	live := c.known(record.ID(r.ID).Ref())
	if live.State == nil || live.State.Lease == nil || live.State.Lease.Actor != c.me {
		return
	}
	file := g.Header(r)
	if lease := live.Overruled(file); lease != nil && lease.Made.Entry != "" {
		by := kind.Said{Who: file.Assignee, At: file.Log.Last().At, Hash: lease.Made.Short()}
		c.add(IsLost, r, by).Why = lease.Why(file)
	}
}

// handoff adds a handoff to the actor, and answers to one from it. It returns the handoff that waits, if it does.
func (c *collector) handoff(r *kind.Row) *Item {
	if r.Fact(kind.FromFact) == string(c.me) {
		for _, said := range r.Said(kind.AnswerFact) {
			c.add(IsAnswer, r, said).Type = r.Fact(kind.TypeFact)
		}
	}
	answered := slices.Contains(r.All(kind.AnsweredFact), string(c.me))
	switch {
	case over(r.Status) || !addressed(r, c.me, c.groups):
		return nil
	case !answered && (r.Assignee != "" && r.Assignee != c.me || r.Status == ledger.HandoffResponded || c.taken(r)):
		return nil // another recipient deals with it
	}
	item := c.add(IsHandoff, r, kind.Said{Who: record.Actor(r.Fact(kind.FromFact)), At: time.Unix(r.Created, 0).UTC()})
	item.Type, item.Due = r.Fact(kind.TypeFact), r.Fact(kind.DueFact)
	item.About = r.All(kind.AboutFact)
	item.Unread, item.answered, item.Next = item.Unread && !answered, answered, "cairn answer "+r.ID+" TEXT"
	if item.Type == string(ledger.Handover) && r.Status == ledger.HandoffOpen {
		item.Next = "cairn handoff claim " + r.ID
	}
	return item
}

// decision adds a decision that somebody else proposed, which a person accepts or rejects.
func (c *collector) decision(r *kind.Row) {
	from := record.Actor(r.Fact(kind.FromFact))
	if r.Status == ledger.Proposed && c.me.Human() && from != c.me {
		item := c.add(IsDecision, r, kind.Said{Who: from, At: time.Unix(r.Created, 0).UTC(), Hash: shortHash(r.ID)})
		item.About, item.Next = r.All(kind.AboutFact), "cairn decision set-status "+r.ID+" accepted"
	}
}

// shortHash has the form of the short hash of an entry, for what is about no single one.
func shortHash(text string) string {
	of := sha256.Sum256([]byte(text))
	return hex.EncodeToString(of[:])[:8]
}

// manual adds a task of which a manual check remains that the actor may settle: its commands passed, or it has none and
// was handed over. An agent is told of what names it alone.
func (c *collector) manual(r *kind.Row) {
	flow := c.s.Config.Flow
	inReview := flow.Review != "" && r.Status == flow.Review
	for _, check := range r.Manual() {
		if !inReview && (r.Status != flow.Working || check.Behind == 0) || !flow.MaySettle(check.Check, c.me) ||
			!c.me.Human() && !strings.HasSuffix(check.By, string(c.me)) {
			continue
		}
		item := c.add(IsCheck, r, kind.Said{Who: r.Assignee, At: time.Unix(r.Updated, 0).UTC(), Hash: shortHash(r.ID + check.Desc)})
		item.Check, item.Why, item.urgency = check.Desc, "to be looked at: "+check.Desc, int(r.Priority)
		item.Next = fmt.Sprintf("cairn attest %s %d --pass", r.ID, check.N)
		if flow.MustSign(check.Check) {
			item.Next += " --sign"
		}
		return // the page and the command show the others
	}
}

// taken reports whether another recipient has claimed a handoff in this clone, or it was carried further in another
// worktree, although its file does not say so here.
func (c *collector) taken(r *kind.Row) bool {
	live := c.known(kind.Handoffs.Ref(r.ID))
	if live.State == nil && live.Next == nil {
		return false
	}
	h, err := kind.Handoffs.Get(c.s, ledger.HandoffID(r.ID))
	if err != nil {
		return false
	}
	hold := session.Holder(h.Header, live, c.w.Now())
	return hold.Actor != "" && hold.Actor != c.me && !hold.Lapsed || hold.Ahead && hold.Status != ledger.HandoffOpen
}

// task adds a task that was assigned to the actor, that waits for the actor's approval, or that the actor worked on and
// others judged.
func (c *collector) task(g *verb.Graph, r *kind.Row) {
	flow := c.s.Config.Flow
	if r.Assignee == c.me && !flow.IsClosed(r.Status) {
		for _, said := range r.Said(kind.AssignedFact) {
			c.add(IsAssigned, r, said)
		}
	}
	if flow.Review != "" && r.Status == flow.Review && c.reviews(r) {
		moved := kind.Said{Who: r.Assignee, At: time.Unix(r.Updated, 0).UTC()} // moved by hand
		if said := r.Said(kind.MovedFact); len(said) > 0 {
			moved = said[0]
		}
		item := c.add(IsReview, r, moved)
		item.session, item.urgency, item.Next = r.Session, int(r.Priority), "cairn review show "+r.ID
		if slices.Contains(r.All(kind.ReviewerFact), string(c.me)) {
			item.Check = task.ReviewerCheck(c.me).Desc
		}
		item.approved(g, r)
	} else {
		c.manual(r)
	}
	if !slices.Contains(r.All(kind.WorkerFact), string(c.me)) {
		return
	}
	for _, said := range r.Said(kind.AttestedFact) {
		if said.Who != c.me {
			c.add(IsReview, r, said).Result = said.More
		}
	}
}

// approved says of a task that was approved by all who had to what remains: its branch is merged, or, where no work tree
// has its work, the task is closed.
func (item *Item) approved(g *verb.Graph, r *kind.Row) {
	said := r.Said(kind.ApprovedFact)
	if len(said) == 0 || r.Fact(kind.ReviewerFact) != "" {
		return
	}
	item.State, item.Why = Approved, fmt.Sprintf("approved by %s; what remains is to close it", said[0].Who)
	if item.Next = "cairn done " + r.ID; g.Further(record.ID(r.ID)) || r.Fact(kind.RepoFact) != "" {
		item.Why, item.Next = fmt.Sprintf("approved by %s; what remains is to merge it", said[0].Who), "cairn review merge "+r.ID
	}
}

// Approved is how a review stands whose work was approved, and not merged or closed yet.
const Approved = "approved"

// reviews reports whether the actor is to look at a task in review: its reviewer, or, where none is named, every person
// but whoever did the work.
func (c *collector) reviews(r *kind.Row) bool {
	named := r.All(kind.ReviewerFact)
	return slices.Contains(named, string(c.me)) || len(named) == 0 && c.me.Human() && r.Assignee != c.me
}

// whole is an item with what its entry says, and with where the work is that waits for approval.
func (item Item) whole(s *store.Store) Item {
	if of, hash, ok := strings.Cut(item.ID, ItemMark); ok && (item.What == IsMention || item.What == IsAnswer) {
		if k, v, err := kind.Find(s, of); err == nil {
			e, _ := k.Header(v).Log.Entry(hash)
			item.Text = record.Clip(e.Text, textShown)
		}
	}
	if ses, err := kind.Sessions.Get(s, item.session); item.session != "" && err == nil {
		item.Branch, item.Head = ses.Branch, ses.Head
	}
	return item
}

const textShown = 240 // bytes
