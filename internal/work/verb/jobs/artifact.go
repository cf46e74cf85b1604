package jobs

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
)

const maxArtifact = 2 << 20 // bytes of one that are returned; its end is left out

// ArtifactText is a file that a job left: one, or several behind one another, each with its name; and a version, which
// changes with them. It returns ARTIFACT_MISSING if the job has not left it.
func ArtifactText(s *store.Store, one job.Job, file job.Artifact) (text, version string, err error) {
	parts, err := work.Jobs(s).Artifact(one, file)
	if err != nil {
		return "", "", err
	}
	var out, stamp strings.Builder
	for _, part := range parts {
		src, err := part.Read(4 * maxArtifact)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&stamp, "%s %d %d ", part.Name, part.Bytes, part.Changed.UnixNano())
		if len(file.Files) > 1 {
			fmt.Fprintf(&out, "==> %s <==\n", part.Name)
		}
		_, _ = out.Write(src)
	}
	text = strings.ToValidUTF8(out.String(), "\uFFFD")
	if len(text) > maxArtifact {
		text = fmt.Sprintf("%s\n[%d bytes more are in the folder of the job]\n", verb.Head(text, maxArtifact), len(text)-maxArtifact)
	}
	return text, stamp.String(), nil
}
