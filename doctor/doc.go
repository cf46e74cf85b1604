// Package doctor examines a workspace on this machine: the record, the live state beside it, and how git is set up for both.
//
// What it finds it names, with its place and what to do about it. Some of that it can repair itself: only where one repair is
// right whatever the reason was, and where nothing can be lost by it. It never goes round a gate, never changes an entry of a
// record, never ends what somebody else holds, and never does more than the finding showed before.
//
// The rules that a record is held against live elsewhere. What is the doctor's own is whatever depends on this machine and on
// the clock: leftovers of killed writers, entries that an editor saved over, claims that expired, the merge driver.
package doctor
