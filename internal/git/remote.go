package git

import (
	"cmp"
	"path/filepath"
)

// Remote is the URL of the repository that a branch is shared through, as the config of the clone has it: that of the
// remote which the branch follows, or else of origin, or else of the only remote. It is "" if there is none. It may
// hold credentials.
func (r *Repo) Remote(branch string) string {
	cfg, err := readConfig(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return ""
	}
	remotes := cfg.Section("remote")
	follows := ""
	if branch != "" {
		follows = cfg.Section("branch").Subsection(branch).Option("remote")
	}
	url := cmp.Or(remotes.Subsection(cmp.Or(follows, "origin")).Option("url"), remotes.Subsection("origin").Option("url"))
	if url == "" && len(remotes.Subsections) == 1 {
		url = remotes.Subsections[0].Option("url")
	}
	return url
}
