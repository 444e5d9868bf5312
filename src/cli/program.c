#include "cli/program.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "config/arguments.h"
#include "platform/child.h"
#include "platform/file.h"

/* Options of flink run and info that Rask has not: better than "unknown" for people who know them.
 */
static const struct {
    const char *names; /* separated by blanks */
    const char *advice;
} foreign_options[] = {
    {"-c --class", "a native program has one entry point, main"},
    {"-C --classpath", "a native program has no class path"},
    {"-j --jarfile", "name the program itself"},
    {"-d --detached", "a program runs in its own process; start it in the background instead"},
    {"-sae --shutdownOnAttachedExit", "a program's cluster ends with it"},
    {"-s --fromSavepoint", "starting from a savepoint is not possible yet"},
    {"-n --allowNonRestoredState", "starting from a savepoint is not possible yet"},
    {"-cm --claimMode -rm --restoreMode", "starting from a savepoint is not possible yet"},
    {"-m --jobmanager", "running on a cluster is not possible yet"},
    {"-t --target -e --executor", "running on a cluster is not possible yet"},
    {"-z --zookeeperNamespace", "running on a cluster is not possible yet"},
    {"-py --python -pym --pyModule -pyfs --pyFiles -pyreq --pyRequirements -pyarch --pyArchives "
     "-pyexec --pyExecutable -pyclientexec --pyClientExecutable -pypath --pyPythonPath",
     "there are no Python programs for Rask"},
};

static rask_status refuse_option(const char *verb, const char *word, raski_error *err) {
    size_t length = strcspn(word, "=");
    char *name = raski_strndup(word, length);
    const char *advice = NULL;
    for (size_t i = 0; i < sizeof foreign_options / sizeof *foreign_options && !advice; i++)
        if (raski_option_words_contain(foreign_options[i].names, name))
            advice = foreign_options[i].advice;
    rask_status status =
        advice != NULL
            ? RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER, "rask %s has no option %s: %s.", verb, name,
                         advice)
            : RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                         "Unrecognized option: %s (options of the program come behind its name)",
                         word);
    raski_free(name);
    return status;
}

/* The options as the program would take them, so that a mistake is told before it starts. words[0]
 * is not looked at. */
static rask_status check_options(int count, char *const *words, raski_error *err) {
    raski_configuration *cfg = raski_configuration_create();
    char **copy = RASKI_NEW_ARRAY(char *, (size_t)count + 1);
    memcpy(copy, words, sizeof(char *) * (size_t)count);
    rask_status status = raski_configuration_from_arguments(&count, &copy, cfg, err);
    raski_free(copy);
    raski_configuration_destroy(cfg);
    return status;
}

static bool is_help(const char *word) {
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* Takes the options in front of the program: those for the program's Rask go to command->argv from
 * *count on. *index ends at the program. */
static rask_status take_options(int argc, char **argv, bool json_allowed, int *index, int *count,
                                raski_program_command *command, raski_error *err) {
    int i = *index;
    while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
        raski_argument argument = raski_argument_at(argc, argv, i);
        if (is_help(argv[i])) {
            command->help = true;
            return RASK_OK;
        }
        if (json_allowed && strcmp(argv[i], "--json") == 0)
            command->json = true;
        else if (argument.kind == RASKI_ARGUMENT_OTHER)
            return refuse_option(argv[0], argv[i], err);
        else if (argument.kind != RASKI_ARGUMENT_END)
            for (int word = 0; word < argument.words; word++)
                command->argv[(*count)++] = argv[i + word];
        i += argument.words;
        if (argument.kind == RASKI_ARGUMENT_END) break;
    }
    *index = i;
    return check_options(*count, command->argv, err);
}

rask_status raski_program_command_parse(int argc, char **argv, bool json_allowed,
                                        raski_program_command *ret_command, raski_error *err) {
    raski_program_command command = {.argv = RASKI_NEW_ARRAY(char *, (size_t)argc + 1)};
    int index = 1;
    int count = 1; /* the first is the program's name */
    rask_status status = take_options(argc, argv, json_allowed, &index, &count, &command, err);
    if (status == RASK_OK && !command.help && index >= argc)
        status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                            "The program to %s is missing: rask %s [OPTIONS] <program> <arguments>",
                            argv[0], argv[0]);
    if (status != RASK_OK) {
        raski_program_command_free(&command);
        return status;
    }
    if (!command.help) {
        command.path = argv[index];
        command.argv[0] = argv[index];
        for (int i = index + 1; i < argc; i++) command.argv[count++] = argv[i];
    }
    *ret_command = command;
    return RASK_OK;
}

void raski_program_command_free(raski_program_command *command) {
    raski_free(command->argv);
    *command = (raski_program_command){0};
}

/* --- the program ---------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t text_length = strlen(text);
    size_t end_length = strlen(end);
    return text_length > end_length && strcmp(text + text_length - end_length, end) == 0;
}

/* The file of the program's folder whose name is most like it; NULL when none is near. The result
 * is the caller's and has the folder as path has it. */
static char *nearest_file(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char *folder = slash == NULL   ? raski_strdup(".")
                   : slash == path ? raski_strdup("/")
                                   : raski_strndup(path, (size_t)(slash - path));
    raski_path_list files = {0};
    const char *nearest = NULL;
    size_t best = 1 + (strlen(name) / 3 < 2 ? 2 : strlen(name) / 3);
    if (raski_directory_list(folder, &files, NULL) == RASK_OK)
        for (size_t i = 0; i < files.count; i++) {
            size_t distance = raski_edit_distance(name, files.items[i]);
            if (distance >= best) continue;
            best = distance;
            nearest = files.items[i];
        }
    char *result =
        nearest == NULL ? NULL : raski_format("%.*s%s", (int)(name - path), path, nearest);
    raski_path_list_free(&files);
    raski_free(folder);
    return result;
}

static rask_status not_found(const char *path, raski_error *err) {
    char *nearest = nearest_file(path);
    rask_status status =
        nearest != NULL
            ? RASKI_FAIL(err, RASK_E_NOT_FOUND, USER,
                         "Program file does not exist: %s (did you mean %s?)", path, nearest)
            : RASKI_FAIL(err, RASK_E_NOT_FOUND, USER, "Program file does not exist: %s", path);
    raski_free(nearest);
    return status;
}

static rask_status not_executable(const char *path, raski_error *err) {
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx", ".h"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (ends_with(path, sources[i]))
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "%s is source code; compile it first: cc -O2 %s -o job "
                              "$(pkg-config --cflags --libs rask)",
                              path, path);
    if (ends_with(path, ".jar") || ends_with(path, ".class"))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s is a Java program; Rask runs programs that are compiled against "
                          "librask",
                          path);
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                      "Program file is not executable: %s (if it is a program: chmod +x %s)", path,
                      path);
}

rask_status raski_program_check(const char *path, raski_error *err) {
    raski_file_info info;
    raski_error detail = {0};
    rask_status status = raski_file_stat(path, &info, &detail);
    if (status == RASK_E_NOT_FOUND) return not_found(path, err);
    if (status != RASK_OK) return RASKI_FAIL(err, status, EXTERNAL, "%s", detail.message);
    if (info.kind == RASKI_FILE_DIRECTORY)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "Program file is a directory: %s (name the program in it)", path);
    return raski_file_is_executable(path) ? RASK_OK : not_executable(path, err);
}
