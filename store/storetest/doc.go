// Package storetest has the tests that any store of records must pass (Run), and what the tests of the store's packages
// share: workspaces, files and repositories to test on, actors that write as the verbs do, and other processes.
package storetest
