#!/usr/bin/env python3
"""User functions that fail: which operator, which subtask, which record, what, and where."""
import re

from harness import Case, main, program, run

FAIL_AT = program("fail_at")
# Around the sizes of blocks, batches and buffers, and far behind them.
RECORDS = (1, 2, 16, 17, 63, 64, 65, 512, 1000, 1023, 1024, 1025, 2048, 4097, 20000)
OPERATORS = {  # place -> its operator's name in messages
    "map": "map", "filter": "filter", "flat map": "flat map", "process": "process",
    "keyed process": "keyed process", "sink": "sink: Writer", "source": "Source: numbers",
}


class FunctionsTest(Case):
    def check(self, ended, operator, subtask, parallelism, record, text):
        number = f", record {record}" if record else ""
        self.fails(ended, f'rask: job "fail" failed: operator \'{operator}\' '
                          f"(subtask {subtask + 1} of {parallelism}{number}): {text} (")
        self.assertRegex(ended.err, r"\([^ ]*fail_at\.c:[0-9]+\)\n")

    def test_each_record_of_a_chain(self):
        for place, operator in OPERATORS.items():
            for record in RECORDS:
                with self.subTest(place=place, record=record):
                    self.check(run(FAIL_AT, place, record), operator, 0, 1, record,
                               f"record {record} in {place}")

    def test_each_subtask(self):
        for place, operator in OPERATORS.items():
            for parallelism, subtask in ((2, 1), (4, 0), (4, 2)):
                with self.subTest(place=place, parallelism=parallelism, subtask=subtask):
                    self.check(run(FAIL_AT, place, 1500, subtask, "-p", parallelism), operator,
                               subtask, parallelism, 1500, f"record 1500 in {place}")

    def test_without_chains(self):
        for place, operator in OPERATORS.items():
            for record in (1, 64, 1025, 5000):
                with self.subTest(place=place, record=record):
                    ended = run(FAIL_AT, place, record, 1, "-p", 2, "-D",
                                "pipeline.operator-chaining.enabled=false")
                    self.check(ended, operator, 1, 2, record, f"record {record} in {place}")

    def test_reduce(self):
        for record in (101, 127, 128, 129, 1024, 1025, 7777):
            with self.subTest(record=record):
                self.check(run(FAIL_AT, "reduce", record), "reduce", 0, 1, record,
                           f"record {record} in reduce")

    def test_two_inputs(self):
        for record in (1, 100, 3000):
            with self.subTest(record=record):
                self.check(run(FAIL_AT, "co process", record, 1, "-p", 2), "co process", 1, 2,
                           record, f"record {record} in co process")

    def test_split_source_fails_at_the_record_that_it_would_have_emitted_next(self):
        self.check(run(FAIL_AT, "split source", 300, 1, "-p", 2), "Source: numbers", 1, 2, 301,
                   "record 300 in split source")

    def test_hooks(self):
        for place, operator in (("open", "map"), ("source open", "Source: numbers"),
                                ("close", "sink: Writer"), ("finish", "sink: Writer")):
            for parallelism in (1, 3):
                with self.subTest(place=place, parallelism=parallelism):
                    ended = run(FAIL_AT, place, "-p", parallelism)
                    self.fails(ended, f"operator '{operator}' (subtask ",
                               f" of {parallelism}): in {place} (")

    def test_enumerator(self):
        self.fails(run(FAIL_AT, "enumerate", "-p", 2),
                   "operator 'Source: numbers' (coordinator): in enumerate (")

    def test_add_split(self):
        self.fails(run(FAIL_AT, "add split"),
                   "operator 'Source: numbers' (subtask 1 of 1): in add split of 4 bytes (")

    def test_failure_without_a_message(self):
        self.fails(run(FAIL_AT, "silent"),
                   "add_split returned -4 without a message (use rask_fail)")

    def test_partitioner(self):
        for parallelism in (2, 4):
            for record in (1, 63, 700, 5000):
                with self.subTest(parallelism=parallelism, record=record):
                    self.fails(run(FAIL_AT, "partitioner", record, "-p", parallelism),
                               "operator 'pairs' (subtask ", f" of {parallelism}): partitioner "
                               f'"by_number" at record {record} returned {parallelism}, which is '
                               f"not in 0..{parallelism - 1} (")
                    self.fails(run(FAIL_AT, "failing partitioner", record, "-p", parallelism),
                               "operator 'pairs' (subtask ", f" of {parallelism}): partitioner "
                               f'"by_number" at record {record}: record {record} in partitioner (')

    def test_key_function(self):
        for record in (1, 64, 65, 3000):
            with self.subTest(record=record):
                # one subtask: the keyed operator asks for the key; else its producer does
                self.fails(run(FAIL_AT, "key", record),
                           f"operator 'keyed process' (subtask 1 of 1, record {record}): "
                           f"record {record} in key (")
                self.fails(run(FAIL_AT, "key", record, "-p", 2), "operator 'map' (subtask ",
                           f' of 2): key function "by_value" at record {record}: '
                           f"record {record} in key (")

    def test_a_long_message_keeps_its_place(self):
        ended = run(FAIL_AT, "long message")
        self.fails(ended, "operator 'map' (subtask 1 of 1, record 1): xxxxxxxx")
        self.assertTrue(re.search(r"x \([^ ]*fail_at\.c:[0-9]+\)\n$", ended.err), ended)

    def test_nothing_fails(self):
        self.ends(run(FAIL_AT, "finite", 0, "-p", 2), 0)


if __name__ == "__main__":
    main()
