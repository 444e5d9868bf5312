/* watermark_alignment.h - groups of sources that do not run away from each other: what their
 * readers have reached, and how far each may go. Flink: SourceCoordinator's WatermarkAggregator and
 * announceCombinedWatermark. Threads: the job master's. */
#ifndef RASKI_API_WATERMARK_ALIGNMENT_H
#define RASKI_API_WATERMARK_ALIGNMENT_H
#include <stddef.h>
#include <stdint.h>

typedef struct raski_alignment_group raski_alignment_group;
typedef struct raski_alignment_groups raski_alignment_groups; /* of one job */

raski_alignment_groups *raski_alignment_groups_create(void);
void raski_alignment_groups_destroy(raski_alignment_groups *groups_take); /* NULL is fine */
/* The group of that name, made on first use; it lives as long as groups. name is copied. */
raski_alignment_group *raski_alignment_groups_find(raski_alignment_groups *groups,
                                                   const char *name);

/* Forgets what the readers of a source have reported: it starts anew. */
void raski_alignment_group_forget(raski_alignment_group *group, const void *source);
/* A reader has reached a watermark; RASKI_WATERMARK_MAX: nobody is to wait for it. */
void raski_alignment_group_report(raski_alignment_group *group, const void *source, int reader,
                                  int64_t watermark_ms);
/* The highest watermark that is allowed when drift_ms >= 0 is: ahead of the slowest reader that has
 * reported one. Without any, or beyond the range of watermarks, all are (reports W12, W17). */
int64_t raski_alignment_group_limit(const raski_alignment_group *group, int64_t drift_ms);
#endif
