# faultline - one page: what is built, from what, and how it is checked.
#   make            build/faultline (MODE=release|debug|asan|tsan; the others build into build/MODE)
#   make run        set-up and the main job on the demo job        make test    set-up and every test
#   make lab        real failures of small distributed jobs; skipped without PyTorch
#   make arm64      the matcher's tests on aarch64, under qemu; skipped without a cross compiler
#   make deps       install what the build needs                   make install PREFIX=/usr/local
MODE   ?= release
PREFIX ?= /usr/local
CC     ?= cc
B      := $(if $(filter release,$(MODE)),build,build/$(MODE))
LIBS   := libpcre2-8 sqlite3 libcjson expat yaml-0.1 libarchive libzstd libcurl
FLAGS_release := -O3 -g -DNDEBUG
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -pthread -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
              -Wvla -Werror -fno-strict-aliasing -Isrc -I. $(FLAGS_$(MODE)) $(CFLAGS) $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
LD_CORE := $(filter-out -lcurl -larchive -lzstd,$(shell pkg-config --libs $(LIBS) 2>/dev/null)) -lm -ldl -pthread # see src/base/library.h
LD_UI   := -lncursesw -ltinfo
BOOT    := src/compile/kbc_main.c src/world/embed_none.c
EMBED   := src/world/embed.c
CORE_C  := $(filter-out $(BOOT) $(EMBED),$(wildcard src/*/*.c))
UI_C    := $(filter-out ui/main.c,$(wildcard ui/*.c))
BOOT_C  := $(filter-out src/app/% src/report/%,$(CORE_C))
obj      = $(patsubst %.c,$(B)/obj/%.o,$(1))
KB_YAML := $(shell find kb -name '*.yaml')
TESTS   := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))

all: $(B)/faultline
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(B)/libcore.a: $(call obj,$(CORE_C))
	@rm -f $@
	@ar rcs $@ $^
$(B)/kbc: $(call obj,$(BOOT_C) $(BOOT))
	@echo "  LINK $@"
	@$(CC) $(CFLAGS_ALL) $^ $(LD_CORE) -o $@
$(B)/kb.sqlite: $(B)/kbc $(KB_YAML)
	@echo "  KB   $@"
	@$(B)/kbc kb $@
$(B)/obj/$(EMBED:.c=.o): $(EMBED) $(B)/kb.sqlite
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -DKB_IMAGE='"$(B)/kb.sqlite"' -c $< -o $@
$(B)/faultline: $(call obj,ui/main.c $(UI_C)) $(call obj,$(EMBED)) $(B)/libcore.a
	@echo "  LINK $@"
	@$(CC) $(CFLAGS_ALL) $^ $(LD_UI) $(LD_CORE) -o $@

# ---- tests: each tests/unit/test_*.c is a program; the rest are scripts; tests/run counts them all
# the tests of the heart link base, model and think alone
HEART   := $(call obj,$(filter src/base/% src/model/% src/think/%,$(CORE_C)))
$(TESTS): $(wildcard tests/unit/*.h)
$(filter $(B)/tests/test_think%,$(TESTS)): $(B)/tests/%: tests/unit/%.c $(HEART)
	@mkdir -p $(@D)
	@echo "  TEST $@"
	@$(CC) $(CFLAGS_ALL) -Itests/unit $(filter-out %.h,$^) -lcmocka -lcjson -lm -o $@
$(B)/tests/%: tests/unit/%.c $(call obj,$(UI_C)) $(call obj,$(EMBED)) $(B)/libcore.a
	@mkdir -p $(@D)
	@echo "  TEST $@"
	@$(CC) $(CFLAGS_ALL) -Itests/unit $< $(call obj,$(UI_C)) $(call obj,$(EMBED)) $(B)/libcore.a -lcmocka -lvterm -lutil $(LD_UI) $(LD_CORE) -o $@
check: $(B)/faultline $(TESTS)
	tests/run $(B)
test: deps
	@$(MAKE) --no-print-directory check
run: deps
	@$(MAKE) --no-print-directory all
	@if [ -t 1 ]; then $(B)/faultline assets/demo; else $(B)/faultline diagnose assets/demo || [ $$? -eq 1 ]; fi
$(B)/pictures: tests/pictures/pictures.c $(call obj,$(UI_C)) $(call obj,$(EMBED)) $(B)/libcore.a
	@$(CC) $(CFLAGS_ALL) $^ $(LD_UI) $(LD_CORE) -o $@
screenshots: $(B)/pictures
	$(B)/pictures assets
score: $(B)/faultline
	$(B)/faultline kb score tests/cases
kb-report: $(B)/faultline
	$(B)/faultline kb report tests/cases
bench: $(B)/faultline
	tests/bench/bench.sh $(B)
lab: $(B)/faultline
	tests/lab/run $(B)
fuzz:
	tests/fuzz/run
arm64: $(B)/faultline
	tests/arm64
deps:
	tests/deps
install: $(B)/faultline
	install -D -m 755 $(B)/faultline $(DESTDIR)$(PREFIX)/bin/faultline
	install -D -m 644 man/faultline.1 $(DESTDIR)$(PREFIX)/share/man/man1/faultline.1
	install -D -m 644 assets/completion/faultline.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/faultline
format:
	clang-format -i src/*/*.[ch] ui/*.[ch] tests/*/*.[ch]
clean:
	rm -rf build
.PHONY: all check test run screenshots score kb-report bench lab fuzz arm64 deps install format clean
.DELETE_ON_ERROR:
