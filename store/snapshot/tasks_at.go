package snapshot

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// TasksAt reads the config and the tasks of a commit. What cannot be read is left out, and a config that cannot is the
// default one. It returns GIT if git refuses.
func TasksAt(ctx context.Context, l layout.Layout, commit string) (kind.Config, []task.Task, error) {
	src := commitSource(l, commit)
	blobs, err := src.list(ctx)
	if err != nil {
		return kind.Config{}, nil, err
	}
	configPath := l.Rel(l.ConfigFile())
	blobs = slices.DeleteFunc(blobs, func(b blob) bool {
		k, _, ok := kind.At(b.path)
		return b.flaw != nil || b.path != configPath && (!ok || k != kind.Tasks.Kind)
	})
	config, tasks := kind.DefaultConfig(), make([]*task.Task, len(blobs))
	err = src.read(ctx, blobs, func(i int, content []byte, err error) {
		form := format.Markdown
		if blobs[i].path == configPath {
			form = format.YAML
		}
		doc, unread := format.Parse(content, form)
		switch {
		case err != nil || unread != nil:
		case blobs[i].path == configPath:
			if c, _, err := kind.DecodeConfig(doc); err == nil {
				config = c // there is one such file, so one goroutine writes it
			}
		default:
			if t, err := kind.Tasks.Decode(doc); err == nil {
				tasks[i] = &t
			}
		}
	})
	var out []task.Task
	for _, t := range tasks {
		if t != nil {
			out = append(out, *t)
		}
	}
	return config, out, err
}
