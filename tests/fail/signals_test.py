#!/usr/bin/env python3
"""Ctrl-C and SIGTERM: the first cancels the job and closes what is open, the second ends at once."""
import fcntl
import os
import signal
import struct
import subprocess
import termios

from harness import TIMEOUT_S, WORDCOUNT, Case, main, needs_signals, program, start

F_GETPIPE_SZ = 1032  # of <fcntl.h>; Python has it from 3.10 on
ENDLESS = program("endless")


@needs_signals
class SignalsTest(Case):
    def begin(self, *arguments, **options):
        """Starts the job and waits for its first record."""
        job = start(ENDLESS, *arguments, stdout=subprocess.DEVNULL, **options)
        self.addCleanup(job.kill)
        job.told = self.read_until(job, b"first\n").decode()
        return job

    def read_until(self, job, line):
        seen = b""
        while line not in seen:
            byte = os.read(job.stderr.fileno(), 4096)
            self.assertNotEqual(byte, b"", seen)
            seen += byte
        return seen

    def end(self, job):
        _, err = job.communicate(timeout=TIMEOUT_S)
        return job.returncode, err.decode()

    def test_one_signal_cancels(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for parallelism in (1, 4):
                with self.subTest(number=number, parallelism=parallelism):
                    job = self.begin("-p", parallelism, "--output", self.path("out"))
                    job.send_signal(number)
                    ended, err = self.end(job)
                    self.assertEqual(ended, code, err)
                    told = job.told + err  # a subtask may be cancelled before it is open
                    self.assertEqual(told.count("close\n"), told.count("open\n"), told)
                    self.assertIn('rask: job "endless" was cancelled\n', err)
                    self.assertNotIn("failed", err)
                    self.assertEqual(os.listdir(self.folder), [], "nothing is left behind")

    def test_the_old_output_stays(self):
        out = self.write("out", "old\n")
        job = self.begin("--output", out)
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.end(job)[0], 130)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old\n")
        self.assertEqual(os.listdir(self.folder), ["out"])

    def test_a_second_signal_ends_at_once(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number=number):
                job = start(ENDLESS, "--stuck")
                self.addCleanup(job.kill)
                self.read_until(job, b"stuck\n")
                job.send_signal(number)
                # The handler has run once the signal is no longer pending and not blocked.
                self.wait_for_signal(job, number)
                self.assertIsNone(job.poll())
                job.send_signal(number)
                self.assertEqual(self.end(job)[0], code)

    def wait_for_signal(self, job, number):
        bit = 1 << (number - 1)
        while True:
            with open(f"/proc/{job.pid}/status", encoding="ascii") as status:
                pending = [line.split()[1] for line in status if line.startswith("ShdPnd:")]
            if not int(pending[0], 16) & bit:
                return

    def test_the_programs_own_results(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number=number):
                job = self.begin("--collect")
                job.send_signal(number)
                ended, err = self.end(job)
                self.assertEqual(ended, code, err)
                self.assertIn("close\n", err)

    def test_while_output_cannot_go_on(self):
        """The reader of a pipe does not read: print waits, and still one signal is enough."""
        big = self.write("big.txt", "some words\n" * 200_000)
        job = start(WORDCOUNT, big)
        self.addCleanup(job.kill)
        job.stdout.readline()
        self.wait_until_full(job)
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.wait(timeout=TIMEOUT_S), 130)
        job.stdout.close()
        job.stderr.close()

    def wait_until_full(self, job):
        """As far as that can be seen: pages of a pipe are not filled to their end."""
        size = fcntl.fcntl(job.stdout.fileno(), F_GETPIPE_SZ)
        held = bytearray(4)
        while struct.unpack("i", held)[0] < size // 4:
            fcntl.ioctl(job.stdout.fileno(), termios.FIONREAD, held)
            self.assertIsNone(job.poll())


if __name__ == "__main__":
    main()
