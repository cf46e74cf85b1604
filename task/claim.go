package task

// Claim makes the actor the holder. Whether the task is free to be claimed is decided by session.Holder, which also knows
// the live state. Claiming what one holds changes nothing; a closed task is TASK_CLOSED. With takeover the entry says so.
func (f Flow) Claim(t Task, takeover bool, s Stamp) (Task, *Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	if t.Assignee == s.Who && !takeover {
		return t, nil, nil
	}
	e := s.entry(Claimed)
	if takeover {
		e.Did = TakenOver
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Release lets a task go. Only its holder may, or a person; one that nobody holds stays as it is. live says that there is
// a claim beside the file, which then ends even if the file names nobody.
func Release(t Task, live bool, s Stamp) (Task, *Entry, error) {
	if t.Assignee == "" && !live {
		return t, nil, nil
	}
	if t.Assignee != "" && t.Assignee != s.Who && !s.Who.Human() {
		return t, nil, Errorf(NotYours, "held by %s", t.Assignee).WithHint("ask %s, or a person, to release it", t.Assignee)
	}
	t, e := assign(t, "", s.entry(Released))
	return commit(t, e)
}

// Begin makes the actor the holder and takes a task in the initial state to the working one, through the gates. The stamp
// names the session. It always appends an entry: a session begins once.
func (f Flow) Begin(t Task, takeover bool, find Find, s Stamp) (Task, *Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	e := s.entry(Began)
	if takeover {
		e.Did = TakenOver
	}
	if t.Status == f.Initial && f.Working != "" {
		if err := f.Gate(t, f.Working, Proof{}, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = f.move(t, f.Working, e)
	}
	t, e = assign(t, s.Who, e)
	return commit(t, e)
}

// Finish hands a task over for review: it moves to the review state, through the gates, and keeps its holder.
func (f Flow) Finish(t Task, p Proof, find Find, s Stamp) (Task, *Entry, error) {
	e := s.entry(Finished)
	if f.Review != "" && !f.IsClosed(t.Status) {
		if err := f.Gate(t, f.Review, p, find, s.Who); err != nil {
			return t, nil, err
		}
		t, e = f.move(t, f.Review, e)
	}
	t, e = f.ran(t, p, e)
	return commit(t, e)
}

// Cancel gives a task up without moving it: the stamp names the session that ends, and the claim goes if the session's
// actor still holds it.
func Cancel(t Task, holder Actor, s Stamp) (Task, *Entry, error) {
	e := s.entry(Canceled)
	if t.Assignee == holder {
		t, e = assign(t, "", e)
	}
	return commit(t, e)
}

// assign sets the holder, and says so in the entry if it was another.
func assign(t Task, to Actor, e Entry) (Task, Entry) {
	if t.Assignee != to {
		t.Assignee, e.Assignee = to, &to
	}
	return t, e
}

func closedError(t Task) *Error {
	return Errorf(TaskClosed, "is closed (%s)", t.Status).WithHint("move it to an open state first, if there is more to do")
}
