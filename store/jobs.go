package store

import "github.com/cairn-tasks/cairn/internal/work/jobs"

// Jobs returns the jobs of the clone.
func (s *Store) Jobs() jobs.Jobs { return jobs.In(s.Live) }
