package verb

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

// source is something that many callers read. It counts how often it was read.
type source struct {
	state string
	reads int
	hold  chan struct{} // each read takes one before it ends
}

func (s *source) read(ctx context.Context) (string, error) {
	s.reads++
	state := s.state
	select {
	case <-s.hold:
		return state, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Two hundred calls that arrive during a read share one more: the read under way may have missed what they ask about.
func TestReadsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, reads := &source{state: "old", hold: make(chan struct{})}, &SharedReads{}
		var all sync.WaitGroup
		read := func(want string) {
			shared, leave := Share(reads, "tasks", src.read)
			all.Go(func() {
				defer leave()
				if got, err := shared(t.Context()); err != nil || got != want {
					t.Errorf("got %q, want %q (%v)", got, want, err)
				}
			})
		}
		read("old")
		synctest.Wait()
		src.state = "new"
		for range 200 {
			read("new")
		}
		synctest.Wait()
		src.hold <- struct{}{}
		src.hold <- struct{}{}
		all.Wait()
		if src.reads != 2 || len(reads.shared) > 0 {
			t.Errorf("%d reads were made, and %d are kept", src.reads, len(reads.shared))
		}
	})
}

// A caller that gives up while it reads for others leaves the read to the next of them.
func TestAReadThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, reads := &source{state: "new", hold: make(chan struct{})}, &SharedReads{}
		first, leave := Share(reads, "tasks", src.read)
		defer leave()
		second, leave := Share(reads, "tasks", src.read)
		defer leave()
		ctx, giveUp := context.WithCancel(t.Context())
		go func() { _, _ = first(ctx) }()
		synctest.Wait()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if got, err := second(t.Context()); err != nil || got != "new" {
				t.Errorf("got %q (%v)", got, err)
			}
		}()
		synctest.Wait()
		giveUp()
		src.hold <- struct{}{}
		<-done
		if src.reads != 2 {
			t.Errorf("%d reads were made", src.reads)
		}
	})
}
