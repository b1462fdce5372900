# Everything a contributor runs. "make" alone lists it.

GO       ?= go
FUZZTIME ?= 20s
VERSION  ?= $(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null || echo dev)

TOOL     := $(GO) tool -modfile=tools/go.mod
POSTGRES := scripts/postgres.sh run

# The race detector needs a C compiler. Building runtime/cgo tells whether there
# is one that works. It leaves SQLite alone: that is C in the clothes of Go, whose
# memory it cannot judge, and watching it takes five times as long as all our own.
RACE = $(shell $(GO) build -race runtime/cgo 2>/dev/null && echo '-race -gcflags=modernc.org/...=-race=false')

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo ui release release-check test test-go race test-ui test-clients test-schema test-browser bench fuzz fmt fmt-check vet vet-cross lint check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## a static binary, bin/nexus
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/nexus ./cmd/nexus

demo: ## a hub with a believable team at work, until Ctrl-C; DEMO='--agents 500 --events 100000' for a crowd
	$(GO) run ./scripts/demo $(DEMO)

ui: ## the dashboard, ui/dist
	cd ui && npm install --no-save --loglevel=error && npm run --silent build

release: ## archives, Debian packages and checksums for all platforms, dist/release
	rm -rf dist/release
	$(GO) run ./scripts/release $(if $(filter file,$(origin VERSION)),,-version '$(VERSION)') \
		$(if $(SOURCE_DATE_EPOCH),-epoch '$(SOURCE_DATE_EPOCH)')

release-check: ## make the release of the commit twice, in two places, and compare
	scripts/release-check.sh

# Most tests wait for databases, disks and browsers much of their time. Two lanes,
# which take about as long as each other, keep two cores busy.
test: ## all tests, with everything they need
	@scripts/side-by-side.sh 'test-go test-ui test-schema' 'test-clients test-browser'

test-go: export NEXUS_REQUIRE_POSTGRES = 1
test-go: ## the Go tests, on SQLite and a PostgreSQL server of their own
	@$(if $(RACE),,echo 'No working C compiler: the tests run without the race detector.')
	$(POSTGRES) $(GO) test $(RACE) -count=1 -timeout 15m $$($(GO) list ./... | grep -v '/cmd/nexus$$')
	$(POSTGRES) $(GO) test -count=1 -timeout 15m ./cmd/nexus

# The end-to-end tests start hundreds of processes, which take three times as long
# under the race detector. The services they are made of run under it above.
race: export NEXUS_REQUIRE_POSTGRES = 1
race: ## every Go test under the race detector, the end-to-end ones too
	@$(if $(RACE),,echo 'No working C compiler: the race detector needs one.'; exit 1)
	$(POSTGRES) $(GO) test $(RACE) -count=1 -timeout 30m ./...

test-ui: ## the dashboard's own tests, and whether ui/dist is what its source makes
	bash test/ui/run.sh

test-clients: ## foreign MCP clients against the real binary
	bash test/clients/run.sh

test-schema: ## random calls against the real binary, held to its OpenAPI document
	bash test/schema/run.sh

test-browser: ## hostile and own pages in a real browser against the real binary
	bash test/browser/run.sh

bench: ## the benchmarks, as ratios measured in one run
	$(GO) run ./bench

fuzz: ## every fuzz test for FUZZTIME (20s)
	scripts/fuzz.sh $(FUZZTIME)

fmt: ## format the Go files
	$(TOOL) gofumpt -w .

fmt-check:
	@files=$$($(TOOL) gofumpt -l .) || exit 1; \
	[ -z "$$files" ] || { printf 'Not formatted, run make fmt:\n%s\n' "$$files"; exit 1; }

vet:
	$(GO) vet ./...

vet-cross: ## vet what differs on other systems
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./cmd/nexus ./store ./client ./serve
	GOOS=windows CGO_ENABLED=0 $(GO) vet ./cmd/nexus ./store ./client ./serve

lint: fmt-check ## the linters
	$(TOOL) golangci-lint run

check: fmt-check vet lint test ## what to run before a commit

clean: ## remove what was built
	rm -rf bin dist coverage coverage.out
