/* The building calls of the built-in sources and sinks: rask/stream.h, rask/formats.h and
 * rask/connectors.h. */
#include <math.h>
#include <string.h>

#include "api/environment.h"
#include "types/type_info.h"

/* ---------------------------------------------------------------- sources */
raski_stream *raski_values(rask_env *env, const rask_type *type, const void *records, size_t n,
                           const rask_options *options, size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_values_source(type, records, n), "Collection Source", file, line);
    raski_stream *stream = raski_stream_source(env, def, "Collection Source", type, false, false,
                                               true, &o, file, line);
    raski_error error = {0};
    if (!raski_stream_is_broken(stream) && o.parallelism == 0 &&
        raski_transformation_set_parallelism(stream->transformation, 1, &error) != RASK_OK)
        raski_env_mistake(env, &error, "Collection Source", file, line);
    return stream;
}

raski_stream *raski_sequence(rask_env *env, int64_t from, int64_t to, const rask_options *options,
                             size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_sequence_source(from, to), "Sequence Source", file, line);
    return raski_stream_source(env, def, "Sequence Source", &rask_type_int64_t, false, true, true,
                               &o, file, line);
}

raski_stream *raski_read_text(rask_env *env, const char *path, const rask_options *options,
                              size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    if (path == NULL || *path == '\0') {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "rask_read_text needs the path of a file, a folder or a glob, but got %s",
                         path ? "an empty one" : "none (NULL): was an argument left out?");
        return raski_stream_mistake(env, &error, "text source", &rask_type_rask_string, file, line);
    }
    if (o.monitor_interval.set && o.monitor_interval.ms < 1) {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "rask_read_text needs a .monitor_interval of at least 1 ms, got %lld",
                         (long long)o.monitor_interval.ms);
        return raski_stream_mistake(env, &error, "text source", &rask_type_rask_string, file, line);
    }
    const int64_t monitor_ms = o.monitor_interval.set ? o.monitor_interval.ms : 0;
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_text_source(path, monitor_ms), "text source", file, line);
    return raski_stream_source(env, def, "text source", &rask_type_rask_string, false, true,
                               monitor_ms == 0, &o, file, line);
}

/* A format with options of its own in o, checked before anything is built on it. */
static rask_status check_format(const raski_record_format *format, const rask_type *type,
                                const char *call, const char *path, bool writes, raski_error *err) {
    char message[256];
    if (path == NULL || *path == '\0')
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs a path, got %s", call,
                          path ? "an empty one" : "none (NULL)");
    RASKI_TRY(raski_type_validate(type, err));
    rask_format_writer *writer = NULL;
    rask_format_reader *reader = NULL;
    if (writes)
        writer = raski_record_format_writer(format, type, message, sizeof message);
    else
        reader = raski_record_format_reader(format, type, message, sizeof message);
    if (writer == NULL && reader == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s: %s", call, message);
    rask_format_writer_destroy(writer);
    rask_format_reader_destroy(reader);
    return RASK_OK;
}

static raski_stream *read_records(rask_env *env, const rask_type *type, const char *path,
                                  const raski_record_format *format, const rask_options *o,
                                  const char *call, const char *file, int line) {
    raski_error error = {0};
    const char *name = raski_record_format_source_name(format);
    rask_status status = check_format(format, type, call, path, false, &error);
    if (status == RASK_OK && o->monitor_interval.set && o->monitor_interval.ms < 1)
        status = RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                            "%s needs a .monitor_interval of at least 1 ms, got %lld", call,
                            (long long)o->monitor_interval.ms);
    if (status != RASK_OK) return raski_stream_mistake(env, &error, name, type, file, line);
    const int64_t monitor_ms = o->monitor_interval.set ? o->monitor_interval.ms : 0;
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_record_source(type, path, monitor_ms, format), name, file, line);
    return raski_stream_source(env, def, name, type, false, true, monitor_ms == 0, o, file, line);
}

raski_stream *raski_read_json(rask_env *env, const rask_type *type, const char *path,
                              const rask_options *options, size_t size, const char *file,
                              int line) {
    rask_options o = raski_options_read(options, size);
    const raski_record_format format = {.json = o.json};
    return read_records(env, type, path, &format, &o, "rask_read_json", file, line);
}

raski_stream *raski_read_csv(rask_env *env, const rask_type *type, const char *path,
                             const rask_options *options, size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const raski_record_format format = {.is_csv = true, .csv = o.csv};
    return read_records(env, type, path, &format, &o, "rask_read_csv", file, line);
}

static rask_status check_socket(const char *call, const char *host, int port,
                                const rask_socket_options *o, raski_error *err) {
    const char *wrong = NULL;
    if (host == NULL || port < 1 || port > 65535)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s needs a host and a port in 1..65535, got %s:%d", call,
                          host ? host : "(NULL)", port);
    if (o->delimiter != NULL && *o->delimiter == '\0')
        wrong = "a .socket.delimiter that is not empty";
    else if (o->max_retries < -1)
        wrong = ".socket.max_retries of at least 0, or -1 (for ever)";
    else if (o->retry_delay_ms < 0)
        wrong = ".socket.retry_delay_ms of at least 0";
    return wrong ? RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs %s", call, wrong) : RASK_OK;
}

raski_stream *raski_socket_text(rask_env *env, const char *host, int port,
                                const rask_options *options, size_t size, const char *file,
                                int line) {
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    if (check_socket("rask_socket_text", host, port, &o.socket, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, "Socket Stream", &rask_type_rask_string, file,
                                    line);
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_socket_source(host, port, &o.socket), "Socket Stream", file, line);
    return raski_stream_source(env, def, "Socket Stream", &rask_type_rask_string, true, false,
                               false, &o, file, line);
}

/* ---------------------------------------------------------------- data generator */
raski_stream *raski_datagen(rask_env *env, const raski_fn *fn, raski_generate *generate,
                            const rask_options *options, size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const rask_datagen_options *d = &o.datagen;
    raski_error error = {0};
    rask_status status = RASK_OK;
    if (d->rows < 0)
        status = RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                            "rask_datagen needs .rows of at least 0, got %lld", (long long)d->rows);
    else if (!(d->rows_per_second >= 0) || isinf(d->rows_per_second))
        status = RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                            "rask_datagen needs .rows_per_second of at least 0, got %g",
                            d->rows_per_second);
    if (status != RASK_OK) return raski_stream_mistake(env, &error, fn->name, fn->out, file, line);
    raski_operator_definition *def = raski_env_define_connector(
        env, raski_datagen_source(fn, generate, d), fn->name, file, line);
    return raski_stream_source(env, def, o.name ? o.name : fn->name, fn->out, false, true,
                               d->rows > 0, &o, file, line);
}

/* ---------------------------------------------------------------- sinks */
void raski_print(raski_stream *in, bool to_stderr, const rask_options *options, size_t size,
                 const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const char *name = to_stderr ? "Print to Std. Err" : "Print to Std. Out";
    raski_stream_sink(in,
                      raski_env_define_connector(in->env, raski_print_sink(in->type, to_stderr),
                                                 name, file, line),
                      name, true, &o, file, line);
}

static bool is_written_already(const rask_env *env, const char *path) {
    for (size_t i = 0; i < env->connectors.count; i++) {
        const char *other = env->connectors.items[i].writes_to;
        if (other != NULL && strcmp(other, path) == 0) return true;
    }
    return false;
}

/* format NULL: lines as print shows records. */
static rask_status check_sink(const raski_stream *in, const char *path,
                              const raski_record_format *format, const char *call,
                              raski_error *err) {
    if (path == NULL || *path == '\0')
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs a path, got %s", call,
                          path ? "an empty one" : "none (NULL)");
    if (is_written_already(in->env, path))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "two sinks write to \"%s\": give each its own path, or write their union",
                          path);
    return format != NULL ? check_format(format, in->type, call, path, true, err) : RASK_OK;
}

static void write_file(raski_stream *in, const char *path, const raski_record_format *format,
                       const rask_options *o, const char *call, const char *file, int line) {
    const char *name = format ? raski_record_format_sink_name(format) : "text sink";
    raski_error error = {0};
    if (check_sink(in, path, format, call, &error) != RASK_OK) {
        raski_env_mistake(in->env, &error, name, file, line);
        return;
    }
    raski_connector sink = raski_record_sink(in->type, path, o->append, format);
    raski_stream_sink(in, raski_env_define_connector(in->env, sink, name, file, line), name, false,
                      o, file, line);
}

void raski_write_text(raski_stream *in, const char *path, const rask_options *options, size_t size,
                      const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    write_file(in, path, NULL, &o, "rask_write_text", file, line);
}

void raski_write_json(raski_stream *in, const char *path, const rask_options *options, size_t size,
                      const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const raski_record_format format = {.json = o.json};
    write_file(in, path, &format, &o, "rask_write_json", file, line);
}

void raski_write_csv(raski_stream *in, const char *path, const rask_options *options, size_t size,
                     const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const raski_record_format format = {.is_csv = true, .csv = o.csv};
    write_file(in, path, &format, &o, "rask_write_csv", file, line);
}

void raski_discard(raski_stream *in, const rask_options *options, size_t size, const char *file,
                   int line) {
    rask_options o = raski_options_read(options, size);
    raski_stream_sink(in,
                      raski_env_define_connector(in->env, raski_discarding_sink(in->type),
                                                 "discarding sink", file, line),
                      "discarding sink", false, &o, file, line);
}

void raski_write_socket(raski_stream *in, const char *host, int port, const rask_options *options,
                        size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    static const char name[] = "socket sink";
    raski_error error = {0};
    if (check_socket("rask_write_socket", host, port, &o.socket, &error) != RASK_OK) {
        raski_env_mistake(in->env, &error, o.name ? o.name : name, file, line);
        return;
    }
    raski_connector sink = raski_socket_sink(in->type, host, port, &o.socket);
    raski_stream_sink(in, raski_env_define_connector(in->env, sink, name, file, line), name, true,
                      &o, file, line);
}

/* ---------------------------------------------------------------- file sink */
static rask_status check_numbers(const rask_file_sink_options *o, raski_error *err) {
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"part_size_max", o->part_size_max},
        {"rollover_interval_ms", o->rollover_interval_ms},
        {"inactivity_interval_ms", o->inactivity_interval_ms},
        {"check_interval_ms", o->check_interval_ms},
        {"open_files_max", o->open_files_max},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < 0)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "rask_file_sink: .files.%s is %lld, but must not be negative",
                              numbers[i].name, (long long)numbers[i].value);
    return RASK_OK;
}

static rask_status check_texts(const rask_file_sink_options *o, raski_error *err) {
    char message[256];
    if ((o->part_prefix && strchr(o->part_prefix, '/')) ||
        (o->part_suffix && strchr(o->part_suffix, '/')))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "rask_file_sink: a part file's prefix and suffix have no /: the bucket "
                          "says which folder it is in");
    if (o->part_prefix && (*o->part_prefix == '.' || *o->part_prefix == '\0'))
        return RASKI_FAIL(
            err, RASK_E_ARGUMENT, USER,
            "rask_file_sink: .files.part_prefix is \"%s\", but must have a letter and "
            "not begin with a dot: such files are hidden",
            o->part_prefix);
    if (o->bucket_format &&
        !raski_file_sink_check_buckets(o->bucket_format, message, sizeof message))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "rask_file_sink: .files.bucket_format: %s",
                          message);
    return RASK_OK;
}

static rask_status check_bucket(const raski_fn *bucket, const raski_stream *in, raski_error *err) {
    if (bucket == NULL) return RASK_OK;
    RASKI_TRY(raski_check_input(bucket, bucket->in, in->type, err));
    if (bucket->out->kind != RASK_KIND_STRING)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "rask_file_sink_by needs a RASK_KEY function that gives rask_string, but "
                          "%s gives %s",
                          bucket->name, bucket->out->name);
    return RASK_OK;
}

void raski_file_sink(raski_stream *in, const raski_fn *bucket_or_null, const char *folder,
                     const rask_options *options, size_t size, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    const rask_file_sink_options *files = &o.files;
    const raski_record_format format = {
        .is_csv = files->format == RASK_FORMAT_CSV, .json = o.json, .csv = o.csv};
    const raski_record_format *used = files->format == RASK_FORMAT_TEXT ? NULL : &format;
    static const char name[] = "file sink";
    raski_error error = {0};
    rask_status status = check_sink(in, folder, used, "rask_file_sink", &error);
    if (status == RASK_OK) status = check_numbers(files, &error);
    if (status == RASK_OK) status = check_texts(files, &error);
    if (status == RASK_OK) status = check_bucket(bucket_or_null, in, &error);
    if (status != RASK_OK) {
        raski_env_mistake(in->env, &error, o.name ? o.name : name, file, line);
        return;
    }
    raski_connector sink = raski_file_sink_connector(in->type, folder, bucket_or_null, files, used);
    raski_stream_sink(in, raski_env_define_connector(in->env, sink, name, file, line), name, false,
                      &o, file, line);
}
