// Package board is the board in the terminal: columns of tasks, one for each state of the workspace's flow, that a
// person moves about in.
//
// It is a model in the sense of bubbletea: Update takes a message and View returns a screen, and neither reads a file,
// a clock or a terminal. What is shown and what is done comes from Calls, behind which stand verbs; the board has no
// rules of its own, and shows a refusal as it was made. Calls are made in commands, which bubbletea runs beside the
// model, so that a check that runs for minutes stops nobody from looking around.
package board
