#!/usr/bin/env python3
"""Inputs and outputs that are missing, forbidden, full, closed, strange, or change meanwhile."""
import errno
import gzip
import os
import resource
import subprocess

from harness import TIMEOUT_S, WORDCOUNT, Case, main, needs_signals, program, run, sanitizer, start

LINE_LENGTHS = program("line_lengths")


def counts(text):
    """What a batch run of wordcount gives for a text."""
    words = {}
    for word in "".join(c.lower() if c.isascii() and c.isalpha() else " " for c in text).split():
        words[word] = words.get(word, 0) + 1
    return sorted(f"{word},{count}" for word, count in words.items())


class InputTest(Case):
    def words(self, *arguments):
        ended = run(WORDCOUNT, "-D", "execution.runtime-mode=BATCH", "--output", self.path("out"),
                    *arguments)
        self.ends(ended, 0)
        with open(self.path("out"), encoding="utf-8") as file:
            return sorted(file.read().splitlines())

    def test_missing_file_with_the_nearest_name(self):
        for name in ("books.txt", "other", ".hidden"):
            self.write(name, "a\n")
        self.fails(run(WORDCOUNT, self.path("bokos.txt")),
                   "operator 'Source: text source' (coordinator): ",
                   f'cannot read "{self.path("bokos.txt")}": No such file or directory; '
                   f'did you mean "{self.path("books.txt")}"?')
        ended = run(WORDCOUNT, "bokos.txt", cwd=self.folder)
        self.fails(ended, 'did you mean "books.txt"?')

    def test_missing_file_like_no_other(self):
        self.write("books.txt", "a\n")
        ended = run(WORDCOUNT, self.path("qqqqqqq"))
        self.fails(ended, "No such file or directory")
        self.assertNotIn("did you mean", ended.err)

    def test_missing_folder(self):
        self.fails(run(WORDCOUNT, self.path("no", "file")), "No such file or directory")

    def test_one_of_two_inputs_is_missing(self):
        self.fails(run(WORDCOUNT, "--output", self.path("out"), self.write("a", "a\n"),
                       self.path("b")), f'"{self.path("b")}"')
        self.assertFalse(os.path.exists(self.path("out")))

    def test_unreadable_file(self):
        path = self.write("secret.txt", "a\n")
        os.chmod(path, 0)
        self.fails(run(WORDCOUNT, path, nobody=True), f'cannot open "{path}": Permission denied',
                   "(subtask 1 of 1")

    def test_unreadable_folder(self):
        self.write("secret/a.txt", "a\n")
        folder = self.path("secret")
        os.chmod(folder, 0)
        self.addCleanup(os.chmod, folder, 0o755)
        self.fails(run(WORDCOUNT, folder, nobody=True),
                   f'cannot read the folder "{folder}": Permission denied')
        self.fails(run(WORDCOUNT, os.path.join(folder, "a.txt"), nobody=True), "Permission denied")
        self.fails(run(WORDCOUNT, os.path.join(folder, "*.txt"), nobody=True), "Permission denied")

    def test_unreadable_file_below_a_folder(self):
        self.write("in/a.txt", "a\n")
        path = self.write("in/b.txt", "b\n")
        os.chmod(path, 0)
        self.fails(run(WORDCOUNT, self.path("in"), nobody=True), f'"{path}": Permission denied')

    def test_glob_without_match(self):
        self.write("a.txt", "a\n")
        self.fails(run(WORDCOUNT, self.path("*.csv")), f'nothing matches "{self.path("*.csv")}"')

    def test_name_with_glob_characters(self):
        path = self.write("a[1]*.txt", "strange name\n")
        self.write("a1.txt", "other\n")
        self.assertEqual(self.words(path), ["name,1", "strange,1"])

    def test_empty_input(self):
        self.assertEqual(self.words(self.write("empty.txt", "")), [])
        os.mkdir(self.path("nothing"))
        self.write("nothing/.hidden", "hidden\n")
        self.assertEqual(self.words(self.path("nothing")), [])
        self.assertEqual(self.words("-p", 3, self.path("empty.txt"), self.path("nothing")), [])
        self.ends(run(WORDCOUNT, "--digest", self.path("empty.txt")), 0)

    def test_folder_is_read_recursively(self):
        self.write("in/b/c.txt", "b\n")
        self.write("in/a.txt", "a\n")
        self.write("in/_part", "hidden\n")
        self.write("in/.git/x", "hidden\n")
        os.symlink(self.path("in", "a.txt"), self.path("in", "link"))
        self.assertEqual(self.words("-p", 2, self.path("in")), ["a,2", "b,1"])

    def test_links_that_lead_back(self):
        self.write("in/a.txt", "a\n")
        os.symlink("..", self.path("in", "back"))
        self.fails(run(WORDCOUNT, self.path("in")), "leads back to a folder that it is in")

    def test_link_to_nothing(self):
        self.write("in/a.txt", "a\n")
        os.symlink("gone", self.path("in", "link"))
        self.fails(run(WORDCOUNT, self.path("in")), f'cannot read "{self.path("in", "link")}"')

    def test_invalid_utf8_passes_through(self):
        self.write("bad.txt", b"caf\xe9 \xff\xfe\xc3\n\x80\n\xed\xa0\x80end\0nul\n")
        self.assertEqual(self.words(self.path("bad.txt")), ["caf,1", "end,1", "nul,1"])
        ended = run(LINE_LENGTHS, self.path("bad.txt"))
        self.ends(ended, 0)
        self.assertEqual(sorted(ended.out.split()), ["(1,-128)", "(10,108)", "(8,-61)"])

    def test_line_of_100_mb(self):
        size = 100_000_000 if sanitizer() == "" else 10_000_000
        for name, content in (("long.txt", b"x" * size + b"y\nz\n"), ("no-end.txt", b"x" * size)):
            path = self.write(name, content)
            ended = run(LINE_LENGTHS, path)
            self.ends(ended, 0)
            expected = {f"({size + 1},{ord('y')})", f"(1,{ord('z')})"} \
                if name == "long.txt" else {f"({size},{ord('x')})"}
            self.assertEqual(set(ended.out.split()), expected)
            self.assertEqual(self.words(path)[0][:10], "x" * 10)
            os.remove(path)

    def test_line_of_100_mb_among_four_readers(self):
        size = 100_000_000 if sanitizer() == "" else 10_000_000
        path = self.write("long.txt", b"a\n" * 1000 + b"x" * size + b"\n" + b"b\n" * 1000)
        ended = run(LINE_LENGTHS, "-p", 4, path)
        self.ends(ended, 0)
        lines = [line.split("> ")[1] for line in ended.out.splitlines()]
        self.assertEqual(lines.count("(1,97)"), 1000)
        self.assertEqual(lines.count("(1,98)"), 1000)
        self.assertEqual(lines.count(f"({size},120)"), 1)
        self.assertEqual(len(lines), 2001)

    def test_no_memory_for_a_line(self):
        if sanitizer():
            self.skipTest("sanitizers need all addresses")
        path = self.write("long.txt", b"x" * 100_000_000)
        memory = 120_000_000  # enough for the program, not for the line
        ended = run(WORDCOUNT, path, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (memory, memory)))
        self.fails(ended, f'"{path}": no memory for the line at byte 0 (')

    def test_compressed(self):
        path = self.write("a.txt.gz", gzip.compress(b"one two\n") + gzip.compress(b"two\n"))
        self.assertEqual(self.words(path), ["one,1", "two,2"])
        whole = gzip.compress(os.urandom(100_000))
        for name, content, text in (
                ("cut.gz", whole[:-20], "it ends in the middle of its data"),
                ("cut2.gz", whole[:50_000], "it ends in the middle of its data"),
                ("text.gz", b"no gzip\n", "it is no gzip"),
                ("empty.gz", b"", "it is empty"),
                ("wrong.gz", whole[:50_000] + b"wrong" + whole[50_005:], "cannot decompress"),
                ("more.gz", whole + b"garbage", "what follows its end is no gzip")):
            with self.subTest(name=name):
                self.fails(run(WORDCOUNT, "--output", self.path("out2"), self.write(name, content)),
                           f'cannot decompress "{self.path(name)}" at byte ', text)
                self.assertFalse(os.path.exists(self.path("out2")))

    def test_pipes(self):
        ended = run("sh", "-c", 'printf "a b\\na" | "$0" /dev/stdin', WORDCOUNT)
        self.ends(ended, 0)
        self.assertEqual(sorted(ended.out.split()), ["(a,1)", "(a,2)", "(b,1)"])
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        job = start(WORDCOUNT, fifo)
        with os.fdopen(self.open_when_read(fifo, job), "wb") as file:
            file.write(b"in a pipe\n")
        out, err = job.communicate(timeout=TIMEOUT_S)
        self.assertEqual((job.returncode, sorted(out.split()), err),
                         (0, [b"(a,1)", b"(in,1)", b"(pipe,1)"], b""))

    def open_when_read(self, fifo, job):
        while True:
            self.assertIsNone(job.poll())
            try:
                return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise

    @needs_signals
    def test_a_pipe_without_writer_can_be_cancelled(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        job = start(WORDCOUNT, "--output", self.path("out"), fifo)
        while not os.path.exists(f"/proc/{job.pid}/fd") or not any(
                os.path.realpath(f"/proc/{job.pid}/fd/{fd}") == fifo
                for fd in os.listdir(f"/proc/{job.pid}/fd")):
            self.assertIsNone(job.poll())
        job.terminate()
        job.communicate(timeout=TIMEOUT_S)
        self.assertEqual(job.returncode, 143)
        self.assertEqual(os.listdir(self.folder), ["fifo"])

    def shrinks(self, size, *arguments):
        line = b"0123456789abcdef\n"
        path = self.write("shrinking.txt", line * (40_000_000 // len(line)))
        gate, opener = os.pipe()
        job = start(LINE_LENGTHS, *arguments, "--gate", gate, path, stdout=subprocess.DEVNULL,
                    pass_fds=[gate])
        os.close(gate)
        self.assertEqual(job.stderr.readline(), b"at the gate\n")
        os.truncate(path, size)
        os.close(opener)
        _, err = job.communicate(timeout=TIMEOUT_S)
        text = err.decode()
        self.assertEqual(job.returncode, 1, text)
        self.assertIn(f'"{path}" became shorter while it was read: it had 39999997 bytes, now it '
                      f"ends at byte {size}", text)

    def test_a_file_that_shrinks(self):
        self.shrinks(20_000_000)

    def test_a_file_that_shrinks_to_nothing(self):
        path = self.write("x", "")
        os.remove(path)
        self.shrinks(10_000_000, "-p", 1)

    def test_a_file_that_grows_is_read_as_far_as_it_went(self):
        path = self.write("growing.txt", "a\n" * 100)
        self.assertEqual(self.words(path), ["a,100"])
        with open(path, "a", encoding="utf-8") as file:
            file.write("a\n")
        self.assertEqual(self.words(path), ["a,101"])


class OutputTest(Case):
    def big(self):
        return self.write("big.txt", "some words of a text that is long enough\n" * 50_000)

    def test_the_file_is_replaced(self):
        out = self.write("out", "old\n")
        os.chmod(out, 0o600)
        self.ends(run(WORDCOUNT, "--output", out, self.write("in", "new\n")), 0)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "new,1\n")
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "out"])

    def test_a_link_is_followed(self):
        real = self.write("real/out", "old\n")
        os.symlink(real, self.path("link"))
        self.ends(run(WORDCOUNT, "--output", self.path("link"), self.write("in", "new\n")), 0)
        with open(real, encoding="utf-8") as file:
            self.assertEqual(file.read(), "new,1\n")
        self.assertTrue(os.path.islink(self.path("link")))

    def test_after_a_failure_the_old_file_is_there(self):
        out = self.write("out", "old\n")
        self.write("in/a.txt", "new\n" * 100_000)
        self.write("in/b.gz", "no gzip\n")
        self.fails(run(WORDCOUNT, "--output", out, self.path("in")), "cannot decompress")
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "out"])

    def test_full_device(self):
        self.fails(run(WORDCOUNT, "--output", "/dev/full", self.big()),
                   "operator 'Sink: Writer' (subtask 1 of 1, record ",
                   'cannot write to "/dev/full": No space left on device')
        with open("/dev/full", "wb") as full:
            self.fails(run(WORDCOUNT, self.big(), stdout=full),
                       "cannot write to standard output: No space left on device")

    def test_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("THE FULL DISK WAS NOT TESTED: only root can mount one")
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]) != 0:
            self.skipTest("THE FULL DISK WAS NOT TESTED: mounting a tmpfs is forbidden here")
        self.addCleanup(subprocess.call, ["umount", disk])
        out = os.path.join(disk, "out")
        self.fails(run(WORDCOUNT, "--output", out, self.big()),
                   f'cannot write to "{out}": No space left on device', "(subtask 1 of 1, record ")
        self.assertEqual(os.listdir(disk), [])
        self.ends(run(WORDCOUNT, "--output", out, self.write("in", "small\n")), 0)
        self.assertEqual(os.listdir(disk), ["out"])

    def test_no_permission(self):
        out = self.path("out")
        path = self.write("in", "a\n")
        self.fails(run(WORDCOUNT, "--output", out, path, nobody=True),
                   f'cannot create "{out}": Permission denied')
        self.write("out", "old\n")
        os.chmod(self.folder, 0o777)  # the folder lets everybody replace it, the file does not
        os.chmod(out, 0o444)
        self.fails(run(WORDCOUNT, "--output", out, path, nobody=True),
                   f'cannot write to "{out}": Permission denied')

    def test_folder_instead_of_a_file(self):
        self.fails(run(WORDCOUNT, "--output", self.folder, self.write("in", "a\n")),
                   f'"{self.folder}" is a folder, but one subtask writes a file')
        self.fails(run(WORDCOUNT, "--output", self.path("new/"), self.path("in")),
                   "names a folder, but one subtask writes a file")
        self.assertEqual(os.listdir(self.folder), ["in"])

    def test_folders_are_made(self):
        out = self.path("a", "b", "out")
        self.ends(run(WORDCOUNT, "--output", out, self.write("in", "a\n")), 0)
        self.assertTrue(os.path.isfile(out))

    def test_a_device_stays_a_device(self):
        self.ends(run(WORDCOUNT, "--output", "/dev/null", self.write("in", "a\n")), 0)
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_standard_output_as_a_file(self):
        with open(self.path("log"), "w+b") as log:
            log.write(b"before\n")
            log.flush()
            run(WORDCOUNT, "--output", "/dev/stdout", self.write("in", "a\n"), stdout=log)
            log.seek(0)
            self.assertEqual(log.read(), b"before\na,1\n")

    def closed_pipe(self, *arguments):
        job = start(WORDCOUNT, *arguments, self.big())
        job.stdout.readline()
        job.stdout.close()
        err = job.stderr.read()
        job.stderr.close()
        self.assertEqual((job.wait(timeout=TIMEOUT_S), err), (141, b""))

    def test_closed_pipe(self):
        self.closed_pipe()
        self.closed_pipe("-p", 3)

    def test_closed_pipe_of_an_output_file(self):
        self.closed_pipe("--output", "/dev/stdout")

    def test_head(self):
        ended = run("bash", "-c", '"$0" "$1" | head -1; echo "${PIPESTATUS[0]}"', WORDCOUNT,
                    self.big())
        self.assertEqual((ended.out, ended.err), ("(some,1)\n141\n", ""))


if __name__ == "__main__":
    main()
