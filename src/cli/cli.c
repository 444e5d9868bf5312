#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"

#ifndef RASK_VERSION
#error "the build defines RASK_VERSION"
#endif

#define PROGRAM_OPTIONS \
    "     -p,--parallelism <parallelism>  Parallelism of operators that set none\n" \
    "                                     themselves.\n" \
    "     -D <property=value>             Sets an option by Flink's name; may be given\n" \
    "                                     several times. docs/configuration.md lists\n" \
    "                                     them.\n" \
    "     --config <file>                 Options from a config.yaml.\n"

static const raski_cli_verb verbs[] = {
    {"run", "runs a program.", "[OPTIONS] <program> <arguments>",
     PROGRAM_OPTIONS "     -h,--help                       This text.\n"
                     "\n"
                     "  The program runs its job on a cluster of its own process. Ctrl-C cancels\n"
                     "  it, a second one ends it at once. The exit code is the program's.\n",
     raski_cli_run},
    {"info", "shows the plan of a program (JSON).", "[OPTIONS] <program> <arguments>",
     PROGRAM_OPTIONS "     --json                          Print nothing but the plan.\n"
                     "     -h,--help                       This text.\n"
                     "\n"
                     "  The program is started and stops where it would execute its job.\n",
     raski_cli_info},
    {"plan", "shows what a topology or a program becomes.",
     "[OPTIONS] <topology.json> | <program> <arguments>",
     "     --graph=<graph>                 stream: operators; job: vertices, which are\n"
     "                                     chains of operators (default); execution:\n"
     "                                     subtasks and regions.\n"
     "     --format=<format>               text (default), json (the forms that Flink\n"
     "                                     has), dot (Graphviz), svg (a drawing), html\n"
     "                                     (with zoom, search and details), facts (all\n"
     "                                     graphs, every field).\n"
     "     --jsonl                         One topology per line of standard input, one\n"
     "                                     line of facts for each.\n"
     "     --diff                          Two operands, OLD and NEW: which operators have\n"
     "                                     other ids, and what of a savepoint of OLD\n"
     "                                     will not fit NEW, why, and what helps. The\n"
     "                                     exit code is 1 when some state does not map.\n"
     "     --check                         What would fail or surprise at submission. The\n"
     "                                     exit code is 1 when there are errors.\n"
     "     --json                          --diff and --check for machines.\n"
     "     --color=<when>                  auto (default), always, never.\n" PROGRAM_OPTIONS
     "     -h,--help                       This text.\n"
     "\n"
     "  A topology is a program written as JSON (docs/plan.md); - reads it from\n"
     "  standard input. A program is started and stops where it would execute its\n"
     "  job. The exit code is 0; 1 when Flink would refuse the program; 2 when a\n"
     "  file or the command line cannot be read.\n",
     raski_cli_plan},
};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

const raski_cli_verb *raski_cli_verbs(size_t *ret_count) {
    *ret_count = VERB_COUNT;
    return verbs;
}

const raski_cli_verb *raski_cli_find_verb(const char *name) {
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}

const char *raski_cli_nearest_verb(const char *name) {
    const char *nearest = NULL;
    size_t best = 3;
    for (size_t i = 0; i < VERB_COUNT; i++) {
        size_t distance = raski_edit_distance(name, verbs[i].name);
        /* as many changes as there are letters would make anything of anything */
        if (distance >= best || distance >= strlen(verbs[i].name)) continue;
        best = distance;
        nearest = verbs[i].name;
    }
    return nearest;
}

/* --- help ----------------------------------------------------------------------------------- */

void raski_cli_print_verb_help(FILE *file, const raski_cli_verb *verb) {
    (void)fprintf(file, "\nAction \"%s\" %s\n\n  Syntax: %s %s\n  \"%s\" action options:\n%s",
                  verb->name, verb->summary, verb->name, verb->syntax, verb->name, verb->options);
}

void raski_cli_print_help(FILE *file) {
    (void)fprintf(file,
                  "rask <ACTION> [OPTIONS] [ARGUMENTS]\n\n"
                  "The following actions are available:\n");
    for (size_t i = 0; i < VERB_COUNT; i++) raski_cli_print_verb_help(file, &verbs[i]);
    (void)fprintf(file,
                  "\nWithout an action:\n"
                  "     -h,--help                       This text.\n"
                  "     -v,--version                    Version of Rask, and the Flink whose\n"
                  "                                     semantics it has; --json behind it\n"
                  "                                     prints that for machines.\n"
                  "     help <action>                   Help for one action.\n");
}

static int print_version(bool as_json) {
    static const char flink[] = "2.2.0";
    if (as_json)
        (void)printf("{\"version\": \"%s\", \"flink-version\": \"%s\"}\n", RASK_VERSION, flink);
    else
        (void)printf("Version: %s, Flink %s semantics\n", RASK_VERSION, flink);
    return RASKI_EXIT_OK;
}

int raski_cli_usage_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "\n\nUse the help option (-h or --help) to get help on the command.\n");
    return RASKI_EXIT_ERROR;
}

int raski_cli_failure(const char *format, ...) {
    (void)fprintf(stderr,
                  "\n------------------------------------------------------------\n"
                  " The program finished with the following exception:\n\n");
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "\n");
    return RASKI_EXIT_ERROR;
}

static int unknown_verb(const char *name) {
    (void)fprintf(stderr, "\"%s\" is not a valid action.\n\nValid actions are ", name);
    for (size_t i = 0; i < VERB_COUNT; i++)
        (void)fprintf(stderr, "%s\"%s\"",
                      i == 0               ? ""
                      : i + 1 < VERB_COUNT ? ", "
                      : VERB_COUNT == 2    ? " or "
                                           : ", or ",
                      verbs[i].name);
    (void)fprintf(stderr, ".\n");
    const char *nearest = raski_cli_nearest_verb(name);
    if (nearest != NULL) (void)fprintf(stderr, "\nDid you mean \"%s\"?\n", nearest);
    (void)fprintf(stderr,
                  "\nSpecify the version option (-v or --version) to print Rask version.\n"
                  "\nSpecify the help option (-h or --help) to get help on the command.\n");
    return RASKI_EXIT_ERROR;
}

static int help(int argc, char **argv) {
    if (argc < 3) {
        raski_cli_print_help(stdout);
        return RASKI_EXIT_OK;
    }
    const raski_cli_verb *verb = raski_cli_find_verb(argv[2]);
    if (verb == NULL) return unknown_verb(argv[2]);
    raski_cli_print_verb_help(stdout, verb);
    return RASKI_EXIT_OK;
}

static bool is_any_of(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        raski_cli_print_help(stderr);
        (void)fprintf(stderr, "\nPlease specify an action.\n");
        return RASKI_EXIT_ERROR;
    }
    if (is_any_of(argv[1], "-h", "--help") || strcmp(argv[1], "help") == 0) return help(argc, argv);
    if (is_any_of(argv[1], "-v", "--version"))
        return print_version(argc > 2 && strcmp(argv[2], "--json") == 0);
    const raski_cli_verb *verb = raski_cli_find_verb(argv[1]);
    return verb != NULL ? verb->run(argc - 1, argv + 1) : unknown_verb(argv[1]);
}

int raski_cli_main(int argc, char **argv) {
    int code = dispatch(argc, argv);
    /* a full disk or a closed pipe behind standard output is an error too */
    if (fflush(stdout) != 0 && code == RASKI_EXIT_OK) {
        perror("rask: cannot write to standard output");
        return RASKI_EXIT_ERROR;
    }
    return code;
}
