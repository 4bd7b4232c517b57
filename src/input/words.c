#include "input/words.h"
#include "base/utf8.h"

#include "text/chars.h"
#include "text/text.h"

enum { LOOKED_AT = 16384, FEW_WORDS = 40, EVERY = 20, NAMED_EVERY = 60, TERSE = 60 };
enum line_kind {
    LINE_BLANK,
    LINE_CODE,
    LINE_OTHER,
    LINE_PROSE,
    LINE_WIDE,
    LINE_PERSONAL,
    LINE_STRUCTURAL
};

/* Each word of a text is looked for: most differ in length or in the first letter. */
static bool word_in(struct str word, const struct str *list, size_t n) {
    char first = to_lower(byte_at(word, 0));
    for (size_t i = 0; i < n; i++)
        if (list[i].n == word.n && list[i].p[0] == first && str_eq_nocase(word, list[i]))
            return true;
    return false;
}

static bool is_function_word(struct str word) {
    static const struct str words[] = {
        STR("the"),   STR("a"),    STR("an"),    STR("is"),     STR("are"),  STR("was"),
        STR("to"),    STR("of"),   STR("in"),    STR("on"),     STR("it"),   STR("and"),
        STR("or"),    STR("when"), STR("with"),  STR("for"),    STR("that"), STR("this"),
        STR("but"),   STR("not"),  STR("after"), STR("before"), STR("from"), STR("then"),
        STR("while"), STR("at"),   STR("by"),    STR("as"),     STR("be"),   STR("has"),
        STR("have"),  STR("can"),  STR("does"),  STR("do"),     STR("if"),   STR("there"),
        STR("only"),  STR("all"),  STR("each"),  STR("every"),  STR("no"),   STR("never"),
        STR("same"),  STR("than")};
    return word_in(word, words, COUNT_OF(words));
}

/* Words that a person uses of himself and a program does not. */
static bool is_personal_word(struct str word) {
    static const struct str words[] = {
        STR("i"),        STR("i'm"),     STR("i've"),     STR("i'd"),    STR("my"),
        STR("me"),       STR("hi"),      STR("hello"),    STR("anyone"), STR("thanks"),
        STR("somebody"), STR("someone"), STR("wondering")};
    return word_in(word, words, COUNT_OF(words));
}

/* Words of the field.  Prose that hardly holds any - a novel, questions of a test set - complains
 * of nothing that is known here. */
static bool is_field_word(struct str word) {
    static const struct str words[] = {
        STR("gpu"),         STR("gpus"),         STR("cuda"),        STR("nccl"),
        STR("rocm"),        STR("tpu"),          STR("npu"),         STR("vram"),
        STR("oom"),         STR("torch"),        STR("pytorch"),     STR("torchrun"),
        STR("deepspeed"),   STR("colossalai"),   STR("colossal"),    STR("gemini"),
        STR("megatron"),    STR("nemo"),         STR("apex"),        STR("zero"),
        STR("fsdp"),        STR("ddp"),          STR("accelerate"),  STR("transformers"),
        STR("lightning"),   STR("lora"),         STR("vllm"),        STR("triton"),
        STR("ray"),         STR("slurm"),        STR("srun"),        STR("mpi"),
        STR("mpirun"),      STR("docker"),       STR("container"),   STR("kubernetes"),
        STR("conda"),       STR("pip"),          STR("python"),      STR("script"),
        STR("node"),        STR("nodes"),        STR("rank"),        STR("ranks"),
        STR("worker"),      STR("workers"),      STR("distributed"), STR("parallel"),
        STR("parallelism"), STR("pipeline"),     STR("offload"),     STR("nvme"),
        STR("checkpoint"),  STR("checkpoints"),  STR("tensor"),      STR("tensors"),
        STR("batch"),       STR("epoch"),        STR("epochs"),      STR("dataset"),
        STR("dataloader"),  STR("tokenizer"),    STR("training"),    STR("train"),
        STR("trained"),     STR("trainer"),      STR("finetune"),    STR("finetuning"),
        STR("tuning"),      STR("pretrain"),     STR("pretraining"), STR("inference"),
        STR("llm"),         STR("llama"),        STR("gpt"),         STR("bert"),
        STR("moe"),         STR("model"),        STR("models"),      STR("weights"),
        STR("parameters"),  STR("gradient"),     STR("gradients"),   STR("optimizer"),
        STR("adam"),        STR("loss"),         STR("nan"),         STR("fp"),
        STR("bf"),          STR("precision"),    STR("iteration"),   STR("memory"),
        STR("ram"),         STR("cpu"),          STR("process"),     STR("processes"),
        STR("kernel"),      STR("kernels"),      STR("compile"),     STR("compiled"),
        STR("compiling"),   STR("build"),        STR("install"),     STR("installed"),
        STR("installing"),  STR("installation"), STR("import"),      STR("library"),
        STR("module"),      STR("package"),      STR("version"),     STR("versions"),
        STR("driver"),      STR("launcher"),     STR("launch"),      STR("config"),
        STR("json"),        STR("code"),         STR("error"),       STR("errors"),
        STR("bug"),         STR("crash"),        STR("crashes"),     STR("crashed"),
        STR("hang"),        STR("hangs"),        STR("stuck"),       STR("timeout"),
        STR("traceback"),   STR("exception"),    STR("segfault"),    STR("server"),
        STR("api")};
    return word_in(word, words, COUNT_OF(words));
}

static int count_field_words(struct str line) {
    int count = 0;
    for (size_t i = 0; i < line.n; i++) {
        size_t start = i;
        while (i < line.n && is_alpha(line.p[i])) i++;
        count += i > start && is_field_word(str_sub(line, start, i - start));
    }
    return count;
}

/* The same of Chinese, where a line is no row of words. */
static int count_wide_field_words(struct str line) {
    static const char *const words[] = {"训练", "显存", "报错", "显卡", "多卡", "单卡",  "模型",
                                        "推理", "微调", "加载", "梯度", "安装", "卡住",  "进程",
                                        "内存", "代码", "版本", "错误", "节点", "脚本",  "编译",
                                        "参数", "保存", "权重", "运行", "启动", "数据集"};
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        for (ptrdiff_t at = -1; (at = str_find(line, str_of(words[i]), (size_t)(at + 1))) >= 0;)
            count++;
    return count;
}

static bool is_heading(struct str line) {
    static const char *const starts[] = {"Describe the bug",   "To Reproduce", "Expected behavior",
                                         "Steps to reproduce", "Environment",  "Additional context",
                                         "Screenshots",        "Question"};
    size_t i = 0;
    while (i < line.n && strchr("#* ", line.p[i])) i++;
    for (size_t h = 0; h < COUNT_OF(starts) && i; h++)
        if (str_starts_nocase(str_from(line, i), str_of(starts[h]))) return true;
    return false;
}

/* Chinese, Japanese and Korean text has no spaces to count words by. */
static int wide_letters(struct str line) {
    int n = 0;
    uint32_t code;
    for (size_t i = 0; i < line.n;) {
        int length = utf8_step(line.p + i, line.n - i, &code);
        n += length > 0 && code >= 0x3040 && code < 0xFB00;
        i += length > 0 ? (size_t)length : 1;
    }
    return n;
}

/* Somebody who asks or speaks of himself; programs print sentences in these languages as well. */
static bool wide_speaks(struct str line) {
    static const char *const marks[] = {"？",     "请问",   "我", "怎么", "为什么", "为何",
                                        "如何",   "吗",     "呢", "求助", "大佬",   "各位",
                                        "ですか", "ません", "私", "제가", "나요",   "까요"};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (str_has(line, str_of(marks[i]))) return true;
    return line.n && line.p[line.n - 1] == '?';
}

struct tally {
    int words, functions, personal, marks;
};

static struct tally tally_words(struct str line) {
    struct tally tally = {0};
    for (size_t i = 0; i < line.n;) {
        size_t start = i;
        while (i < line.n && (is_alpha(line.p[i]) || (line.p[i] == '\'' && i > start))) i++;
        if (i > start) {
            struct str word = str_sub(line, start, i - start);
            bool alone = !is_word(byte_at(line, i)) && (start == 0 || !is_word(line.p[start - 1]));
            /* the I of "-I/usr/include" is nobody */
            if (word.n == 1)
                alone = (start == 0 || line.p[start - 1] == ' ') && byte_at(line, i) == ' ';
            tally.words += alone;
            tally.functions += alone && is_function_word(word);
            tally.personal += alone && is_personal_word(word) && !(word.n == 1 && word.p[0] == 'i');
            continue;
        }
        bool dotted = line.p[i] == '.' && is_word(byte_at(line, i + 1)); /* model.layers.3 */
        if (dotted || (line.p[i] && strchr("=_{}<>[]|\\/:;+*#&^%$@~", line.p[i]))) tally.marks++;
        i++;
    }
    return tally;
}

/* "Error in benchmarking with the profiler", "Error "Bus error" when training": a person's
 * sentence, where a program writes "error: ". */
static bool begins_sentence(struct str line) {
    size_t n = 0;
    while (is_alpha(byte_at(line, n))) n++;
    bool quotes = byte_at(line, n + 1) == '"' || byte_at(line, n + 1) == '`';
    return byte_at(line, n) == ' ' && is_alpha(byte_at(line, n + 1 + quotes)) &&
           !str_has(str_sub(line, 0, 100), STR(": "));
}

static bool is_structural(struct str line, const struct custom *custom) {
    struct place place = locate_line(line, custom);
    struct str body = str_from(line, place.body), message;
    struct frame frame;
    /* a variable before a command is information, not a prefix */
    return place.body > 0 || (place.severity > SEVERITY_INFO && !begins_sentence(body)) ||
           str_has(line, STR("Traceback (most recent")) || frame_read(body, &frame) ||
           exception_read(str_trim(body), true, &message);
}

/* Two options and more: a command line, whatever words it holds. */
static bool is_command(struct str line) {
    int options = 0;
    for (ptrdiff_t at = str_find(line, STR(" --"), 0); at >= 0;
         at = str_find(line, STR(" --"), (size_t)at + 3))
        options += is_alpha(byte_at(line, (size_t)at + 3));
    return options >= 2;
}

static enum line_kind line_kind(struct str raw, const struct custom *custom) {
    struct str line = str_trim(raw);
    if (!line.n) return LINE_BLANK;
    if (is_structural(str_sub(raw, 0, 1000), custom)) return LINE_STRUCTURAL;
    if (str_has(str_sub(raw, 0, 1000), STR("%|"))) return LINE_STRUCTURAL; /* a bar */
    if (is_heading(line)) return LINE_PERSONAL;
    if (line_is_code(str_sub(line, 0, 1000))) return LINE_CODE;
    if (is_command(str_sub(line, 0, 2000))) return LINE_OTHER;
    struct tally tally = tally_words(str_sub(line, 0, 2000));
    int wide = wide_letters(str_sub(line, 0, 2000));
    if (wide >= 6 && wide * 9 >= (int)(line.n < 2000 ? line.n : 2000))
        return wide_speaks(str_sub(line, 0, 2000)) ? LINE_PERSONAL : LINE_WIDE;
    bool literal = strchr("[{('\"<", line.p[0]) != NULL;
    bool sentence = !literal && tally.words >= 4 && tally.functions >= 1 &&
                    tally.words + tally.functions >= 6 && tally.marks * 3 <= tally.words;
    bool speaks = tally.personal > 0 || (sentence && line.p[line.n - 1] == '?');
    if (speaks && tally.words >= 3 && tally.marks <= tally.words) return LINE_PERSONAL;
    return sentence ? LINE_PROSE : LINE_OTHER;
}

struct words_census words_count(struct str text, const struct custom *custom) {
    struct words_census census = {0};
    struct str line;
    while (census.lines < 2000 && str_line(&text, &line)) {
        enum line_kind kind = line_kind(line, custom);
        if (kind == LINE_BLANK) continue;
        census.lines++;
        census.prose += kind == LINE_PROSE || kind == LINE_WIDE || kind == LINE_PERSONAL;
        census.personal += kind == LINE_WIDE || kind == LINE_PERSONAL;
        census.structural += kind == LINE_STRUCTURAL;
    }
    return census;
}

int words_count_field(struct str text) {
    return count_field_words(text) + count_wide_field_words(text);
}

/* Where a program writes, sentences are a person's only if somebody speaks in them. */
static bool is_program_output(struct str name) {
    static const char *const ends[] = {".log", ".out", ".err", ".stdout", ".stderr"};
    return STR_ENDS_ANY(name, ends);
}

/* Names that people give to what they write about a failure; "problem1.out" a program wrote. */
bool words_are_named(struct str name) {
    static const char *const names[] = {"complaint",   "issue", "question", "problem",
                                        "description", "words", "report"};
    return !is_program_output(name) && STR_HAS_ANY(name, names);
}

/* Measured on 146 complaints of 40 words and more: all but one have a word of the field in twenty.
 * A line or two may complain without any: "it exits with code 1". */
bool words_are_of_field(struct str text, struct str name) {
    text = str_sub(text, 0, LOOKED_AT);
    int words = wide_letters(text) / 2, field = words_count_field(text);
    for (size_t i = 0; i < text.n; i++)
        words += is_alpha(text.p[i]) && (i == 0 || !is_alpha(text.p[i - 1]));
    return words < FEW_WORDS || field * (words_are_named(name) ? NAMED_EVERY : EVERY) >= words;
}

bool words_are_terse(struct str text, const struct custom *custom) {
    text = str_trim(text);
    if (text.n > TERSE || str_has(text, STR("\n"))) return false;
    return text.n > 0 && line_kind(text, custom) == LINE_OTHER;
}

bool words_are_prose(const struct words_census *census, struct str name) {
    if (words_are_named(name)) return census->structural * 2 < census->lines;
    if (!census->prose || (is_program_output(name) && !census->personal)) return false;
    if (!census->structural) return census->prose * 2 >= census->lines;
    return census->personal >= 2 && census->prose * 2 >= census->lines &&
           census->structural * 4 <= census->lines;
}

static void paragraph_add(struct paragraph *paragraph, struct str line, size_t offset) {
    if (mend_needed(line)) {
        mend_line(&paragraph->mended, line);
        line = buf_view(&paragraph->mended);
        for (size_t i = 0; i < line.n; i++)
            if (line.p[i] == '\n') paragraph->mended.p[i] = ' ';
    }
    if (paragraph->n) buf_char(&paragraph->text, ' ');
    paragraph->starts[paragraph->n] = (uint32_t)paragraph->text.n;
    paragraph->offsets[paragraph->n++] = offset;
    buf_str(&paragraph->text, str_trim(line));
}

struct str paragraph_line(const struct paragraph *paragraph, int line) {
    size_t start = paragraph->starts[line];
    size_t end = line + 1 < paragraph->n ? paragraph->starts[line + 1] - 1 : paragraph->text.n;
    return str_sub(buf_view(&paragraph->text), start, end - start);
}

void paragraph_release(struct paragraph *paragraph) {
    buf_release(&paragraph->text);
    buf_release(&paragraph->mended);
}

/* A line that a paragraph may hold.  In a log only sentences are somebody's words. */
static bool may_hold(const struct paragraph_walk *walk, enum line_kind kind) {
    if (walk->personal) return kind == LINE_PROSE || kind == LINE_WIDE || kind == LINE_PERSONAL;
    return kind != LINE_STRUCTURAL && kind != LINE_BLANK;
}

/* A complaint's title often begins with the exception and goes on in somebody's words: it is read
 * as both. */
static bool is_title(const struct paragraph_walk *walk, struct str line, struct str rest) {
    enum { WORDS_LEAST = 6 };
    bool apart = rest.n && (*rest.p == '\n' || *rest.p == '\r');
    return walk->at == 0 && apart && (walk->named || !walk->personal) &&
           tally_words(str_sub(line, 0, PARAGRAPH_BYTES)).words >= WORDS_LEAST;
}

static bool is_wanted(const struct paragraph_walk *walk, bool spoken) {
    return spoken || walk->named || !walk->personal;
}

bool paragraph_next(struct paragraph_walk *walk, struct paragraph *paragraph) {
    bool spoken = false;
    buf_clear(&paragraph->text);
    paragraph->n = 0;
    paragraph->code = false;
    while (walk->at < walk->text.n) {
        struct str rest = str_from(walk->text, walk->at), line;
        size_t before = walk->at;
        if (!str_line(&rest, &line)) break;
        enum line_kind kind = line_kind(line, walk->custom);
        if (kind == LINE_STRUCTURAL && is_title(walk, line, rest)) kind = LINE_PROSE;
        bool full =
            paragraph->n == PARAGRAPH_LINES || paragraph->text.n + line.n + 1 > PARAGRAPH_BYTES;
        bool other = paragraph->code != (kind == LINE_CODE);
        if (paragraph->n && (full || other || !may_hold(walk, kind))) {
            if (is_wanted(walk, spoken)) return true;
            buf_clear(&paragraph->text);
            paragraph->n = 0;
            spoken = false;
        }
        if (may_hold(walk, kind)) {
            if (!paragraph->n) {
                paragraph->first = walk->line;
                paragraph->code = kind == LINE_CODE;
            }
            paragraph_add(paragraph, str_sub(line, 0, PARAGRAPH_BYTES), before);
            spoken |= kind == LINE_PERSONAL;
        }
        walk->at = walk->text.n - rest.n;
        walk->line++;
    }
    return paragraph->n && is_wanted(walk, spoken);
}
