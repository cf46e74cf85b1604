package mcpserver

import (
	"slices"
	"testing"
)

func TestSubscriptions(t *testing.T) {
	s := newSession(nil)
	s.SubscribeToResource("b")
	s.SubscribeToResource("a")
	s.SubscribeToResource("a")
	if got := s.SubscribedResources(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("subscribed to %v", got)
	}
	s.UnsubscribeFromResource("a")
	s.UnsubscribeFromResource("c")
	if s.IsSubscribedToResource("a") || !s.IsSubscribedToResource("b") {
		t.Errorf("subscribed to %v", s.SubscribedResources())
	}
}
