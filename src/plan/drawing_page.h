/* drawing_page.h - the parts of the page that are files of their own (page/), embedded as texts.
 * Private to src/plan. */
#ifndef RASKI_PLAN_DRAWING_PAGE_H
#define RASKI_PLAN_DRAWING_PAGE_H

extern const char raski_embedded_plan_drawing_css[]; /* of the drawing: in SVG files too */
extern const char raski_embedded_plan_page_css[];
extern const char raski_embedded_plan_page_js[];
#endif
