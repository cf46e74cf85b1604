// Command bundle makes what clients install of cairn: the plugin for Claude Code, whose files are in the folder plugin
// of the repository, and bundles in the MCPB format, which hold the program for one system.
//
//	go run ./tools/bundle plugin                     writes the files of the plugin anew; a test says when they are stale
//	go run ./tools/bundle mcpb --binary FILE ...     writes one bundle around a program that was built
package main
