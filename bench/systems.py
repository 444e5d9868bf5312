"""The systems of the comparison: how each is built and how a run of it is started and read."""
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "bench")


class RunError(Exception):
    """A program of the comparison failed or said something unexpected."""


def measured(build, command, env=None, timeout=900):
    """Runs a command; returns its JSON lines and what it cost (see bench/measured.c)."""
    with tempfile.NamedTemporaryFile(dir=WORK, suffix=".json") as report:
        done = subprocess.run([os.path.join(build, "bench", "measured"), report.name, *command],
                              text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=timeout, env={**os.environ, **(env or {})}, check=False)
        text = report.read()
    if done.returncode != 0 or not text:
        raise RunError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    cost = json.loads(text)
    if cost["exit"] != 0:
        raise RunError(f"{' '.join(command)}: exit {cost['exit']}: {done.stderr.strip()[-2000:]}")
    lines = [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{")]
    return lines, cost, done.stdout


def native_path(build, prefix, w):
    if w.kind == "nexmark" and prefix == "rask":
        return os.path.join(build, "examples", "nexmark")
    return os.path.join(build, "bench", f"{prefix}_{w.kind}")


def program_command(build, prefix, w, p, n, corpus, verify):
    """A run of one of our own programs; prefix: rask or limit. They share a command line, but for
    Rask's Nexmark, which is an example that everybody can run."""
    if w.kind == "nexmark" and prefix == "rask":
        command = [native_path(build, prefix, w), w.what, "-p", str(p), "--events", str(n)]
        command += ["-D", f"state.backend.type={w.backend}"]
        return command + ([] if verify else ["--no-digest"])
    command = [native_path(build, prefix, w), "--p", str(p)]
    if verify:
        command.append("--verify")
    if w.kind == "wordcount":
        return command + (corpus[:n] if prefix == "limit" else [corpus_folder(corpus, n)])
    command += ["--w", w.what, "--n", str(n)]
    if w.kind == "micro":
        command += ["--keys", str(w.keys)]
        if prefix == "rask" and w.backend != "hashmap":
            command += ["-D", f"state.backend.type={w.backend}"]
    return command


class Native:
    """Rask's programs and the hand-written limits."""

    def __init__(self, name, build):
        self.name = name
        self.build = build

    def run(self, w, p, n, corpus, verify):
        command = program_command(self.build, self.name, w, p, n, corpus, verify)
        lines, cost, _ = measured(self.build, command)
        if not lines:
            raise RunError(f"{' '.join(command)}: printed no result")
        line = lines[-1]
        records = line.get("records_in", line.get("events"))
        cpu_ms = cost["user_ms"] + cost["system_ms"]
        return {"records": records, "cpu_ns_per_record": cpu_ms * 1e6 / records,
                "records_per_s": records * 1e3 / line["wall_ms"],
                "rss_peak_kb": line["rss_peak_kb"],
                "digest_count": line.get("digest_count", line.get("count")),
                "digest": line.get("digest")}


class Flink:
    """Flink programs in a JVM with an embedded cluster, after a warm-up in the same JVM."""

    name = "flink"
    JVM = "-Xms3g -Xmx3g -XX:+UseParallelGC -XX:MaxDirectMemorySize=1g"
    JVM_LARGE = "-Xms6g -Xmx6g -XX:+UseParallelGC -XX:MaxDirectMemorySize=1g"
    JVM_SMALL = "-Xms512m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"

    def __init__(self, build, home):
        self.build = build
        self.home = home

    @staticmethod
    def prepare(build, source):
        """Builds the Java programs under build/bench/flink; returns None, saying why, if it cannot."""
        if not os.path.isdir(source):
            print(f"flink: left out, there is no folder {source}")
            return None
        for tool in ("java", "mvn"):
            if shutil.which(tool) is None:
                print(f"flink: left out, there is no {tool} "
                      "(apt-get install default-jdk-headless maven)")
                return None
        home = os.path.join(WORK, "flink")
        classpath = os.path.join(home, "target-cp.txt")
        newest = max((os.path.getmtime(f) for f in
                      glob.glob(os.path.join(source, "**", "*"), recursive=True)), default=0)
        if not os.path.exists(classpath) or os.path.getmtime(classpath) < newest:
            print("flink: building its programs", flush=True)
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(source, home, ignore=shutil.ignore_patterns("target*"),
                            copy_function=shutil.copyfile)
            for goal in (["package"], ["dependency:build-classpath",
                                       "-Dmdep.outputFile=target-cp.txt",
                                       "-Dmdep.includeScope=provided"]):
                done = subprocess.run(["mvn", "-q", "-B", *goal], cwd=home, text=True, check=False,
                                      stdin=subprocess.DEVNULL, capture_output=True)
                if done.returncode != 0:
                    print(f"flink: left out, mvn {goal[0]} failed:\n{done.stdout[-2000:]}")
                    return None
        return Flink(build, home)

    def java(self, jvm, arguments, timeout=900):
        command = ["sh", os.path.join(self.home, "run.sh"), *arguments]
        return measured(self.build, command, {"JVM_OPTS": jvm}, timeout)

    def run(self, w, p, n, corpus, verify):
        if w.kind == "wordcount":
            arguments = ["WordCount", "--variant", "lines"]
        elif w.kind == "nexmark":
            # NexmarkLocal has the queries with a pre-aggregation before the shuffle.
            arguments = ["NexmarkLocal" if w.flink_what else "Nexmark", "--q",
                         w.flink_what or w.what]
        else:
            arguments = ["Micro", "--w", w.what]
        if w.backend != "hashmap":
            arguments += ["--conf", f"state.backend.type={w.backend}"]
        arguments += ["--p", str(p), "--maxp", "128"]
        if w.kind == "wordcount":
            folder = corpus_folder(corpus, n)
            arguments += ["--input", folder, "--warm-input", corpus_folder(corpus, max(p, n // 4))]
            arguments += ["--n", "2", "--warm-n", "1"]
        else:
            arguments += ["--n", str(n)]
        if w.kind == "micro":
            arguments += ["--keys", str(w.keys)]
        # The fixed cost of a job in this JVM is subtracted; reading the corpus has no empty form.
        arguments += ["--verify", "--warmup", "0"] if verify else ["--warmup", "1"]
        if not verify and w.kind != "wordcount":
            arguments += ["--empty", "true"]
        large = w.keys > 1_000_000 and not verify
        lines, _, text = self.java(self.JVM_LARGE if large else self.JVM, arguments)
        if not lines:
            raise RunError(f"flink {' '.join(arguments)}: printed no result: {text[-500:]}")
        line = lines[-1]
        records = line["records_in"]
        return {"records": records,
                "cpu_ns_per_record": (line["cpu_ms"] - line["fixed_cpu_ms"]) * 1e6 / records,
                "records_per_s": line["rec_per_s"], "rss_peak_kb": line["rss_peak_kb"],
                # gen has no lines, only a number of events.
                "digest_count": line.get("out" if w.what == "gen" else "digest_count"),
                "digest": line.get("digest")}

    def latency(self, rate, timeout_ms, seconds, skip):
        lines, _, _ = self.java(self.JVM, [
            "Micro", "--w", "latency", "--p", "1", "--rates", str(rate), "--timeouts",
            str(timeout_ms), "--secs", str(seconds), "--skip", str(skip)])
        return lines[-1]

    def startup(self):
        """Milliseconds from the process's start to the first result, and the peak memory."""
        lines, _, _ = self.java(self.JVM_SMALL, ["First", "--t0", str(int(time.time() * 1000))])
        merged = {k: v for line in lines for k, v in line.items()}
        return merged["to_first_ms"], merged["rss_peak_kb"]


def corpus_folder(corpus, count):
    """A folder with hard links to the first files of the corpus."""
    folder = os.path.join(WORK, "corpus", f"{count}-files")
    os.makedirs(folder, exist_ok=True)
    for path in corpus[:count]:
        link = os.path.join(folder, os.path.basename(path))
        if not os.path.exists(link):
            os.link(path, link)
    return folder


def corpus_files(count):
    """The corpus, count times under different names (hard links); None when it cannot be made."""
    folder = os.path.join(WORK, "corpus")
    os.makedirs(folder, exist_ok=True)
    text = os.path.join(folder, "corpus.txt")
    if not os.path.exists(text):
        done = subprocess.run(["sh", os.path.join(ROOT, "tools", "make-corpus.sh"), folder],
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print("wordcount: left out, the corpus could not be made (it comes through apt)")
            return None
    names = []
    for i in range(count):
        name = os.path.join(folder, f"text-{i:02}.txt")
        if not os.path.exists(name):
            os.link(text, name)
        names.append(name)
    return names
