package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
)

// Write writes the board, the list, the graph and a page of each task as files without scripts into a folder, which it
// makes. It returns how many files there are. Files of the same names are replaced, and others are left.
func (s *Server) Write(ctx context.Context, dir string) (n int, err error) {
	out := fileWriter{d: s.painter, ctx: ctx, dir: dir}
	for _, name := range []string{"style.css", "icon.svg"} {
		out.put(name, assetOf(name))
	}
	shown := screens()
	for _, name := range []string{"board", "list", "graph"} {
		out.page(shown["/"+name], name+".html", "", "/"+name, "")
	}
	out.put("index.html", []byte("<!doctype html><meta charset=utf-8><title>Board</title><meta http-equiv=refresh content=\"0; url=board.html\"><a href=board.html>The board</a>\n"))
	for _, id := range out.tasks() {
		out.page(shown["/task/{id}"], "task/"+id+".html", "../", "/task/"+id, id)
	}
	return out.n, out.err
}

// fileWriter writes files until one fails.
type fileWriter struct {
	d   *painter
	ctx context.Context
	dir string
	n   int
	err error
}

// tasks are the ids of all tasks, closed ones too.
func (f *fileWriter) tasks() (ids []string) {
	in := args{"all": true, "limit": cardsMost, "sort": "id"}
	for f.err == nil {
		out, err := ask[tasks.ListOut](f.ctx, f.d.reads, "list", in)
		if f.err = err; err != nil {
			return nil
		}
		for _, t := range out.Tasks {
			ids = append(ids, string(t.ID))
		}
		if out.NextCursor == "" || len(out.Tasks) == 0 {
			return ids
		}
		in["cursor"] = out.NextCursor
	}
	return ids
}

func (f *fileWriter) page(c screen, name, base, path, id string) {
	if f.err != nil {
		return
	}
	r, err := http.NewRequestWithContext(f.ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		f.err = err
		return
	}
	r.URL = &url.URL{Path: path}
	r.SetPathValue("id", id)
	p := f.d.page(r, nil, c.title)
	p.Screen, p.Static, p.ReadOnly, p.Base = c.name, true, true, base
	p.Body, f.err = c.body(f.d.reads, r)
	if titled, ok := p.Body.(interface{ pageTitle() string }); ok {
		p.Title = titled.pageTitle()
	}
	var b bytes.Buffer
	if f.err == nil {
		f.err = templates(c.name).ExecuteTemplate(&b, "page", p)
	}
	f.put(name, b.Bytes())
}

// noLinks returns an error if a file that is to be written, or a folder on the way to it, is there as something else: a
// link leads out of the folder, and a pipe waits for a reader.
func noLinks(dir, path string) error {
	for at := path; at != dir; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err == nil && !info.Mode().IsRegular() && (at == path || !info.IsDir()) {
			return record.Errorf(record.IO, "%s is a link, or no plain file", at).WithHint("name an empty folder")
		}
	}
	return nil
}

func (f *fileWriter) put(name string, content []byte) {
	if f.err != nil {
		return
	}
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if strings.Contains(name, "..") {
		f.err = record.Errorf(record.IO, "%s is no name of a file", name)
		return
	}
	if f.err = noLinks(f.dir, path); f.err != nil {
		return
	}
	if f.err = disk.Do(disk.Mkdir, filepath.Dir(path), func() error { return os.MkdirAll(filepath.Dir(path), 0o755) }); f.err == nil {
		f.err = disk.Do(disk.Write, path, func() error { return os.WriteFile(path, content, 0o644) })
	}
	if f.err == nil {
		f.n++
	}
}
