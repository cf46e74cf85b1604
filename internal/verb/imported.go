package verb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// ImportedAs finds the task that was imported from another tracker by the name that it has there, as kind.Row.IsFrom
// reads it: bd-12, beads:bd-12, PROJ-12, owner/name#706, #706. It returns "" if there is none, or a record here has
// that id, and AMBIGUOUS_ID if several were called so.
func ImportedAs(ctx context.Context, w *Workspace, s *store.Store, ref string) (string, error) {
	if _, _, err := kind.Find(s, ref); err == nil || record.CodeOf(err) == record.BadFile {
		return "", nil
	}
	view, err := w.Reads.Look(ctx, s, kind.Tasks.Kind)
	if err != nil {
		return "", err
	}
	hit, err := ImportedAmong(view.Rows(), ref)
	if hit == nil || err != nil {
		return "", err
	}
	return hit.ID, nil
}

// ImportedAmong is ImportedAs for the rows of tasks; nil for none.
func ImportedAmong(rows []*kind.Row, ref string) (*kind.Row, error) {
	hits := record.Those(rows, func(row *kind.Row) bool { return row.IsFrom(ref) })
	switch len(hits) {
	case 0:
		return nil, nil
	case 1:
		return hits[0], nil
	}
	var names, ids []string
	for _, row := range hits[:min(len(hits), 8)] {
		ids = append(ids, row.ID)
		names = append(names, strings.Join(row.All(kind.OriginFact), " ")+" is "+row.ID)
	}
	e := record.Errorf(record.AmbiguousID, "%q is what %d tasks were called where they come from: %s%s",
		record.Clip(ref, 60), len(hits), strings.Join(names, ", "), record.AndMore(len(hits)-len(names))).
		WithHint("%s shows one of them", record.CallTo("get", "id", ids[0]).OnlyShown())
	e.Details = map[string]any{"candidates": ids}
	return nil, e
}

// meant puts the ids of tasks into an input that names them as they are called where they were imported from, or, of a
// verb that reads and of begin, by the end of an id, in any case. It is asked after a refusal, so that ids of this
// workspace pay nothing for it, and reports whether it found any. The refusal of another verb names the task whose end
// was given.
func (v Verb) meant(ctx context.Context, w *Workspace, got jsonObject, refusal error) (bool, error) {
	if !slices.Contains([]record.Code{record.NotFound, record.InvalidInput, record.DanglingDep}, record.CodeOf(refusal)) {
		return false, nil
	}
	s, err := w.Open()
	if err != nil {
		return false, nil // the refusal says more
	}
	found := false
	err = eachID(got, v.Fields(), func(name string) (string, error) {
		id, err := ImportedAs(ctx, w, s, name)
		if id == "" && err == nil {
			id, err = endingIn(s, name)
			if id != "" && v.Kind >= Write && v.Name != beginName {
				return name, didYouMean(refusal, id)
			}
		}
		if id == "" || err != nil {
			return name, err
		}
		found = true
		return id, nil
	})
	return found, err
}

// didYouMean is a refusal that names what may have been meant.
func didYouMean(refusal error, id string) error {
	var e *record.Error
	if !errors.As(refusal, &e) {
		return refusal
	}
	named := *e
	return named.WithHint("did you mean %s?", id)
}

const beginName = "begin" // it writes, and changes nothing that a wrong guess would cost

// endingIn is the id of the only task that ends in a text, in any case; "" for none. It returns AMBIGUOUS_ID for several.
func endingIn(s *store.Store, end string) (string, error) {
	if len(end) < leastShort {
		return "", nil
	}
	id, err := s.Resolve(kind.Tasks.Kind, end)
	switch {
	case record.CodeOf(err) == record.AmbiguousID:
		return "", err
	case err != nil || id == end || !strings.HasSuffix(strings.ToLower(id), strings.ToLower(end)):
		return "", nil
	}
	return id, nil
}

// eachID replaces each text of an object that names a task.
func eachID(got jsonObject, fields []Field, by func(string) (string, error)) error {
	replace := func(v any) (any, error) {
		if name, ok := v.(string); ok && name != "" {
			return by(name)
		}
		return v, nil
	}
	for _, f := range fields {
		v, given := got[f.Name]
		list, isList := v.([]any)
		var err error
		switch {
		case !given:
		case f.Names == string(record.TaskKind) && isList:
			got[f.Name], err = eachOf(list, replace)
		case f.Names == string(record.TaskKind):
			got[f.Name], err = replace(v)
		case len(f.Fields) > 0:
			for _, one := range append(slices.Clone(list), v) {
				if object, ok := one.(jsonObject); ok {
					err = errors.Join(err, eachID(object, f.Fields, by))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func eachOf(list []any, do func(any) (any, error)) ([]any, error) {
	out := make([]any, len(list))
	for i, one := range list {
		var err error
		if out[i], err = do(one); err != nil {
			return nil, err
		}
	}
	return out, nil
}
