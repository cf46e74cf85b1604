package place

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// InCommits calls fn with the content of each record in each commit that has it, wherever it lies there. The content is
// nil if the file is larger than a record may be.
func InCommits(ctx context.Context, l layout.Layout, commits []string, records []record.Ref, fn func(of record.Ref, content []byte)) error {
	if strings.Contains(l.InRepo(""), "\n") {
		return nil // git cat-file --batch takes one name a line
	}
	c := committed{Layout: l, fn: fn}
	for _, commit := range commits {
		for _, of := range records {
			if k, ok := kind.For(of); ok {
				c.ask(commit, of, l.InRepo(k.File(of.ID)))
			}
		}
	}
	missing, err := c.read(ctx)
	if err == nil && len(missing) > 0 {
		if err = c.askAtRest(ctx, missing); err == nil {
			_, err = c.read(ctx)
		}
	}
	return err
}

type committed struct {
	layout.Layout
	fn    func(of record.Ref, content []byte)
	names []string // git's name of each file to be read
	asked []asked
}

type asked struct {
	commit string
	of     record.Ref
}

func (c *committed) ask(commit string, of record.Ref, path string) {
	c.names, c.asked = append(c.names, commit+":"+path), append(c.asked, asked{commit, of})
}

// read reads what was asked for, and returns what is missing.
func (c *committed) read(ctx context.Context) (missing []asked, err error) {
	names, all := c.names, c.asked
	c.names, c.asked = nil, nil
	err = c.Repo.Objects().Blobs(ctx, names, format.MaxFile, func(i int, b git.Blob) {
		if b.Missing {
			missing = append(missing, all[i])
		} else {
			c.fn(all[i].of, b.Content)
		}
	})
	return missing, err
}

// askAtRest asks for those of some records that are at rest in their commits. It lists a folder of a commit once, and
// only if there is one.
func (c *committed) askAtRest(ctx context.Context, missing []asked) error {
	type folder struct{ commit, rest string }
	wanted := map[folder]map[string]record.Ref{} // by id
	var names []string
	var folders []folder
	for _, m := range missing {
		k, _ := kind.For(m.of) // it was asked for
		if k.Rest == "" {
			continue
		}
		at := folder{m.commit, c.InRepo(c.Rel(c.Dir(k.Rest)))}
		if wanted[at] == nil {
			wanted[at] = map[string]record.Ref{}
			names, folders = append(names, at.commit+":"+at.rest), append(folders, at)
		}
		wanted[at][m.of.ID] = m.of
	}
	there, err := c.Repo.Objects().Folders(ctx, names)
	if err != nil {
		return err
	}
	for i, at := range folders {
		if !there[i] {
			continue
		}
		files, err := c.Repo.Objects().Files(ctx, at.commit, at.rest)
		if err != nil {
			return err
		}
		paths := map[record.Ref]string{} // the newest month is listed last, and counts
		for _, f := range files {
			k, id, ok := kind.At(strings.TrimPrefix(f.Path, c.InRepo("")))
			if of, asked := wanted[at][id]; ok && asked && k.Name == of.Kind {
				paths[of] = f.Path
			}
		}
		for of, path := range paths {
			c.ask(at.commit, of, path)
		}
	}
	return nil
}
