package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Trash has the records that were deleted in a clone: their files, with the entry of the deletion.
type Trash struct{ clone live.Clone }

// Trash returns the deleted records of the clone.
func (s workTree) Trash() Trash { return Trash{s.Clone} }

// File is the path of the copy of a record that was deleted last.
func (t Trash) File(of record.Ref) string {
	newest, at := t.clone.Live.Trashed(of, extOf(of)), time.Time{}
	for _, path := range t.copies(of) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return newest
}

// Has reports whether the trash has a copy of a record.
func (t Trash) Has(of record.Ref) bool {
	info, err := os.Lstat(t.File(of))
	return err == nil && info.Mode().IsRegular()
}

func extOf(of record.Ref) string {
	if k, ok := kind.Named(of.Kind); ok {
		return k.Ext()
	}
	return ""
}

// copies lists the copies of a record in the trash.
func (t Trash) copies(of record.Ref) (paths []string) {
	ext := extOf(of)
	first := strings.TrimSuffix(filepath.Base(t.clone.Live.Trashed(of, ext)), ext)
	_ = layout.EachName(t.clone.Live.Trash(), ext, func(name string) { // a folder that cannot be listed has none
		path := filepath.Join(t.clone.Live.Trash(), name+ext)
		if mark, further := strings.CutPrefix(name, first+"."); further {
			src, err := layout.ReadFile(path)
			if err != nil || mark != copyMark(src) {
				return // an id may have dots, so that SHOP-1.x is another record than SHOP-1
			}
		} else if name != first {
			return
		}
		paths = append(paths, path)
	})
	return paths
}

// copyMark is what the name of a further copy has behind the id: the beginning of its revision.
func copyMark(content []byte) string { return string(kind.Rev(content))[:copyMarkLen] }

const copyMarkLen = 8

// free is the path for the copy of a record that is to be deleted. It is that of no other copy, unless of the same
// content.
func (t Trash) free(of record.Ref, content []byte) string {
	ext := extOf(of)
	path := t.clone.Live.Trashed(of, ext)
	if old, err := layout.ReadFile(path); err != nil || bytes.Equal(old, content) {
		return path
	}
	return strings.TrimSuffix(path, ext) + "." + copyMark(content) + ext
}

// Deleted reads the records of a kind in the trash, the newest copy of each. It leaves out those that exist again, and
// those that cannot be read, since nothing depends on them.
func (t Trash) Deleted(k *kind.Kind) ([]any, error) {
	found := map[string]any{}
	err := layout.EachName(t.clone.Live.Trash(), k.Ext(), func(name string) {
		src, err := layout.ReadFile(filepath.Join(t.clone.Live.Trash(), name+k.Ext()))
		var v any
		if err == nil {
			v, err = k.Parse(src)
		}
		if err != nil {
			return
		}
		h := k.Header(v)
		if layout.RefOf(name).Kind != k.Name || k.ParseID(h.Ref.ID) != nil || place.There(t.clone.Layout, k, h.Ref.ID) {
			return
		}
		if old, known := found[h.Ref.ID]; !known || !h.Log.Last().At.Before(k.Header(old).Log.Last().At) {
			found[h.Ref.ID] = k.Lean(v)
		}
	})
	out := make([]any, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[id])
	}
	return out, err
}

// Restore reads the newest copy of a record in the trash, for a write that puts it back: the entry of its deletion,
// which only the trash has, is taken off, and all else in the file stays as it is, byte for byte. The copy stays in the
// trash. It returns CONFLICT if there is a record of that id, NOT_FOUND if there is no copy, and BAD_FILE for one that
// cannot be read.
func (tx *Tx) Restore(k *kind.Kind, id string) (any, error) {
	path := tx.s.Trash().File(k.Ref(id))
	switch _, err := tx.Read(k, id); record.CodeOf(err) {
	case record.NotFound:
	case "":
		if !layout.Exists(path) {
			return nil, record.Errorf(record.Conflict, "there is a %s %s, and none of that id in the trash of this clone", k.Name, id).
				WithHint("%s shows the one that is there", record.CallTo("get", "id", id).OnlyShown()).ForGood()
		}
		return nil, record.Errorf(record.Conflict, "there is a %s %s, so the one in the trash cannot come back", k.Name, id).
			WithHint("%s shows the one that is there", record.CallTo("get", "id", id).OnlyShown()).ForGood()
	default:
		return nil, err
	}
	src, err := layout.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, record.Errorf(record.NotFound, "there is no %s %s in the trash of this clone", k.Name, id)
	}
	if err != nil {
		return nil, problem.IO(err)
	}
	v, doc, err := undeleted(k, src)
	if err != nil || k.Header(v).Ref.ID != id {
		return nil, record.Errorf(record.BadFile, "%s cannot be read as the %s %s", path, k.Name, id).WithHint("correct that file, or copy it back by hand")
	}
	tx.records[k.Ref(id)] = &staged{kind: k, from: file{doc: doc, value: v}, now: v}
	return v, nil
}

// undeleted reads the copy of a record without the entry of its deletion.
func undeleted(k *kind.Kind, src []byte) (any, *format.Doc, error) {
	doc, err := format.Parse(src, k.Form)
	if err != nil {
		return nil, nil, err
	}
	v, err := k.Decode(doc)
	if err != nil {
		return nil, nil, err
	}
	log := k.Header(v).Log
	if len(log) == 0 || log.Last().Did != record.Deleted {
		return v, doc, nil
	}
	kept := make([]format.Item, len(log)-1)
	for i := range kept {
		kept[i] = format.Old(i)
	}
	if doc, err = doc.Edit(k.Keys(), format.SetSeq(format.Path{"provenance"}, kept...)); err != nil {
		return nil, nil, err
	}
	v, err = k.Decode(doc)
	return v, doc, err
}
