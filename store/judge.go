package store

import (
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Judge holds the files under .cairn, as they lie in the working tree, against the rules of package proof. It takes no
// lock, so what a writer has half done can be among the findings.
func (s *Store) Judge(ctx context.Context) ([]proof.Finding, error) {
	tree, err := s.readTree(ctx)
	if err != nil {
		return nil, err
	}
	return proof.Judge(tree), nil
}

// readTree reads everything that the rules look at. Files that cannot be read are in the tree, with the reason; only a
// folder that cannot be listed is an error.
func (s *Store) readTree(ctx context.Context) (proof.Tree, error) {
	r := treeReader{Store: s, wait: &patience{patient}}
	tree := proof.Tree{Config: r.config()}
	err := r.each(ctx, s.TasksDir(), taskExt, func(name string) {
		if f := r.task(name); !isMissing(f.Unread) { // deleted since the folder was read
			tree.Tasks = append(tree.Tasks, f)
		}
	})
	if err != nil {
		return tree, err
	}
	err = r.each(ctx, s.SessionsDir(), sessionExt, func(name string) {
		if f := r.session(name); !isMissing(f.Unread) {
			tree.Sessions = append(tree.Sessions, f)
		}
	})
	return tree, err
}

// treeReader reads the files of a tree, and has patience with the unfinished ones once for all of them.
type treeReader struct {
	*Store
	wait *patience
}

// each calls fn with the names in a folder that end in ext, without it, until ctx ends.
func (r treeReader) each(ctx context.Context, dir, ext string, fn func(name string)) error {
	err := eachName(dir, ext, func(name string) {
		if ctx.Err() == nil && name != "" && name[0] != '.' {
			fn(name)
		}
	})
	if err != nil {
		return err
	}
	return ctx.Err()
}

func (r treeReader) file(path string, kind frontmatter.Kind) (proof.File, *frontmatter.Doc) {
	f, err := r.readFile(path, kind, r.wait)
	out := proof.File{Path: r.rel(path), Kind: kind}
	if out.Unread = ioError(err); err == nil {
		out.Src = f.doc.Bytes()
	}
	return out, f.doc
}

func (r treeReader) config() proof.ConfigFile {
	f, doc := r.file(r.ConfigFile(), frontmatter.YAML)
	out := proof.ConfigFile{File: f}
	if doc != nil {
		var c Config
		c, out.Unknown, out.Flaw = readConfig(doc)
		out.Flow, out.Severities = c.Flow, c.Rules
	}
	return out
}

func (r treeReader) task(name string) proof.TaskFile {
	id := task.ID(name)
	f, doc := r.file(r.Layout.task(id), frontmatter.Markdown)
	out := proof.TaskFile{File: f, Name: id}
	if doc != nil {
		out.Task, out.Flaw = readTask(doc)
	}
	return out
}

func (r treeReader) session(name string) proof.SessionFile {
	f, doc := r.file(r.Layout.session(name), frontmatter.YAML)
	out := proof.SessionFile{File: f, Name: name}
	if doc != nil {
		out.Session, out.Flaw = readSession(doc)
	}
	return out
}
