#!/usr/bin/env python3
"""Command lines, configuration files and programs that are wrong: said before anything runs."""
import os

from harness import WORDCOUNT, Case, main, program, run

MISTAKEN = program("mistaken")


class CommandLineTest(Case):
    def setUp(self):
        super().setUp()
        self.input = self.write("in.txt", "a\n")

    def fails_with(self, arguments, *texts):
        with self.subTest(arguments=arguments):
            out = self.path("out")
            self.fails(run(WORDCOUNT, "--output", out, self.input, *arguments), *texts)
            self.assertFalse(os.path.exists(out), "nothing ran")

    def test_unknown_key_with_the_nearest_one(self):
        self.fails_with(["-D", "paralelism.default=2"], 'unknown option "paralelism.default"',
                        'did you mean "parallelism.default"?')
        self.fails_with(["-Dexecution.runtimemode=BATCH"],
                        'did you mean "execution.runtime-mode"?')

    def test_values(self):
        self.fails_with(["-p", "0"], "parallelism.default", '"0"', "-p")
        self.fails_with(["-p", "-1"], '"-1"')
        self.fails_with(["-p", "x"], '"x"')
        self.fails_with(["-p", "40000"], '"40000"')
        self.fails_with(["-p"], "-p")
        self.fails_with(["-D"], "-D")
        self.fails_with(["-D", "parallelism.default"], "parallelism.default")
        self.fails_with(["-D", "execution.runtime-mode=BACH"], "execution.runtime-mode", "BACH",
                        "BATCH")
        self.fails_with(["-D", "execution.buffer-timeout.interval=soon"], "soon")
        self.fails_with(["--config"], "--config")

    def test_configuration_files(self):
        missing = self.path("no.yaml")
        self.fails_with(["--config", missing], missing, "No such file or directory")
        path = self.write("bad.yaml", "parallelism.default: 2\nexecution: [a\n")
        self.fails_with(["--config", path], path, "line ")
        path = self.write("value.yaml", "# comment\nparallelism:\n  default: many\n")
        self.fails_with(["--config", path], path, "parallelism.default", '"many"', "3")
        self.fails_with(["--config", self.folder], self.folder)

    def test_unknown_keys_in_a_file_are_warnings(self):
        path = self.write("other.yaml", "my.own.key: 1\nparallelism.default: 2\n")
        ended = run(WORDCOUNT, "--config", path, self.input)
        self.ends(ended, 0, "my.own.key")

    def test_no_input(self):
        self.assertEqual(run(WORDCOUNT).code, 2)


class ProgramTest(Case):
    def mistake(self, *arguments):
        ended = run(MISTAKEN, *arguments)
        self.assertEqual(ended.out, "", "nothing ran")
        return ended

    def test_instance_of_another_type(self):
        self.fails(self.mistake("self"), 'operator "uses_first" (built at ', "mistaken.c:",
                   "function uses_first has instances of type first, but .self gives a second")

    def test_uid_twice(self):
        self.fails(self.mistake("uid"), 'Hash collision on user-specified ID "x". Most likely '
                   "cause is a non-unique ID. Please check that all IDs specified via "
                   "`uid(String)` are unique.")

    def test_uid_hash(self):
        self.fails(self.mistake("uid hash"), "mistaken.c:", "xyz")

    def test_forward_to_another_parallelism(self):
        self.fails(self.mistake("forward"),
                   "UnsupportedOperationException: Forward partitioning does not allow change of "
                   "parallelism. Upstream operation: Map-",
                   "You must use another partitioning strategy, such as broadcast, rebalance, "
                   "shuffle or global.")

    def test_arguments_of_sources(self):
        self.fails(self.mistake("path"), "mistaken.c:", "was an argument left out?")
        self.fails(self.mistake("path", ""), "mistaken.c:", "an empty one")
        self.fails(self.mistake("port"), "mistaken.c:", "a port in 1..65535, got localhost:0")

    def test_source_without_enumerator(self):
        self.fails(self.mistake("enumerator"), 'split source "no_enumerator"', "mistaken.c:",
                   "has no RASK_ENUMERATE")

    def test_two_sinks_on_one_path(self):
        self.fails(self.mistake("two sinks"), "mistaken.c:", 'two sinks write to "/tmp/same"')

    def test_nothing_to_do(self):
        self.fails(self.mistake("no sink"), "No operators defined in streaming topology. Cannot "
                   "execute.")


if __name__ == "__main__":
    main()
