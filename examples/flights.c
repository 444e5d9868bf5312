/* Departures from New York's airports: real records, in the order of the schedule and so out of
 * order by when the aircraft really left. Windows wait six hours for those that are missing; a
 * departure that comes after its window was closed is late.
 *
 *   flights [-p N] [-D key=value]... FOLDER OUT
 *
 * reads FOLDER/2013-01.csv ... (tools/data.sh makes build/data/flights) and writes
 *   OUT/hours.csv      for each airport and hour: departures, delayed ones, minutes of delay, the
 * worst OUT/carriers.csv   for each airline and day the same OUT/late.csv       departures that
 * came too late for their hour OUT/cancelled.csv  flights that never left
 * tests/examples/flights_test.py computes all of it again, in its own way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rask/rask.h>
#include <rask/window.h>

static const int64_t MINUTE_MS = 60000;
static const int64_t OUT_OF_ORDERNESS_MS = 6 * 60 * 60000;

/* Columns of the files by their names; others are passed over. */
typedef struct {
    rask_string carrier, origin, dest;
    int32_t flight, minute;           /* minute: of the scheduled departure */
    rask_timestamp time_hour;         /* its hour */
    rask_optional(int32_t) dep_delay; /* minutes; absent: the flight was cancelled */
} schedule;
RASK_TYPE(schedule, carrier, origin, dest, flight, minute, (time_hour, rask_timestamp), dep_delay);

typedef struct {
    rask_string carrier, origin, dest;
    int32_t flight, delay;
    rask_timestamp at; /* when it really left */
} departure;
RASK_TYPE(departure, carrier, origin, dest, flight, delay, (at, rask_timestamp));

/* What is known of a window so far. */
typedef struct {
    int64_t departures, delayed, minutes;
    int32_t worst;
} delays;
RASK_TYPE(delays, departures, delayed, minutes, worst);

typedef struct {
    rask_string who; /* airport or airline */
    rask_timestamp from;
    int64_t departures, delayed, minutes;
    int32_t worst;
} result;
RASK_TYPE(result, who, (from, rask_timestamp), departures, delayed, minutes, worst);

/* ---------------------------------------------------------------- records */
typedef struct {
    rask_counter *cancelled;
} counters;
RASK_INSTANCE(counters);
RASK_SIDE_OUTPUT(cancelled, schedule);
RASK_PROCESS(departures_of, counters, self, schedule, s, departure, out) {
    if (!s.dep_delay.present) {
        rask_count(self->cancelled, 1);
        rask_emit_side(out, cancelled, s);
        return;
    }
    const int32_t delay = s.dep_delay.value;
    const int64_t at = s.time_hour + (s.minute + delay) * MINUTE_MS;
    rask_emit(out, (departure){s.carrier, s.origin, s.dest, s.flight, delay, at});
}
RASK_OPEN(departures_of, self) {
    self->cancelled = rask_counter_of("cancelled");
    return RASK_OK;
}

/* A watermark with every departure that is later than all before it. (The built-in bounded
 * out-of-orderness tells it from time to time; then what is late depends on how fast the job runs.)
 */
typedef struct {
    bool has_any;
    int64_t latest;
} progress;
RASK_INSTANCE(progress);
RASK_WATERMARK_GENERATOR(with_each_latest, progress, self, departure, d, timestamp, out) {
    (void)d;
    if (self->has_any && timestamp <= self->latest) return;
    self->has_any = true;
    self->latest = timestamp;
    rask_emit_watermark(out, timestamp - OUT_OF_ORDERNESS_MS - 1);
}

/* ---------------------------------------------------------------- windows */
RASK_SIDE_OUTPUT(late, departure);
RASK_AGGREGATE(add_delays, departure, d, delays, so_far, delays) {
    if (so_far->departures++ == 0 || d.delay > so_far->worst) so_far->worst = d.delay;
    so_far->delayed += d.delay > 15;
    so_far->minutes += d.delay > 0 ? d.delay : 0;
}
RASK_AGGREGATE_RESULT(add_delays, so_far) {
    return *so_far;
}
RASK_WINDOW_PROCESS(with_key_and_hour, counters, self, delays, all, result, out) {
    (void)self;
    const delays d = all.items[0];
    rask_emit(out, (result){*rask_key(out, rask_string), rask_window_start(out), d.departures,
                            d.delayed, d.minutes, d.worst});
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    char path[4][4096];
    static const char *const names[] = {"hours", "carriers", "late", "cancelled"};
    if (argc != 3) {
        (void)fprintf(stderr, "usage: flights [-p N] [-D key=value]... FOLDER OUT\n");
        rask_env_destroy(env);
        return 2;
    }
    for (int i = 0; i < 4; i++)
        (void)snprintf(path[i], sizeof path[i], "%s/%s.csv", argv[2], names[i]);
    const rask_csv_options csv = {.header = RASK_CSV_HEADER_NAMES};

    /* one reader, so that the files and their records come in their order */
    rask_stream(schedule) schedules = rask_read_csv(
        env, schedule, argv[1], .parallelism = 1,
        .csv = {
            .header = RASK_CSV_HEADER_NAMES, .null_literal = "NA", .ignore_unknown_fields = true});
    rask_stream(departure) departures =
        rask_process(schedules, departures_of, .name = "departures", .parallelism = 1);
    rask_stream(departure) timed = rask_assign_timestamps(
        departures, at, .watermarks = RASK_WATERMARKS(with_each_latest), .parallelism = 1);

    rask_stream(result) hours = rask_window_aggregate_process(
        rask_window(rask_key_by(timed, origin), rask_tumbling_event_time(.size_ms = 60 * 60000),
                    .late = rask_late(late)),
        add_delays, with_key_and_hour, .name = "hours of airports");
    rask_stream(result) days = rask_window_aggregate_process(
        rask_window(rask_key_by(timed, carrier),
                    rask_tumbling_event_time(.size_ms = 24 * 60 * 60000)),
        add_delays, with_key_and_hour, .name = "days of airlines");

    rask_write_csv(hours, path[0], .csv = csv, .parallelism = 1);
    rask_write_csv(days, path[1], .csv = csv, .parallelism = 1);
    rask_write_csv(rask_side_output(hours, late), path[2], .csv = csv, .parallelism = 1);
    rask_write_csv(rask_side_output(departures, cancelled), path[3], .csv = csv, .parallelism = 1);
    return rask_execute(env, "Flights");
}
