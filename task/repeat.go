package task

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Rhythm is how often a task comes again: so many days, weeks, months or years after the one before.
type Rhythm struct {
	said  string // as it is written, without On
	count int
	unit  byte // d, w, m or y

	// On is the day of the month that a date had before a shorter month cut it; 0 for none. A date on the last day of
	// its month goes back to it in a longer one.
	On int
}

// rhythmWords are rhythms by their words.
var rhythmWords = map[string]string{"daily": "1d", "weekly": "1w", "monthly": "1m", "yearly": "1y"}

const maxRhythm = 1000 // days, weeks, months or years

// ParseRhythm reads daily, weekly, monthly or yearly, or a number of d, w, m (or mo) or y; behind one of months or
// years may stand "on" and a day of the month. It returns INVALID_INPUT for anything else.
func ParseRhythm(text string) (Rhythm, error) {
	said, on, cut := strings.Cut(strings.ToLower(text), " on ")
	form := said
	if word, ok := rhythmWords[said]; ok {
		form = word
	}
	if months, ok := strings.CutSuffix(form, "mo"); ok {
		form = months + "m"
	}
	r := Rhythm{said: said}
	var err1, err2 error
	if n := len(form); n > 1 {
		r.unit = form[n-1]
		r.count, err1 = strconv.Atoi(form[:n-1])
	}
	if cut {
		r.On, err2 = strconv.Atoi(on)
	}
	months := r.unit == 'm' || r.unit == 'y'
	switch {
	case err1 != nil || err2 != nil || r.count < 1 || r.count > maxRhythm || !strings.ContainsRune("dwmy", rune(r.unit)),
		form != strconv.Itoa(r.count)+string(r.unit), cut && (!months || r.On < 1 || r.On > 31 || strconv.Itoa(r.On) != on):
		return Rhythm{}, record.Errorf(record.InvalidInput, "%q says not how often it comes again", record.Clip(text, 40)).WithHint("%s", rhythmHint)
	}
	return r, nil
}

const rhythmHint = "daily, weekly, monthly, yearly, or such as 2d, 1w, 3m or 1y"

// String is the rhythm as a file has it.
func (r Rhythm) String() string {
	if r.On == 0 {
		return r.said
	}
	return r.said + " on " + strconv.Itoa(r.On)
}

// days is about how long it is, for an order.
func (r Rhythm) days() int { return r.count * map[byte]int{'d': 1, 'w': 7, 'm': 30, 'y': 365}[r.unit] }

// shift is a date or a time so many rounds later, in UTC, and the day of the month that it lost to a shorter month; 0
// for none. What is neither is none.
func (r Rhythm) shift(d Due, rounds int) (later Due, lost int) {
	at, ok := d.From()
	if !ok {
		return "", 0
	}
	at = at.UTC()
	years, months, n := 0, 0, rounds*r.count
	switch r.unit {
	case 'd':
		at = at.AddDate(0, 0, n)
	case 'w':
		at = at.AddDate(0, 0, 7*n)
	case 'm':
		months = n
	default:
		years = n
	}
	if years+months > 0 {
		day := at.Day()
		if day == lastDay(at) {
			day = max(day, r.On)
		}
		first := at.AddDate(0, 0, 1-at.Day()).AddDate(years, months, 0)
		if last := lastDay(first); day > last {
			day, lost = last, day
		}
		at = first.AddDate(0, 0, day-1)
	}
	if len(d) == len(time.DateOnly) {
		return Due(at.Format(time.DateOnly)), lost
	}
	return DueAt(at), lost
}

// lastDay is the last day of a month.
func lastDay(at time.Time) int {
	return time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// next are the dates of the round after one that was made and closed at these times, and the rhythm from then on. The
// dates move by as many rounds as it takes for the time of the next one not to be up. Where there is none, after counts
// from the day on which the task was made.
func (r Rhythm) next(after, due Due, made, closed time.Time) (Due, Due, Rhythm) {
	if _, ok := due.By(); !ok {
		due = ""
	}
	if _, ok := after.By(); !ok {
		after = ""
	}
	if after == "" && due == "" {
		after = Due(made.UTC().Format(time.DateOnly))
	}
	for rounds := 1; ; rounds++ {
		a, lost1 := r.shift(after, rounds)
		d, lost2 := r.shift(due, rounds)
		lead := d
		if lead == "" {
			lead = a
		}
		if !lead.Passed(closed) {
			r.On = max(lost1, lost2)
			return a, d, r
		}
	}
}

// Repeats reports whether the task comes again once it is closed as done.
func (t Task) Repeats() bool {
	_, err := ParseRhythm(t.Own["repeat"])
	return err == nil
}

// When says, for a notice, from when on a task is ready and when it is due; "ready" where it says neither.
func (t Task) When() string {
	var out []string
	if t.Own["after"] != "" {
		out = append(out, "from "+t.Own["after"])
	}
	if t.Due != "" {
		out = append(out, "due "+string(t.Due))
	}
	return cmp.Or(strings.Join(out, ", "), "ready")
}

// Round is the task that an entry says is the one behind or before this one in a series; "" for none.
func Round(e record.Entry) record.ID { return record.ID(e.Said().Round) }

// NextRound is the round after a task that repeats and that its last entry closed, to be created: what it says of
// itself, with other dates, and nothing of what was done for it.
func (f Flow) NextRound(t Task) (Task, error) {
	rhythm, err := ParseRhythm(t.Own["repeat"])
	if err != nil {
		return Task{}, err
	}
	next := Task{
		ID: t.ID.Next(), Title: t.Title, Body: t.Body, Priority: t.Priority, Mode: t.Mode, Labels: t.Labels, Parent: t.Parent,
		Scope: t.Scope, MayChange: t.MayChange, Repo: t.Repo, RequiresEvidence: t.RequiresEvidence, Links: Links{Related: t.Related},
	}
	for _, c := range t.Checks {
		c.Result = record.Pending
		next.Checks = append(next.Checks, c)
	}
	own := map[string]string{}
	for _, one := range f.Fields.All() {
		own[one.Name] = t.Own[one.Name]
	}
	after, due, rhythm := rhythm.next(Due(own["after"]), t.Due, t.Provenance.First().At, t.Provenance.Last().At)
	next.Due, own["after"], own["repeat"] = due, string(after), rhythm.String()
	next.Own = GivenOwn(own)
	if next.Checks, err = f.WithDefaults(next.Checks); err != nil { // a default check that asks for something else by now
		next.Checks = slices.Clone(t.Checks)
	}
	return next, nil
}
