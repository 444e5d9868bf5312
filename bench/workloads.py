"""The workloads of the comparison: names, parallelisms, sizes, goals, known digests."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Workload:
    name: str
    kind: str            # wordcount, micro, nexmark, sliding, latency or startup
    what: str            # the program's --w or --q
    parallelisms: tuple
    records: int         # of a timed run of Rask and the limit, at scale 1
    flink_records: int   # of a timed run of Flink; 0: Flink does not take part
    keys: int = 10_000
    limit_goal: float = 0.0   # CPU per record at most this many times the limit's
    flink_goal: float = 0.0   # CPU per record at least this many times less than Flink's
    net_goal: float = 0.0     # the same with the generator's CPU (gen) taken out on both sides
    flink_what: str = ""      # Flink's best variant, where it is another one
    backend: str = "hashmap"
    known: dict = field(default_factory=dict)  # parallelism (0: any) -> (count, digest), n = 1,000,000


NEXMARK_NET_GOAL = 5            # each query, against Flink's best variant
NEXMARK_MEAN_GOAL = 10          # their geometric mean
ROCKSDB_FLINK_GOAL = 3
SLIDING_RATIOS = (2, 10, 100, 1000)  # size / slide
SLIDING_GOAL = 1.5              # cost per record at any of them against that at the first
NEXMARK_MEMORY_GOAL = 4         # Flink's peak memory, divided by this


def _any(count, digest):
    return {0: (count, digest)}


def _nexmark(query, records, flink_records, known, **goals):
    """A query of examples/nexmark at parallelism 1."""
    return Workload(query, "nexmark", query, (1,), records, flink_records, known=_any(*known),
                    **{"net_goal": NEXMARK_NET_GOAL, **goals})


_EXCHANGE = (1_000_000, "2855bd574cf07096")

WORKLOADS = [
    Workload("wordcount", "wordcount", "wordcount", (1, 2), 8, 8, limit_goal=1.25, flink_goal=6),
    Workload("counter-10000", "micro", "counter", (1, 2), 40_000_000, 15_000_000,
             limit_goal=1.5, flink_goal=15, known=_any(1_000_000, "8da05dc86b2fb9f3")),
    Workload("counter-1000000", "micro", "counter", (1,), 20_000_000, 6_000_000, keys=1_000_000,
             limit_goal=1.5, flink_goal=15),
    Workload("counter-10000000", "micro", "counter", (1,), 20_000_000, 10_000_000, keys=10_000_000,
             limit_goal=1.4, flink_goal=6),
    Workload("exchange", "micro", "exchange", (1, 2), 40_000_000, 20_000_000,
             limit_goal=2, flink_goal=10, known=_any(*_EXCHANGE)),
    Workload("gen", "nexmark", "gen", (1,), 40_000_000, 40_000_000, limit_goal=1.2,
             known=_any(1_000_000, "0" * 16)),
    _nexmark("q0", 40_000_000, 30_000_000, (920_000, "190b198ce1549e23"), limit_goal=1.2),
    _nexmark("q1", 40_000_000, 30_000_000, (920_000, "ba03cc308643c4f1"), limit_goal=1.2),
    _nexmark("q2", 40_000_000, 40_000_000, (6778, "ded8c0c87c63b137"), limit_goal=1.2),
    _nexmark("q3", 30_000_000, 15_000_000, (6151, "e0ce6e60b5c876dd"), limit_goal=2),
    _nexmark("q4", 15_000_000, 4_000_000, (5, "ae71fedfc3e6f3b2"), limit_goal=2),
    _nexmark("q5", 15_000_000, 6_000_000, (57, "3f647e4258640cf6"), limit_goal=1.5,
             flink_what="q5l"),
    _nexmark("q7", 30_000_000, 30_000_000, (11, "01f4f636b7f2b3d4"), limit_goal=1.5,
             flink_what="q7l"),
    _nexmark("q8", 30_000_000, 15_000_000, (8416, "86e7e04221cd62f9"), limit_goal=2),
    _nexmark("q9", 15_000_000, 4_000_000, (57_507, "f4211c8298fb3c2f"), limit_goal=2),
    _nexmark("q11", 15_000_000, 4_000_000, (19_925, "126d29aa0cca328a"), limit_goal=2),
    _nexmark("q15", 15_000_000, 6_000_000, (2, "aa6f5e186c4ec8ea"), limit_goal=2),
    _nexmark("q16", 10_000_000, 4_000_000, (11_098, "b2fc50311999774c"), limit_goal=2),
    _nexmark("q17", 15_000_000, 6_000_000, (60_183, "504b1fb0d00c4d37"), limit_goal=2),
    _nexmark("q18", 10_000_000, 6_000_000, (293_420, "531c22b6c315531f"), limit_goal=1.3,
             flink_goal=4),
    _nexmark("q19", 10_000_000, 8_000_000, (441_649, "5e198e51800a6c85"), limit_goal=2),
    _nexmark("q20", 10_000_000, 6_000_000, (186_531, "8c06ba228023f38c"), limit_goal=2),
    _nexmark("q22", 30_000_000, 20_000_000, (920_000, "0c4465e2cf6ad7c2"), limit_goal=2),
    Workload("chain10", "micro", "chain10", (1,), 60_000_000, 40_000_000,
             limit_goal=1.3, flink_goal=6, known=_any(1_000_000, "8029df893dd293e3")),
    # Every consumer gets every record: two consumers, twice the lines.
    Workload("broadcast", "micro", "broadcast", (2,), 20_000_000, 10_000_000,
             limit_goal=2, flink_goal=8, known={2: (2_000_000, "50ab7aae99e0e12c")}),
    Workload("union", "micro", "union", (2,), 20_000_000, 10_000_000,
             limit_goal=2, flink_goal=8, known=_any(1_000_000, "5093c0d9527ca474")),
    Workload("timers", "micro", "timers", (1,), 10_000_000, 6_000_000,
             flink_goal=12, known=_any(999_536, "5f1fad3f01a6e0b9")),
    # State in RocksDB on both sides.
    Workload("counter-10M-rocksdb", "micro", "counter", (1,), 3_000_000, 2_000_000,
             keys=10_000_000, flink_goal=ROCKSDB_FLINK_GOAL, backend="rocksdb"),
    *(Workload(f"{query}-rocksdb", "nexmark", query, (1,), 3_000_000, 2_000_000,
               flink_goal=ROCKSDB_FLINK_GOAL, backend="rocksdb", known=_any(*known))
      for query, known in (("q4", (5, "ae71fedfc3e6f3b2")), ("q9", (57_507, "f4211c8298fb3c2f")),
                           ("q20", (186_531, "8c06ba228023f38c")))),
    Workload("sliding", "sliding", "sliding", (1,), 4_000_000, 0),
    Workload("latency", "latency", "latency", (1,), 0, 0),
    Workload("startup", "startup", "startup", (1,), 0, 0),
    Workload("plan", "plan", "plan", (1,), 0, 0),
]
BY_NAME = {w.name: w for w in WORKLOADS}

VERIFY_RECORDS = 1_000_000
RATES = (10_000, 100_000)       # records per second, of latency
BUFFER_TIMEOUTS_MS = (0, 10, 100)
LATENCY_P99_GOAL = 3            # Flink's p99 divided by this
FIRST_RESULT_GOAL_MS = 10
PLAN_FLINK_GOAL = 50            # Flink's time after warm-up, divided by this
PLAN_GROWTH_GOAL = 3            # time per operator at the largest size against that at 10,000
EXECUTION_GRAPH_GOAL_MS = 10    # two vertices, parallelism 10,000, all to all, with regions
EXECUTION_GRAPH_GOAL_KB = 32 * 1024
DEPLOYMENT_GOAL_MS = 20         # of its 20,000 tasks
TINY_RSS_GOAL_KB = 16 * 1024
WORDCOUNT_RSS_GOAL_KB = 64 * 1024
