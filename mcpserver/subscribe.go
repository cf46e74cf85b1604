package mcpserver

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// subscriber is the client session that mcp-go gets in a request that subscribes. Up to protocol version 2025-11-25 a
// client subscribes to one resource at a time, for its whole session. From 2026-07-28 on a request subscribes to
// several for as long as it is served, and the notifications carry the id of the request.
type subscriber struct {
	server.ClientSession
	at      *Server
	updates *updates // nil if the session is not known here
	acks    chan mcp.JSONRPCNotification
}

var _ server.SessionWithResourceSubscriptionsErr = (*subscriber)(nil)

// subscribing gives mcp-go a session that can subscribe, for a request that does.
func (s *Server) subscribing(ctx context.Context, m message) context.Context {
	client := server.ClientSessionFromContext(ctx)
	sub := &subscriber{ClientSession: client, at: s, acks: make(chan mcp.JSONRPCNotification, 1)}
	switch m.method {
	case string(mcp.MethodResourcesSubscribe), string(mcp.MethodResourcesUnsubscribe):
		if u, ok := s.sessions.Load(client.SessionID()); ok {
			sub.updates = u.(*updates)
		}
	case string(mcp.MethodSubscriptionsListen):
		sub.updates = newUpdates(ctx, s)
		sub.updates.key, sub.updates.tag = string(m.id), map[string]any{mcp.MetaKeySubscriptionID: m.id}
	default:
		return ctx
	}
	return s.mcp.WithContext(ctx, sub)
}

// addSubscriptions registers the hooks for sessions that begin and end, and for requests that listen.
func (s *Server) addSubscriptions(hooks *server.Hooks) {
	hooks.AddOnRegisterSession(func(_ context.Context, client server.ClientSession) {
		s.sessions.Store(client.SessionID(), newUpdates(s.mcp.WithContext(context.Background(), client), s))
		s.news.follow()
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, client server.ClientSession) {
		if u, ok := s.sessions.LoadAndDelete(client.SessionID()); ok {
			u.(*updates).close()
			s.news.unfollow()
		}
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, req *mcp.SubscriptionsListenRequest) {
		wanted := &req.Params.Notifications
		*wanted = server.ClientSessionFromContext(ctx).(*subscriber).updates.listen(wanted.ResourceSubscriptions)
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, result *mcp.SubscriptionsListenResult) {
		tag := server.ClientSessionFromContext(ctx).(*subscriber).updates.tag
		result.EnsureResultMeta().SetSubscriptionID(tag[mcp.MetaKeySubscriptionID]) // as the client wrote it
	})
}

// NotificationChannel is where mcp-go acknowledges that a request listens. Nothing reads it: updates sends the
// acknowledgement itself, before any other notification.
func (s *subscriber) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.acks }

// SubscribeToResourceErr subscribes. For a request that listens it has nothing left to do.
func (s *subscriber) SubscribeToResourceErr(uri string) error {
	if s.updates == nil {
		return s.at.protocolError(record.Errorf(record.NotFound, "this server does not know the session").WithHint("begin a new one with initialize"))
	}
	return s.at.protocolError(s.updates.add(uri))
}

// SubscribeToResource is required by the interface; mcp-go calls SubscribeToResourceErr instead.
func (s *subscriber) SubscribeToResource(uri string) { _ = s.SubscribeToResourceErr(uri) }

// UnsubscribeFromResource unsubscribes.
func (s *subscriber) UnsubscribeFromResource(uri string) {
	if s.updates != nil {
		s.updates.remove(uri)
	}
}

// IsSubscribedToResource reports whether a resource is subscribed to.
func (s *subscriber) IsSubscribedToResource(uri string) bool {
	return slices.Contains(s.SubscribedResources(), uri)
}

// SubscribedResources returns the URIs, sorted.
func (s *subscriber) SubscribedResources() []string {
	if s.updates == nil {
		return nil
	}
	return s.updates.uris()
}
