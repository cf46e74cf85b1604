// Package session holds the rules of attempts: a session is one attempt at a task by one actor, from begin to finish or
// cancel.
//
// It is pure: files, live state and the clock are arguments. Three questions are answered here and nowhere else:
//
//   - What may happen to a session? It is active until it is finished, canceled, or abandoned by a takeover; then it is over.
//   - How is it doing? Health is derived from the clock and the newest sign of life whenever it is asked for.
//   - Who holds a task? Holder decides from the task's file, the live state of the clone, and the clock. Everything that
//     claims, hands out or shows work goes by its answer.
//
// # What is durable and what is live
//
// A Session is a committed file: it travels with the branch. A Record and a Heartbeat are live state: they lie in the
// clone's git directory, are shared by its worktrees, and are never committed. So a claim holds across branches and
// worktrees at once, and what is committed stays free of everything that is only true on one machine.
package session
