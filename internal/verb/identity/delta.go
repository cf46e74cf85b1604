package identity

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Delta is what others changed since an actor was last seen in this clone, by the times of their entries: what comes
// with a merge, and is older, is not in it.
type Delta struct {
	Since   *time.Time     `json:"since,omitempty"` // absent if the actor was never seen: then everything is new
	Changed map[string]int `json:"changed"`         // how many records others wrote to, by kind
	Total   int            `json:"total"`
	Newest  []Changed      `json:"newest"` // 10 at most
	Cursor  string         `json:"cursor"` // give it back as ack
}

// Changed is a record that somebody else wrote to.
type Changed struct {
	ID     string        `json:"id"`
	Kind   string        `json:"kind"`
	Title  string        `json:"title,omitempty"`
	Status record.Status `json:"status,omitempty"`
	Who    record.Actor  `json:"who"` // whose entry is the newest
	At     time.Time     `json:"at"`
}

const deltaShown = 10

// delta finds what others changed since the caller was last seen, by rows. An entry of the very second in which the
// caller was last seen counts as new: it may have come after.
func delta(ctx context.Context, w *verb.Workspace, s *store.Store) (*Delta, error) {
	now, me, since := w.Now(), w.Actor(), s.Inbox(w.Actor()).Seen
	out := &Delta{Changed: map[string]int{}, Newest: []Changed{}, Cursor: cursorAt(now)}
	if since != 0 {
		at := time.Unix(since, 0).UTC()
		out.Since = &at
	}
	var all []Changed
	_, err := w.EachRow(ctx, s, func(k *kind.Kind, r *kind.Row) {
		if by, ok := othersLast(r, me); ok && by.At >= since && r.OwnEntries() > 0 { // else the records that it is about tell the same
			all = append(all, Changed{ID: r.ID, Kind: k.Name, Title: r.Title, Status: r.Status, Who: by.Who, At: time.Unix(by.At, 0).UTC()})
			out.Changed[k.Name]++
		}
	})
	if err != nil {
		return nil, err
	}
	sorted.By(all, func(a, b Changed) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	out.Total = len(all)
	out.Newest = append(out.Newest, all[:min(len(all), deltaShown)]...)
	return out, nil
}

// othersLast is when somebody else than an actor last wrote to a record, and who. It reports false if nobody else did.
func othersLast(r *kind.Row, me record.Actor) (last kind.Sign, ok bool) {
	for _, sign := range r.Signs {
		if sign.Who != me && (!ok || sign.At >= last.At) {
			last, ok = sign, true
		}
	}
	return last, ok
}

const cursorMark = "seen-"

func cursorAt(at time.Time) string { return cursorMark + strconv.FormatInt(at.Unix(), 10) }

// seen keeps in live state that the caller was last seen when a cursor was made. A cursor that is older than the last
// one changes nothing.
func seen(ctx context.Context, w *verb.Workspace, s *store.Store, cursor string) error {
	if cursor == "" {
		return nil
	}
	digits, ok := strings.CutPrefix(cursor, cursorMark)
	at, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || at < 0 || at > w.Now().Unix() {
		return verb.BadInput("ack", "is %q, which is no cursor of a delta", cursor).WithHint("give back delta.cursor as %s returned it", record.CallTo("identity", "include", []string{"delta"}))
	}
	_, err = verb.Change{Decide: func(wc verb.WriteContext) (any, error) {
		if in := wc.Tx.Inbox(w.Actor()); at > in.Seen {
			in.Seen = at
			wc.Tx.Acknowledge(in)
		}
		return nil, nil
	}}.Run(ctx, w, s)
	return err
}
