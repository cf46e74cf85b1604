// Package web shows a workspace in a browser, on the machine where it runs. It is a front-end beside cmd and mcpserver
// over the same verbs: each page is the answer of a verb, drawn by html/template. It has no rule, no path and no JSON of
// its own.
//
//   - server.go: the routes, and what ends a server
//   - safe.go, enter.go: limits; who may ask at all
//   - reads.go: verbs for screens; board.go, list.go, task.go, needs.go, graph.go, jobs.go: a screen each, or a few
//   - writes.go, forms.go, confirm.go, refusal.go: verbs for forms, what a person confirms by typing a word, and refusals
//   - draw.go, words.go, assets.go: templates, what they call, and the files beside them
//   - markdown.go: texts of strangers made harmless
//   - live.go: the stream that says what changed
//   - static.go: the same pages as plain files
//
// # Safe
//
// A server listens on 127.0.0.1 alone and answers only requests that name it so. Whoever opens the printed link
// exchanges the token in its fragment, once, for a cookie that no script reads; without it nothing is read. A write
// needs the token of that session besides, and comes from the server's own pages. Pages run no inline script, fetch
// nothing of others and stand in no frame. What a person confirms at a terminal by typing a word they confirm here by
// typing it, and where the terminal takes no word, as in the shell of an agent, neither does a server.
//
// # Looks
//
// All measures are variables at the head of assets/style.css, and nothing else is used:
//
//   - Type: the system's font. Five sizes: 11 (marks), 12 (cards' second line), 13 (the text of lists and cards), 14
//     (the text of a task) and 18 pixels (titles). Numbers are tabular; ids and commands are monospaced.
//   - Space: multiples of 4 pixels. A card is 8 inside, 6 apart from the next; a screen has 16 at its sides.
//   - Colour: four grounds (page, column, card, raised), three inks (text, dim, faint), one accent, and four signals
//     (good, warn, bad, info), each in a light and a dark theme. Ink on its ground has a contrast of 4.5 to 1 at least.
//   - Nothing is told by colour alone: each priority has a shape of its own, a person is round and an agent square,
//     a state of a check has a sign and a word.
//   - Corners of 6 pixels, one line of 1 pixel around what can be opened, one shadow for what lies above the page.
package web
