# make check   everything that must hold before a change is taken
# make fuzz    each fuzz target for FUZZTIME
# make api     docs/api, the public API as text, anew
# make cover   coverage of all packages, cover.out
# make bench   benchmarks of BASE and HEAD compared; PKG, BENCH and COUNT narrow them

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 60s
BASE        ?= HEAD~1
HEAD        ?= HEAD
PKG         ?= ./...
BENCH       ?= .
COUNT       ?= 6

.PHONY: check api fuzz cover bench

check:
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(STATICCHECK) ./...
	go test ./...
	@# -short: what one goroutine does over and over, it did above; vet was above, too
	go test -race -short -vet=off ./...
	.ci/fuzz 1s

api:
	go test ./internal/arch -run TestAPI -update

fuzz:
	.ci/fuzz $(FUZZTIME)

cover:
	go test -coverprofile=cover.out ./...
	go tool cover -func=cover.out | tail -1

bench:
	.ci/bench '$(BASE)' '$(HEAD)' '$(PKG)' '$(BENCH)' '$(COUNT)'
