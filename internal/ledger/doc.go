// Package ledger holds the rules of what a team of people and agents knows, has decided, and asks of one another: a
// file for each kind of record. Like package task it is pure: functions of values, which read no file and know no
// store.
package ledger
