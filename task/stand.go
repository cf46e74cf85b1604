package task

import "github.com/cairn-tasks/cairn/internal/record"

// Word says how a task stands. Every verb, filter, board, graph, tool and count means by a word what Stand says.
type Word string

// The words, in the order in which they are asked.
const (
	IsClosed     Word = "closed"
	WaitsFor     Word = "waits_for"
	HasChildren  Word = "open_children"
	IsElsewhere  Word = "elsewhere"
	IsLapsed     Word = "lapsed"
	IsHeld       Word = "held"
	IsAssigned   Word = "assigned"
	IsInReview   Word = "in_review"
	AwaitsAnswer Word = "awaits_answer"
	OtherState   Word = "state"
	IsEarly      Word = "not_yet"
	IsColliding  Word = "collides"
	IsReady      Word = "ready"
	IsBlocked    Word = "blocked"
	IsRunning    Word = "running"
	IsStalled    Word = "stalled"
)

// words has what each word says of a task. docs/filters.md has the same table.
var words = []struct {
	word  Word
	about string
}{
	{IsClosed, "is in a closed state; besides this only elsewhere is said of it"},
	{WaitsFor, "waits for deps that are open"},
	{HasChildren, "has open children, which are the work"},
	{IsElsewhere, "has newer work on another branch, worktree or clone"},
	{IsLapsed, "belongs to somebody who gave no sign of life for too long; others may take it over"},
	{IsHeld, "was taken up, by a claim, a session or a move of the one who has it, and did not lapse"},
	{IsAssigned, "was given to somebody who did not begin, as by a plan or an import"},
	{IsInReview, "is in the review state"},
	{AwaitsAnswer, "was left by whoever worked on it with a question that nobody answered yet"},
	{OtherState, "is in another state in which no work begins"},
	{IsEarly, "is not to begin yet: its after lies ahead"},
	{IsColliding, "has files in its scope that a task at work changes too, where the config has whoever asks go around it"},
	{IsReady, "is handed out by next, to whoever asks: none of the words above holds"},
	{IsBlocked, "waits for deps or for its children: waits_for or open_children"},
	{IsRunning, "is being worked on: held, and neither in_review nor stalled"},
	{IsStalled, "was taken up and left behind: it lapsed, or its session fell silent; not in_review"},
}

// keepers is how many of the words, from the first on, keep next from handing a task out.
const keepers = 12

// Words lists the words.
func Words() []Word {
	out := make([]Word, len(words))
	for i, one := range words {
		out[i] = one.word
	}
	return out
}

// About says what a word says of a task.
func (w Word) About() string {
	for _, one := range words {
		if one.word == w {
			return one.about
		}
	}
	return ""
}

// Stand is how a task stands, for whoever asks: what its state means, and what its file does not say, from those who
// know it. Make one with Lifecycle.Stand.
type Stand struct {
	Closed, Review, Begins bool // its state is closed, is the review state, is one in which work begins

	WaitsFor  bool         // a dep that is open
	Children  bool         // it has open ones, for which it waits
	Elsewhere bool         // another branch, worktree or clone carried it further
	Holder    record.Actor // who has it, or was given it; "" for nobody
	Taken     bool         // the holder took it up, and was not only named
	Lapsed    bool         // the holder may be taken over
	Asks      bool         // its last attempt ended with a question that has no answer yet
	Early     bool         // its after lies ahead
	Silent    func() bool  // whether the holder's session fell silent; nil for no
	Collides  func() bool  // whether whoever asks goes around it, since its scope meets that of a task at work; nil for no
}

// AtWork reports whether the task is being worked on, as far as its state and its holder say: somebody holds it, its work
// is in review, or lies further on another branch.
func (s Stand) AtWork() bool {
	return s.Is(IsHeld) || s.Is(IsInReview) || s.Elsewhere && !s.Closed
}

// Stand returns what a state means. Work begins in the initial one, and in the working one for what was left there.
func (l Lifecycle) Stand(at record.Status) Stand {
	begins := at == l.Initial || l.Working != "" && at == l.Working
	return Stand{Closed: l.IsClosed(at), Review: l.Review != "" && at == l.Review && !begins, Begins: begins}
}

// Is reports whether a word holds.
func (s Stand) Is(w Word) bool {
	if w != IsElsewhere && (s.Closed || w == IsClosed) {
		return s.Closed && w == IsClosed
	}
	switch w {
	case WaitsFor:
		return s.WaitsFor
	case HasChildren:
		return s.Children
	case IsElsewhere:
		return s.Elsewhere
	case IsLapsed:
		return s.Lapsed
	case IsHeld:
		return s.Holder != "" && s.Taken && !s.Lapsed
	case IsAssigned:
		return s.Holder != "" && !s.Taken
	case IsInReview:
		return s.Review
	case AwaitsAnswer:
		return s.Asks
	case OtherState:
		return !s.Review && !s.Begins
	case IsEarly:
		return s.Early
	case IsColliding:
		return s.Collides != nil && s.Collides()
	case IsReady:
		return s.First() == IsReady
	case IsBlocked:
		return s.WaitsFor || s.Children
	case IsRunning:
		return s.Is(IsHeld) && !s.Review && !s.Is(IsStalled)
	case IsStalled:
		return s.Holder != "" && s.Taken && !s.Review && (s.Lapsed || s.Silent != nil && s.Silent())
	default: // IsClosed was answered above
		return false
	}
}

// First is the first word that keeps next from handing the task out, or IsReady.
func (s Stand) First() Word {
	for _, one := range words[:keepers] {
		if s.Is(one.word) {
			return one.word
		}
	}
	return IsReady
}

// Why lists the words that keep next from handing the task out, or IsReady alone.
func (s Stand) Why() []Word {
	first := s.First()
	if s.Closed || first == IsReady {
		return []Word{first}
	}
	var out []Word
	for _, one := range words[:keepers] {
		if s.Is(one.word) {
			out = append(out, one.word)
		}
	}
	return out
}
