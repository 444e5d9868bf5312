/* Layouts of random drawings: nothing overlaps, edges go from left to right; texts that are
 * hostile; what the two forms contain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/drawing.h"
#include "plan/plan_format.h"
#include "plan/plan_test_util.h"

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33);
}

static void add_random_box(raski_drawing *d, uint64_t *seed) {
    raski_drawing_box box = {.title = "Vertex", .badge = "x 4", .name = "name"};
    for (uint32_t i = next_random(seed) % 4 + 1; i > 0; i--)
        raski_vec_push(&box.rows, (raski_drawing_row){.text = "An operator of some length"});
    (void)raski_drawing_add_box(d, box);
}

static void fill(raski_drawing *d, uint64_t seed, size_t boxes, size_t edges_each) {
    for (size_t i = 0; i < boxes; i++) {
        add_random_box(d, &seed);
        for (size_t k = 0; i > 0 && k < next_random(&seed) % (edges_each + 1); k++) {
            size_t from = next_random(&seed) % i;
            size_t row = next_random(&seed) % d->boxes.items[from].rows.count;
            raski_drawing_add_edge(d, (raski_drawing_edge){.from = from,
                                                           .from_row = row,
                                                           .to = i,
                                                           .label = "HASH",
                                                           .small_label = "pipelined"});
        }
    }
    raski_drawing_layout(d);
}

static void assert_apart(const raski_drawing *d) {
    for (size_t i = 0; i < d->boxes.count; i++)
        for (size_t k = i + 1; k < d->boxes.count; k++) {
            const raski_drawing_box *a = &d->boxes.items[i], *b = &d->boxes.items[k];
            bool beside = a->x + a->width < b->x || b->x + b->width < a->x;
            bool above = a->y + a->height < b->y || b->y + b->height < a->y;
            if (!beside && !above) fail_msg("boxes %zu and %zu overlap", i, k);
        }
}

static void assert_inside(const raski_drawing *d) {
    for (size_t i = 0; i < d->boxes.count; i++) {
        const raski_drawing_box *box = &d->boxes.items[i];
        assert_true(box->x >= 0 && box->y >= 0);
        assert_true(box->x + box->width <= d->width && box->y + box->height <= d->height);
    }
}

static void assert_to_the_right(const raski_drawing *d) {
    for (size_t i = 0; i < d->edges.count; i++) {
        const raski_drawing_edge *edge = &d->edges.items[i];
        const raski_drawing_box *from = &d->boxes.items[edge->from],
                                *to = &d->boxes.items[edge->to];
        double x = edge->start.x;
        assert_true(edge->start.y >= from->y && edge->start.y <= from->y + from->height);
        assert_true(edge->end.y >= to->y && edge->end.y <= to->y + to->height);
        for (size_t k = 0; k < edge->bends.count; k++) {
            assert_true(edge->bends.items[k].x >= x);
            x = edge->bends.items[k].x;
        }
        assert_true(edge->end.x >= x);
    }
}

static void random_layouts(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        raski_drawing d;
        raski_drawing_init(&d);
        fill(&d, seed, 1 + seed % 50, seed % 4);
        assert_apart(&d);
        assert_inside(&d);
        assert_to_the_right(&d);
        raski_drawing_fini(&d);
    }
}

/* What crosses another box goes between boxes: its points keep their distance. */
static void long_edges_go_around(void **unused) {
    (void)unused;
    raski_drawing d;
    uint64_t seed = 1;
    raski_drawing_init(&d);
    for (int i = 0; i < 3; i++) add_random_box(&d, &seed);
    raski_drawing_add_edge(&d, (raski_drawing_edge){.from = 0, .to = 1, .label = ""});
    raski_drawing_add_edge(&d, (raski_drawing_edge){.from = 1, .to = 2, .label = ""});
    raski_drawing_add_edge(&d, (raski_drawing_edge){.from = 0, .to = 2, .label = ""});
    raski_drawing_layout(&d);
    const raski_drawing_edge *edge = &d.edges.items[2];
    const raski_drawing_box *between = &d.boxes.items[1];
    assert_int_equal(edge->bends.count, 2);
    assert_true(edge->bends.items[0].y < between->y ||
                edge->bends.items[0].y > between->y + between->height);
    raski_drawing_fini(&d);
}

static void a_straight_line_is_straight(void **unused) {
    (void)unused;
    raski_drawing d;
    uint64_t seed = 3;
    raski_drawing_init(&d);
    for (size_t i = 0; i < 5; i++) {
        add_random_box(&d, &seed);
        if (i > 0)
            raski_drawing_add_edge(&d, (raski_drawing_edge){.from = i - 1, .to = i, .label = ""});
    }
    raski_drawing_layout(&d);
    for (size_t i = 0; i < d.edges.count; i++)
        assert_float_equal(d.edges.items[i].start.y, d.edges.items[i].end.y, 0.01);
    raski_drawing_fini(&d);
}

static void an_empty_drawing(void **unused) {
    (void)unused;
    raski_drawing d;
    raski_str out = {0};
    raski_drawing_init(&d);
    raski_drawing_layout(&d);
    raski_drawing_write_svg(&d, false, &out);
    raski_drawing_write_html(&d, &out);
    raski_str_free(&out);
    raski_drawing_fini(&d);
}

static void assert_escaped(const char *text, const char *expected) {
    raski_str out = {0};
    raski_xml_escape(text, &out);
    assert_string_equal(raski_str_text(&out), expected);
    raski_str_free(&out);
}

static void hostile_texts(void **unused) {
    (void)unused;
    assert_escaped("<script>\"&'", "&lt;script&gt;&quot;&amp;&#39;");
    assert_escaped(
        "a\nb\tc\x01"
        "d",
        "a b c\xef\xbf\xbd"
        "d");
    assert_escaped("\xff\xc3(\xed\xa0\x80",
                   "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped(
        "gr\xc3\xb6\xc3\x9f"
        "er",
        "gr\xc3\xb6\xc3\x9f"
        "er");
}

static void texts_that_are_too_long(void **unused) {
    (void)unused;
    raski_str out = {0};
    raski_text_fit("short", 13, 100, &out);
    assert_string_equal(raski_str_text(&out), "short");
    raski_str_truncate(&out, 0);
    raski_text_fit("\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 13, 40,
                   &out);
    assert_true(raski_text_width(raski_str_text(&out)) * 13 <= 42);
    assert_string_equal(raski_str_text(&out) + out.length - 3, "\xe2\x80\xa6");
    assert_int_equal(out.length % 2, 1); /* cut between characters */
    raski_str_free(&out);
}

#define HOSTILE "</script><img src=x onerror=alert(1)>"

static void print(const planned *p, const char *format, raski_plan_graph graph, raski_str *out) {
    const raski_plan_style style = {0};
    raski_plan_format_named(format)->print(&p->plan, graph, &style, out);
}

static void operators_have_no_say_in_the_page(void **unused) {
    (void)unused;
    for (int graph = RASKI_PLAN_STREAM_GRAPH; graph <= RASKI_PLAN_EXECUTION_GRAPH; graph++) {
        planned p = plan_topology("{'job':'" HOSTILE "','steps':[{'op':'source','name':'" HOSTILE
                                  "','uid':'" HOSTILE "'},{'op':'map','slotSharingGroup':'" HOSTILE
                                  "'},{'op':'discard'}]}",
                                  (raski_plan_graph)graph);
        assert_int_equal(p.status, RASK_OK);
        raski_str out = {0};
        print(&p, "svg", (raski_plan_graph)graph, &out);
        print(&p, "html", (raski_plan_graph)graph, &out);
        assert_null(strstr(raski_str_text(&out), "<img"));
        raski_str_free(&out);
        planned_fini(&p);
    }
}

static void the_same_plan_is_the_same_drawing(void **unused) {
    (void)unused;
    raski_str first = {0}, second = {0};
    for (int i = 0; i < 2; i++) {
        planned p = plan_topology(
            "{'steps':[{'op':'source','name':'S'},{'op':'keyBy'},{'op':'sum'},"
            "{'op':'discard'}]}",
            RASKI_PLAN_JOB_GRAPH);
        print(&p, "html", RASKI_PLAN_JOB_GRAPH, i == 0 ? &first : &second);
        planned_fini(&p);
    }
    assert_string_equal(raski_str_text(&first), raski_str_text(&second));
    assert_non_null(strstr(raski_str_text(&first), ">HASH<"));
    assert_non_null(strstr(raski_str_text(&first), "redistributed: HASH, not FORWARD"));
    raski_str_free(&first);
    raski_str_free(&second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts),
        cmocka_unit_test(long_edges_go_around),
        cmocka_unit_test(a_straight_line_is_straight),
        cmocka_unit_test(an_empty_drawing),
        cmocka_unit_test(hostile_texts),
        cmocka_unit_test(texts_that_are_too_long),
        cmocka_unit_test(operators_have_no_say_in_the_page),
        cmocka_unit_test(the_same_plan_is_the_same_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
