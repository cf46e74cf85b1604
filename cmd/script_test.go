package cmd

import (
	"context"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

const storyDir = "testdata/script"

// TestMain makes this test binary act as cairn when a story runs it by that name.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(p cmdtest.Process) int { return Main(context.Background(), Env(p)) })
}

// TestStories runs one of 32 stories, and those that changed; TestSlowStories the others. cmdtest.Stories says what
// they can do.
func TestStories(t *testing.T) { cmdtest.Stories(t, cmdtest.Scripts(t, storyDir, 32)) }

func TestSlowStories(t *testing.T) {
	slowtest.Skip(t)
	cmdtest.Stories(t, cmdtest.OtherScripts(t, storyDir, 32))
}
