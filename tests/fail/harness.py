"""What the tests of tests/fail share: starts programs of a build tree and looks at how they end.

usage of a test: X_test.py BUILD_DIR [unittest arguments]
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
WORDCOUNT = os.path.join(BUILD or "", "examples", "wordcount")
# No job of these tests takes long; one that hangs is killed, and the test fails.
TIMEOUT_S = 100
# The user that owns nothing: root may read everything, so permissions are tested as this one.
NOBODY = 65534


def program(name):
    return os.path.join(BUILD, "tests", "fail", name)


def sanitizer():
    """"address", "thread" or "": what the tree was built with."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        for line in cache:
            if line.startswith("RASK_SANITIZE:"):
                return line.split("=", 1)[1].strip().split(",")[0]
    return ""


# The thread sanitizer holds a signal back until the thread that got it calls something that it
# watches; one that sleeps in a system call of its own never does.
needs_signals = unittest.skipIf(BUILD and sanitizer() == "thread",
                                "the thread sanitizer does not deliver signals in time")


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- out\n{self.out[-2000:]}\n--- err\n{self.err[-4000:]}"


def start(*command, nobody=False, **options):
    command = [str(word) for word in command]
    if nobody and os.geteuid() == 0:
        options.update(user=NOBODY, group=NOBODY, extra_groups=[])
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(command, **options)


def run(*command, **options):
    """Runs a program to its end. A program that a signal ended has a negative exit code."""
    process = start(*command, **options)
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"{command} hangs: {err[-2000:]!r}") from None
    return Ended(process.returncode, (out or b"").decode("utf-8", "surrogateescape"),
                 (err or b"").decode("utf-8", "surrogateescape"))


class Case(unittest.TestCase):
    """A test with a folder of its own, which everybody may enter."""
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rask-fail-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def ends(self, ended, code, *texts):
        """It ended with that code and its standard error holds each of the texts."""
        self.assertEqual(ended.code, code, ended)
        for text in texts:
            self.assertIn(text, ended.err)

    def fails(self, ended, *texts):
        self.ends(ended, 1, *texts)
        lines = [line for line in ended.err.splitlines() if line.startswith("rask: job ")]
        self.assertEqual(len(lines), 1, "one line says why: %r" % ended)


def main():
    if BUILD is None:
        sys.exit(__doc__)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:], verbosity=1)
