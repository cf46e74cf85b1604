GO            ?= go
MCPB_OUT      ?= dist
GOLANGCI_LINT ?= golangci-lint
GORELEASER    ?= goreleaser
FUZZTIME      ?= 60s
RACETIME      ?= 10s
CRASHES       ?= 10
FLEETS        ?= 200
BENCH         ?= .
SIZES         ?= 1000,10000,100000
PAGE          ?=
BASE          ?= main
FIELD         ?= estimate
AGENTS        ?= claude,codex,opencode,gemini
AGENTS_IN     ?= $(shell $(GO) env GOCACHE)-agents
# The versions that docs/jobs.md speaks of.
AGENT_PACKAGES ?= @anthropic-ai/claude-code@2.1.197 @openai/codex@0.171.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0

# ./... leaves out the module that stands in for another one (go.work).
PACKAGES = ./... ./mcpserver/jsonschema

.PHONY: help build check format vet lint test fmt update docs fuzz race crash jobs-crash clones fleets conformance agents bench mcpb release-files snapshot quick house

help:
	@echo 'make build    bin/cairn, as it is shipped'
	@echo 'make check    everything that must hold before a commit; rewrites nothing'
	@echo 'make test     all tests, also those that take long, with the race detector'
	@echo 'make quick    the tests of what changed since $(BASE) and of its importers, for a minute at most'
	@echo 'make fmt      format the code'
	@echo 'make update   rewrite the golden files; read the diff before you commit it'
	@echo 'make docs     write the generated pages under docs/ anew'
	@echo 'make snapshot  what a release would have, in dist, by goreleaser 2'
	@echo 'make fuzz     fuzz what is read, each target for FUZZTIME ($(FUZZTIME))'
	@echo 'make race     writers beside an editor that takes no lock, for RACETIME ($(RACETIME))'
	@echo 'make crash    kill and starve the store, CRASHES ($(CRASHES)) times over'
	@echo 'make jobs-crash  kill the processes of jobs at 200 random moments'
	@echo 'make clones   twenty clones of one remote race, share work, and are killed'
	@echo 'make fleets   FLEETS ($(FLEETS)) random histories of three clones with clocks apart, judged; twenty minutes'
	@echo 'make agents   run whole jobs with $(AGENTS), which npm installs, against a model on loopback'
	@echo 'make conformance  hold the MCP server against the official suite, which npm downloads'
	@echo 'make mcpb     dist/*.mcpb, the bundles for clients that install those; VERSION=1.2.0'
	@echo 'make house    count how the code is arranged; FIELD=estimate'
	@echo 'make bench    run the benchmarks, then measure whole commands with SIZES ($(SIZES)) tasks and hold the'
	@echo '              ratios against their limits; PAGE=docs/performance.md writes the figures there'

# Without cgo the program starts sooner, and needs no C library. A third of it would be symbols for debuggers, which -s -w leaves out;
# it speaks HTTP on loopback alone, which needs no HTTP/2; functions stand closer than by default (docs/decisions/0189).
build:
	CGO_ENABLED=0 $(GO) build -trimpath -tags nethttpomithttp2 -ldflags '-s -w -funcalign=16' -o bin/ ./cmd/cairn

# What a release carries beside the program, made by the program.
release-files:
	rm -rf bin/release
	mkdir -p bin/release/completions
	$(GO) run ./cmd/cairn man > bin/release/cairn.1
	gzip -9 -n -k bin/release/cairn.1
	for shell in bash zsh fish; do $(GO) run ./cmd/cairn completion $$shell > bin/release/completions/cairn.$$shell || exit; done
	$(GO) run ./cmd/cairn completion powershell > bin/release/completions/cairn.ps1

# All of a release in dist, and nothing of it published.
snapshot:
	$(GORELEASER) check
	$(GORELEASER) release --snapshot --clean --skip=publish

# That the generated pages are fresh is a test like any other (cmd, TestGenerated).
check: format vet lint test

format:
	@unformatted=$$(gofmt -l .) || exit; \
	if [ -n "$$unformatted" ]; then \
		echo "these files are not formatted (make fmt does it):"; echo "$$unformatted"; exit 1; \
	fi

vet:
	GOOS=linux $(GO) vet $(PACKAGES)
	GOOS=windows $(GO) vet $(PACKAGES)
	GOOS=darwin $(GO) vet $(PACKAGES)

lint:
	$(GOLANGCI_LINT) run $(PACKAGES)

test:
	CAIRN_TESTS=all $(GO) test -race $(PACKAGES)

# It says what it left out. make check leaves out nothing.
quick:
	$(GO) run ./tools/quick --base $(BASE)

house:
	$(GO) run ./tools/house --field $(FIELD)

fmt:
	gofmt -w .

update:
	UPDATE=1 $(GO) test -count=1 ./...

docs:
	UPDATE=1 $(GO) test -count=1 ./cmd -run '^TestGenerated$$'

fuzz:
	$(GO) test ./store/format -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./store/index -run '^$$' -fuzz '^FuzzDecode$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./store/format -run '^$$' -fuzz '^FuzzEdit$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./session -run '^$$' -fuzz '^FuzzParseRemoteClaim$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./session -run '^$$' -fuzz '^FuzzParseShared$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./store/format -run '^$$' -fuzz '^FuzzOwnTree$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x
	$(GO) test ./internal/ledger -run '^$$' -fuzz '^FuzzProse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x

race:
	CAIRN_TESTS=all RACETIME=$(RACETIME) $(GO) test ./store -count=1 -v -run '^TestSlowWritersBesideAnEditor$$'

# Each time 200 processes are killed at random moments, every verb at each of its system calls, and each call fails in each way.
crash:
	CAIRN_TESTS=all CRASHTEST_ALL=1 $(GO) test -race -timeout 0 -count $(CRASHES) ./store ./store/crashtest -run 'Crash|Death|Fail|Vanish|Full'

# Caller, supervisor, executor or all of them, with SIGKILL: nothing is left running, no job RUNNING, no work is lost.
jobs-crash:
	CAIRN_TESTS=all JOBS_CRASH=200 $(GO) test ./internal/work/runner -count=1 -timeout 0 -v -run '^TestSlowKillsAtRandomMoments$$'

# Claims through a git remote, at full size. Ordinary runs of these tests take a few clones.
clones:
	CAIRN_TESTS=all CLONES_RACE=20x20 CLONES_WORK=6x60 CLONES_KILLS=150 $(GO) test ./cmd/cairn -count=1 -timeout 0 -v -run 'Clones|KilledWhileItClaims|ConnectionsToTheRemote'
	CLONES_HOURS=8 CAIRN_TESTS=all $(GO) test ./store/remote -count=1 -v -run '^TestSlowTheBudgetOfTwentyClones$$'

# Honest histories at random, at full size. Ordinary runs have eight.
fleets:
	CAIRN_TESTS=all FLEETS=$(FLEETS) $(GO) test ./check/proof/fleet -count=1 -timeout 0 -v -run 'Fleets|FilesWin'

# Whole jobs with real agent programs, against a model that the tests serve on loopback. npm installs them beside the cache of go.
agents:
	npm install --prefix '$(AGENTS_IN)' --no-audit --no-fund $(AGENT_PACKAGES)
	PATH="$(AGENTS_IN)/node_modules/.bin:$$PATH" AGENTS=$(AGENTS) $(GO) test ./examples/agents -count=1 -timeout 30m -v

conformance:
	CONFORMANCE=1 $(GO) test ./mcpserver -count=1 -v -run '^TestConformance$$'

# Figures of two runs can be compared if nothing else ran on the machine; ratios within one run always can.
bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -timeout 1h ./...
	$(GO) run ./tools/bench --sizes $(SIZES) --check $(if $(PAGE),--write $(PAGE))

# One bundle for each system, with the program in it. The version is that of the last tag.
VERSION ?= $(patsubst v%,%,$(shell git describe --tags --abbrev=0 2>/dev/null || echo v0.0.0))
MCPB    ?= darwin/arm64 darwin/amd64 linux/amd64 linux/arm64 windows/amd64

mcpb:
	@set -e; for target in $(MCPB); do \
		os=$${target%/*}; arch=$${target#*/}; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -tags nethttpomithttp2 -ldflags '-s -w -funcalign=16' -o bin/mcpb/cairn-$$os-$$arch ./cmd/cairn; \
		$(GO) run ./tools/bundle mcpb --version $(VERSION) --goos $$os --binary bin/mcpb/cairn-$$os-$$arch --out $(MCPB_OUT)/cairn-$(VERSION)-$$os-$$arch.mcpb; \
	done
