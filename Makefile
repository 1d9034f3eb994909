# dbrescue: the only door. `make help` lists what there is.
#
# help     what there is                    bench    speed against peers, in one run
# build    everything, debug                release  one static binary in dist/
# test     every test                       simulate crashes, errors, kills: all of them
# fuzz     mutate databases for longer      install  into PREFIX (default /usr/local)
# lint     format check                     demo     the main job on a sample app
# format   rewrite the sources              clean    remove what was built
# theatre  re-enact incidents of the field  docs     the articles about the library
# damage   how much of damage comes back    reference  the reference pages, from the program

SWIFT ?= swift
DOCC ?= docc
PREFIX ?= /usr/local
SOURCES = Sources Tests samples Package.swift
DEBUG = .build/debug
RELEASE = .build/release
# Debug builds with the reading of damaged files optimized (Package.swift).
export DBRESCUE_OPTIMIZED = 1

.DEFAULT_GOAL := help
.PHONY: help deps build test lint format bench demo docs reference release install clean fuzz damage simulate theatre

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The two C libraries: present, or installed through apt where that is allowed, or named.
deps:
	@command -v $(SWIFT) >/dev/null || { echo "make: Swift 6.3 is needed: https://swift.org/install"; exit 1; }
	@set -e; missing=; \
	for pair in sqlite3.h:libsqlite3-dev zlib.h:zlib1g-dev; do \
	  header=$${pair%%:*}; package=$${pair##*:}; found=; \
	  for folder in /usr/include /usr/local/include /opt/homebrew/include \
	    "$$(xcrun --show-sdk-path 2>/dev/null)/usr/include"; do \
	    if [ -e "$$folder/$$header" ]; then found=yes; fi; \
	  done; \
	  if [ -z "$$found" ]; then missing="$$missing $$package"; fi; \
	done; \
	if [ -n "$$missing" ]; then \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "installing$$missing"; apt-get update -qq && apt-get install -y -qq $$missing; \
	  elif command -v apt-get >/dev/null && sudo -n true 2>/dev/null; then \
	    echo "installing$$missing"; sudo apt-get update -qq && sudo apt-get install -y -qq $$missing; \
	  else \
	    echo "make: these packages are missing:$$missing"; \
	    echo "  try: sudo apt-get install$$missing"; exit 1; \
	  fi; \
	fi

build: deps ## build everything, in debug
	$(SWIFT) build --build-tests

test: build ## run every test
	{ $(SWIFT) test --skip-build --disable-xctest 2>&1; echo "status $$?"; } | tee .build/test.log
	@status=$$(awk '/^status [0-9]+$$/ { s = $$2 } END { print s }' .build/test.log); \
	  if [ "$$status" != 0 ]; then echo "what failed:"; grep -a '✘' .build/test.log; fi; exit "$$status"

lint: ## check the format of every source file
	$(SWIFT) format lint --strict --recursive $(SOURCES)

format: ## rewrite the sources in the house format
	$(SWIFT) format --in-place --recursive $(SOURCES)

fuzz: build ## mutate databases for longer than the tests do
	$(SWIFT) build -c release --product dbrescue
	DBRESCUE_FUZZ=$${DBRESCUE_FUZZ:-25000} DBRESCUE_PROGRAM="$(CURDIR)/$(RELEASE)/dbrescue" \
	  $(SWIFT) test --skip-build --disable-xctest --filter "SurveyFuzz|ProgramFuzz"

damage: build ## damage databases in every way, and count row by row what a salvage brings back
	$(SWIFT) build -c release --product dbrescue
	DBRESCUE_DAMAGE=$${DBRESCUE_DAMAGE:-all} DBRESCUE_PROGRAM="$(CURDIR)/$(RELEASE)/dbrescue" \
	  $(SWIFT) test --skip-build --disable-xctest --filter DamageBenchmarkTests

theatre: build ## play every scene of the field theatre, and count right and wrong causes
	DBRESCUE_THEATRE=$${DBRESCUE_THEATRE:-all} \
	  $(SWIFT) test --skip-build --disable-xctest --filter TheatreTests

simulate: build ## crash every action at every operation, fail every call, kill the program
	{ DBRESCUE_SIMULATE=all $(SWIFT) test --skip-build --disable-xctest \
	  --filter 'CrashTests|FaultTests|KillTests'; echo "status $$?"; } | tee .build/simulation.log
	@awk -F '[:,] *' '/^simulation: (crashes|failing calls|failing reads|kills)/ { split($$3, n, " "); \
	  split($$4, v, " "); tried += n[1]; bad += v[1] } /^status/ { split($$1, status, " ") } \
	  END { print "simulation: " tried " cases tried in all, " bad " violations"; \
	  exit status[2] || bad }' .build/simulation.log

bench: deps ## measure check, salvage, backup and restore against peers in the same run
	$(SWIFT) build -c release --product dbrescue
	$(SWIFT) build -c release --product rescue-bench
	$(RELEASE)/rescue-bench $(BENCH)

demo: deps ## show the main job on a bundled sample app
	$(SWIFT) build --product dbrescue
	$(SWIFT) build --product fitness-log
	PATH="$(CURDIR)/$(DEBUG):$$PATH" sh samples/demo.sh

# What is public, as symbol graphs; the pages; and what has no words. Words for what the compiler
# makes of an enumeration are not ours to write.
SYMBOLS = .build/symbols
docs: deps ## build the articles about the library, and check their links
	$(SWIFT) package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
	rm -rf .build/docs $(SYMBOLS) && mkdir -p $(SYMBOLS)
	for module in SQLiteFormat Diagnosis DatabaseRescue; do \
	  cp .build/*-*/symbolgraph/$$module.symbols.json $(SYMBOLS)/ || exit 1; \
	done
	$(DOCC) convert Sources/DatabaseRescue/DatabaseRescue.docc --output-path .build/docs \
	  --additional-symbol-graph-dir $(SYMBOLS) --warnings-as-errors \
	  --experimental-documentation-coverage --coverage-summary-level detailed \
	  >$(SYMBOLS)/coverage || { cat $(SYMBOLS)/coverage; exit 1; }
	@awk -F ' *\\| *' '$$3 !~ /^(true|false)$$/ || $$2 ~ /Article|Tutorial|Group/ { next } \
	  { symbols++ } \
	  $$3 == "false" && $$1 !~ /^init\(rawValue:\)/ { print "no words: " $$8; bad++ } \
	  END { print "docs: " symbols " public declarations, " bad + 0 " without words"; \
	  exit bad || !symbols }' \
	  $(SYMBOLS)/coverage

reference: deps ## write the pages of docs/reference anew, from what the program says
	$(SWIFT) build --product dbrescue
	for format in report contract log playbook; do \
	  $(DEBUG)/dbrescue schema $$format --markdown > docs/reference/$$format.md || exit 1; \
	done
	$(DEBUG)/dbrescue explain findings --markdown > docs/reference/findings.md

release: deps ## build one static binary, dist/dbrescue
	$(SWIFT) build -c release --product dbrescue --static-swift-stdlib \
	  $$([ "$$(uname)" = Linux ] && echo "-Xswiftc -static-executable")
	mkdir -p dist
	cp $(RELEASE)/dbrescue dist/dbrescue
	strip dist/dbrescue

install: release ## install the binary, its man page and its completions
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 dist/dbrescue $(DESTDIR)$(PREFIX)/bin/dbrescue
	dist/dbrescue man > $(DESTDIR)$(PREFIX)/share/man/man1/dbrescue.1
	dist/dbrescue completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/dbrescue
	dist/dbrescue completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_dbrescue
	dist/dbrescue completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/dbrescue.fish

clean: ## remove what was built
	rm -rf .build dist demo
