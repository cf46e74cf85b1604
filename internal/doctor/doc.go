// Package doctor examines a workspace on this machine: the record, the live state beside it, and how git is set up for
// both.
//
// Each finding says where it is and what to do about it. Some can be repaired here: only where one repair is right
// whatever the cause was, and where nothing can be lost by it. A repair never goes around a gate, never changes an
// entry of a record, never ends what another actor holds, and never does more than its finding showed before.
//
// The rules for records are those of package proof. What is examined here depends on this machine and on the clock:
// leftovers of killed writers, entries that an editor saved over, claims that expired, the merge driver.
package doctor
