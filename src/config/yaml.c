#include "config/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"

/* Aliases make trees that share nodes (and even cycles); a node that is met twice is one. */
typedef struct walk {
    yaml_document_t *document;
    bool *seen;     /* by node id */
    raski_map keys; /* dotted key -> line, as an integer */
    raski_str path;
    raski_yaml_entry_fn entry;
    void *ctx;
} walk;

static int line_of(const yaml_node_t *node) {
    return (int)node->start_mark.line + 1;
}

static const char *scalar_text(const yaml_node_t *node) {
    return (const char *)node->data.scalar.value;
}

static bool has_nul(const yaml_node_t *node) {
    return memchr(node->data.scalar.value, '\0', node->data.scalar.length) != NULL;
}

static rask_status load(const char *text, size_t length, yaml_parser_t *parser,
                        yaml_document_t *document, raski_error *err) {
    if (!yaml_parser_initialize(parser))
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory to read YAML");
    yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
    if (yaml_parser_load(parser, document)) return RASK_OK;
    rask_status status =
        RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %zu: this is not YAML: %s%s%s",
                   parser->problem_mark.line + 1, parser->problem ? parser->problem : "unreadable",
                   parser->context ? ", " : "", parser->context ? parser->context : "");
    yaml_parser_delete(parser);
    return status;
}

static rask_status check_no_second_document(yaml_parser_t *parser, raski_error *err) {
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %zu: this is not YAML: %s",
                          parser->problem_mark.line + 1,
                          parser->problem ? parser->problem : "unreadable");
    yaml_node_t *root = yaml_document_get_root_node(&next);
    int line = root != NULL ? line_of(root) : 0;
    yaml_document_delete(&next);
    if (root == NULL) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                      "line %d: a second YAML document starts here; write all options into one",
                      line);
}

/* Each node is entered once; anything else came through an alias. */
static rask_status enter(yaml_document_t *document, bool *seen, int id, int depth,
                         raski_error *err) {
    const yaml_node_t *node = yaml_document_get_node(document, id);
    if (seen[id])
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                          "line %d: an alias (*name) refers to this; write the value out instead",
                          line_of(node));
    seen[id] = true;
    if (depth > RASKI_YAML_DEPTH_MAX)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: nested more than %d levels deep",
                          line_of(node), RASKI_YAML_DEPTH_MAX);
    const char *tag = (const char *)node->tag;
    if (tag != NULL && strcmp(tag, YAML_STR_TAG) != 0 && strcmp(tag, YAML_SEQ_TAG) != 0 &&
        strcmp(tag, YAML_MAP_TAG) != 0)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: the tag %s has no meaning here",
                          line_of(node), tag);
    if (node->type == YAML_SCALAR_NODE && has_nul(node))
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: a value contains a NUL byte",
                          line_of(node));
    return RASK_OK;
}

static void append_flow_scalar(const char *text, raski_str *out) {
    bool plain =
        *text != '\0' && strspn(text,
                                "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+") == strlen(text);
    if (plain) {
        raski_str_append(out, text);
        return;
    }
    raski_str_append_char(out, '"');
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            raski_str_appendf(out, "\\%c", c);
        else if (c < 0x20)
            raski_str_appendf(out, "\\x%02x", c);
        else
            raski_str_append_char(out, (char)c);
    }
    raski_str_append_char(out, '"');
}

/* The node as flow text: a, [a, b], {a: b}. */
static rask_status append_flow(yaml_document_t *document, bool *seen, int id, int depth,
                               raski_str *out, raski_error *err) {
    const yaml_node_t *node = yaml_document_get_node(document, id);
    RASKI_TRY(enter(document, seen, id, depth, err));
    if (node->type == YAML_SCALAR_NODE) {
        append_flow_scalar(scalar_text(node), out);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        raski_str_append_char(out, '[');
        yaml_node_item_t *first = node->data.sequence.items.start;
        for (yaml_node_item_t *item = first; item < node->data.sequence.items.top; item++) {
            if (item != first) raski_str_append(out, ", ");
            RASKI_TRY(append_flow(document, seen, *item, depth + 1, out, err));
        }
        raski_str_append_char(out, ']');
    } else {
        raski_str_append_char(out, '{');
        yaml_node_pair_t *first = node->data.mapping.pairs.start;
        for (yaml_node_pair_t *pair = first; pair < node->data.mapping.pairs.top; pair++) {
            if (pair != first) raski_str_append(out, ", ");
            RASKI_TRY(append_flow(document, seen, pair->key, depth + 1, out, err));
            raski_str_append(out, ": ");
            RASKI_TRY(append_flow(document, seen, pair->value, depth + 1, out, err));
        }
        raski_str_append_char(out, '}');
    }
    return RASK_OK;
}

static bool is_null(const yaml_node_t *node) {
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
    const char *text = scalar_text(node);
    return *text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static rask_status walk_mapping(walk *w, const yaml_node_t *mapping, int depth, raski_error *err);

static rask_status report(walk *w, const char *value_or_null, int line, raski_error *err) {
    const char *key = raski_str_text(&w->path);
    if (raski_map_has(&w->keys, key))
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                          "line %d: %s is given a second time (first on line %d)", line, key,
                          (int)(intptr_t)raski_map_get(&w->keys, key));
    if (w->keys.count >= RASKI_YAML_ENTRIES_MAX)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: more than %d options", line,
                          RASKI_YAML_ENTRIES_MAX);
    raski_map_put(&w->keys, key, (void *)(intptr_t)line);
    return w->entry(w->ctx, key, value_or_null, line, err);
}

static rask_status walk_pair(walk *w, const yaml_node_pair_t *pair, int depth, raski_error *err) {
    const yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(w->document, pair->value);
    RASKI_TRY(enter(w->document, w->seen, pair->key, depth, err));
    int line = line_of(key);
    if (key->type != YAML_SCALAR_NODE || *scalar_text(key) == '\0')
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: a key must be a plain name", line);
    if (w->path.length > 0) raski_str_append_char(&w->path, '.');
    raski_str_append(&w->path, scalar_text(key));
    if (w->path.length > RASKI_YAML_KEY_MAX)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "line %d: the key is longer than %d bytes",
                          line, RASKI_YAML_KEY_MAX);
    if (value->type == YAML_SEQUENCE_NODE) {
        raski_str flow = {0};
        rask_status status = append_flow(w->document, w->seen, pair->value, depth, &flow, err);
        if (status == RASK_OK) status = report(w, raski_str_text(&flow), line, err);
        raski_str_free(&flow);
        return status;
    }
    RASKI_TRY(enter(w->document, w->seen, pair->value, depth, err));
    if (value->type == YAML_SCALAR_NODE)
        return report(w, is_null(value) ? NULL : scalar_text(value), line, err);
    if (value->data.mapping.pairs.start == value->data.mapping.pairs.top)
        return report(w, "{}", line, err);
    return walk_mapping(w, value, depth + 1, err);
}

static rask_status walk_mapping(walk *w, const yaml_node_t *mapping, int depth, raski_error *err) {
    size_t length = w->path.length;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        RASKI_TRY(walk_pair(w, pair, depth, err));
        raski_str_truncate(&w->path, length);
    }
    return RASK_OK;
}

static bool *seen_array(const yaml_document_t *document) {
    return RASKI_NEW_ARRAY(bool, (size_t)(document->nodes.top - document->nodes.start) + 1);
}

rask_status raski_yaml_walk(const char *text, size_t length, raski_yaml_entry_fn entry, void *ctx,
                            raski_error *err) {
    yaml_parser_t parser;
    yaml_document_t document;
    if (length > RASKI_YAML_BYTES_MAX)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "larger than %d bytes", RASKI_YAML_BYTES_MAX);
    RASKI_TRY(load(text, length, &parser, &document, err));
    rask_status status = RASK_OK;
    if (yaml_document_get_root_node(&document) != NULL) {
        walk w = {.document = &document, .seen = seen_array(&document), .entry = entry, .ctx = ctx};
        const yaml_node_t *root = yaml_document_get_root_node(&document);
        status = enter(&document, w.seen, 1, 0, err);
        if (status == RASK_OK && root->type != YAML_MAPPING_NODE)
            status = RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                                "line %d: expected options as \"key: value\"", line_of(root));
        if (status == RASK_OK) status = check_no_second_document(&parser, err);
        if (status == RASK_OK) status = walk_mapping(&w, root, 1, err);
        raski_free(w.seen);
        raski_map_free(&w.keys);
        raski_str_free(&w.path);
    }
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return status;
}

/* The node as a value of a list or map: scalars as they are, the rest as flow text. */
static rask_status node_value(yaml_document_t *document, bool *seen, int id, char **ret_text,
                              raski_error *err) {
    const yaml_node_t *node = yaml_document_get_node(document, id);
    raski_str flow = {0};
    if (node->type == YAML_SCALAR_NODE) {
        RASKI_TRY(enter(document, seen, id, 1, err));
        *ret_text = raski_strdup(scalar_text(node));
        return RASK_OK;
    }
    rask_status status = append_flow(document, seen, id, 1, &flow, err);
    if (status != RASK_OK) {
        raski_str_free(&flow);
        return status;
    }
    *ret_text = raski_str_steal(&flow);
    return RASK_OK;
}

/* libyaml's parser and document of a value's text. */
static rask_status load_value(const char *text, yaml_node_type_t type, const char *expected,
                              yaml_parser_t *parser, yaml_document_t *document, raski_error *err) {
    RASKI_TRY(load(text, strlen(text), parser, document, NULL) == RASK_OK
                  ? RASK_OK
                  : RASKI_FAIL(err, RASK_E_CORRUPT, USER, "expected %s", expected));
    yaml_node_t *root = yaml_document_get_root_node(document);
    if (root != NULL && root->type == type) return RASK_OK;
    yaml_document_delete(document);
    yaml_parser_delete(parser);
    return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "expected %s", expected);
}

rask_status raski_yaml_parse_list(const char *text, raski_text_list *list, raski_error *err) {
    yaml_parser_t parser;
    yaml_document_t document;
    RASKI_TRY(load_value(text, YAML_SEQUENCE_NODE, "a list such as \"[a, b]\" or \"a;b\"", &parser,
                         &document, err));
    bool *seen = seen_array(&document);
    yaml_node_t *root = yaml_document_get_root_node(&document);
    rask_status status = RASK_OK;
    for (yaml_node_item_t *item = root->data.sequence.items.start;
         item < root->data.sequence.items.top && status == RASK_OK; item++) {
        char *value = NULL;
        status = node_value(&document, seen, *item, &value, err);
        if (status == RASK_OK) raski_vec_push(list, value);
    }
    raski_free(seen);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return status;
}

rask_status raski_yaml_parse_map(const char *text, raski_text_map *map, raski_error *err) {
    yaml_parser_t parser;
    yaml_document_t document;
    RASKI_TRY(load_value(text, YAML_MAPPING_NODE, "a map such as \"{a: 1, b: 2}\" or \"a:1,b:2\"",
                         &parser, &document, err));
    bool *seen = seen_array(&document);
    yaml_node_t *root = yaml_document_get_root_node(&document);
    rask_status status = RASK_OK;
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top && status == RASK_OK; pair++) {
        raski_text_pair entry = {0};
        status = node_value(&document, seen, pair->key, &entry.key, err);
        if (status == RASK_OK) status = node_value(&document, seen, pair->value, &entry.value, err);
        if (status == RASK_OK)
            raski_vec_push(map, entry);
        else
            raski_free(entry.key);
    }
    raski_free(seen);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return status;
}
