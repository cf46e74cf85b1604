package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/net/netutil"
)

const (
	sessionIdleTime = time.Hour        // after which the session of a client of the older protocol versions ends
	heartbeatTime   = 30 * time.Second // between pings to a client that only listens
)

// Listen listens on an address that only this machine can reach; port 0 takes a free one. It returns INVALID_INPUT for
// any other address, and IO if the port is taken.
func Listen(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	switch {
	case err != nil:
		return nil, record.Errorf(record.InvalidInput, "%q is no address to listen on: %w", addr, err).
			WithHint("give a loopback address with its port, such as 127.0.0.1:7317")
	case !tcp.IP.IsLoopback():
		return nil, record.Errorf(record.InvalidInput, "%q is not an address of this machine alone", addr).
			WithHint("give a loopback address, such as 127.0.0.1:7317: whoever can connect acts as this server's actor")
	}
	l, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, record.Errorf(record.IO, "cannot listen on %s: %w", tcp, err).
			WithHint("another program may hold the port; port 0 takes a free one")
	}
	return l, nil
}

// ServeListener answers requests over Streamable HTTP, on the path /mcp, until ctx ends, and returns within 2 seconds
// of it. Calls in flight then end as Serve ends them. All clients act as the one actor of the server. It closes the
// listener, and returns the error that ended the listening, if there was one.
func (s *Server) ServeListener(ctx context.Context, l net.Listener) error {
	open, hangUp := context.WithCancel(context.WithoutCancel(ctx)) // of the streams
	defer hangUp()
	defer s.w.Reads.Close()
	defer s.tellMemory()()
	defer s.keepClaims()()
	clients := &sessions{used: map[string]time.Time{}}
	h := &httpHandler{
		Server: s, ctx: context.WithoutCancel(ctx), calls: newCalls(), clients: clients,
		stream: server.NewStreamableHTTPServer(s.mcp,
			server.WithSessionIdManager(clients),
			server.WithSessionIdleTTL(sessionIdleTime),
			server.WithHeartbeatInterval(heartbeatTime),
			server.WithStreamableHTTPLogger(s.log),
			server.WithHTTPContextFunc(func(ctx context.Context, _ *http.Request) context.Context {
				m, _ := ctx.Value(asked{}).(message)
				return s.subscribing(ctx, m)
			}),
		),
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTime, IdleTimeout: idleConnTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return open },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	s.log.Info("serving", "actor", s.w.Actor(), "dir", s.w.Dir, "address", l.Addr())
	go func() { failed <- srv.Serve(netutil.LimitListener(l, maxConns)) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.log.Info("end of service", "cause", err)

	inTime, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Shutdown(inTime) }() // takes no more requests, and waits for those in flight
	s.drain(h.calls)
	_ = h.stream.Shutdown(open) // it has no connections of its own that could fail to close
	hangUp()
	defer time.AfterFunc(cancelTime/2, giveUp).Stop()
	s.log.Debug("ended", "cause", <-stopped)
	return errors.Join(err, srv.Close())
}

// httpHandler checks each HTTP request and passes it to mcp-go.
type httpHandler struct {
	*Server
	ctx     context.Context // of its calls; outlives the listening
	stream  *server.StreamableHTTPServer
	calls   *calls
	clients *sessions
	count   atomic.Uint64 // of calls; ids of requests are not unique among clients
}

func (h *httpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := foreign(r); why != "" {
		h.log.Warn("refused", "from", r.RemoteAddr, "why", why)
		http.Error(w, why, http.StatusForbidden)
		return
	}
	if r.Method != http.MethodPost {
		h.stream.ServeHTTP(w, r)
		return
	}
	read := readWithin(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.limits.line)))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		h.refuse(w, http.StatusRequestEntityTooLarge, refusal(nil, mcp.INVALID_REQUEST, "the message is longer than %d bytes", tooLong.Limit))
		return
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "the body did not arrive in time", http.StatusRequestTimeout) // unless the client is gone
		return
	}
	read()
	m, refusal := parse(bytes.TrimSpace(body))
	if refusal != nil {
		h.refuse(w, http.StatusBadRequest, refusal)
		return
	}
	if m.method == string(mcp.MethodInitialize) && !h.clients.room() {
		h.refuse(w, http.StatusServiceUnavailable, tooMany(m))
		return
	}
	if no := h.unknownTool(m); no != nil {
		h.refuse(w, http.StatusOK, no)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.serve(w, r, m)
}

func (h *httpHandler) refuse(w http.ResponseWriter, status int, refusal *mcp.JSONRPCError) {
	h.log.Warn("refused", "id", refusal.ID.Value(), "why", refusal.Error.Message)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(marshal(refusal)) // a client that is gone needs no answer
}

// serve has mcp-go answer a message. The server can end a call of a tool, which then still gets an answer. Streams end
// with their connections.
func (h *httpHandler) serve(w http.ResponseWriter, r *http.Request, m message) {
	switch {
	case m.method == string(mcp.MethodNotificationCancelled) && r.Header.Get(server.HeaderKeySessionID) == "":
		w.WriteHeader(http.StatusAccepted) // without a session the id may be another client's; closing the connection cancels
		return
	case m.tool() != "":
		id := strconv.AppendUint(nil, h.count.Add(1), 10)
		ctx, _ := h.calls.begin(h.ctx, id, h.tools[m.tool()].Waits)
		defer h.calls.end(id, func() {})
		r = r.WithContext(context.WithValue(r.Context(), ending{}, ctx))
	}
	h.stream.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), asked{}, m)))
}

// asked is the key of the message in the context of its request.
type asked struct{}

// ending is the key of a second context of a call, by which the server ends it. It is not the request's own context,
// because mcp-go gives no answer once that has ended.
type ending struct{}

// endable returns the context of a call, which the server can end too.
func endable(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Value(ending{}).(context.Context)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(end, func() { cancel(context.Cause(end)) })
	return ctx, func() { stop(); cancel(nil) }
}

// foreign returns why a request may come from a web page, or "" if it does not. A page can make its visitor's browser
// send requests to this address in two ways: under a host name of the page's that resolves to it, which shows in the
// Host header, or as a request to another origin, which shows in the Origin header. Programs send no Origin.
func foreign(r *http.Request) string {
	name := r.Host
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		name = host
	}
	if !strings.EqualFold(name, "localhost") && !net.ParseIP(strings.Trim(name, "[]")).IsLoopback() {
		return "the Host header does not name this machine"
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) {
			return "the Origin header names another origin"
		}
	}
	return ""
}
