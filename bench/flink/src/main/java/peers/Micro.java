package peers;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** --w chain10|exchange|counter|timers|broadcast|union|latency|checkpoint|recovery */
public final class Micro {
    static final class RecMaker implements GenSource.Maker<Rec> {
        final Rec r = new Rec();
        final long seed, keys, epm;
        final boolean stamp;
        RecMaker(long seed, long keys, long epm, boolean stamp) {
            this.seed = seed;
            this.keys = keys;
            this.epm = epm;
            this.stamp = stamp;
        }
        @Override
        public Rec make(long n) {
            r.a = n;
            r.k = Gen.hi(Digest.fin(seed + (n + 1) * Gen.G), keys);
            r.t = Gen.BASE + n / epm;
            r.p3 = stamp ? System.nanoTime() : n + 3;
            r.p4 = n + 4;
            r.p5 = n + 5;
            r.p6 = n + 6;
            r.p7 = n + 7;
            return r;
        }
        @Override
        public long ts(Rec r) {
            return r.t;
        }
    }

    static DataStream<Rec> recs(
        StreamExecutionEnvironment env, Args a, long n, WatermarkStrategy<Rec> wm, boolean stamp) {
        final long seed = a.l("seed", 42), keys = a.l("keys", 10_000), epm = a.l("epm", 10);
        return env.fromSource(new GenSource<>(()
                                                  -> new RecMaker(seed, keys, epm, stamp),
                                  TypeInformation.of(Rec.class), n, a.l("rate", 0)),
            wm, "recs");
    }

    public static void main(String[] argv) throws Exception {
        Args a = new Args(argv);
        String w = a.s("w", "chain10");
        switch (w) {
            case "latency":
                latency(a);
                return;
            case "checkpoint":
                checkpoint(a);
                return;
            case "recovery":
                recovery(a);
                return;
            default:
                Harness.run(w + (w.equals("counter") ? "-" + a.l("keys", 10_000) : ""), a,
                    (env, x, n) -> build(w, env, a, n));
        }
    }

    static void build(String w, StreamExecutionEnvironment env, Args a, long n) {
        WatermarkStrategy<Rec> none = WatermarkStrategy.noWatermarks();
        switch (w) {
            case "chain10": {
                DataStream<Rec> s = recs(env, a, n, none, false);
                for (int i = 0; i < 10; i++)
                    s = s.map(r -> {
                             r.p4 += r.k;
                             return r;
                         }).returns(Rec.class);
                Out.sink(s, a, (r, l) -> {
                    l.l(r.a).c().l(r.p4);
                    return 1;
                });
                break;
            }
            case "exchange":
                Out.sink(recs(env, a, n, none, false)
                             .keyBy(r -> r.k, Types.LONG)
                             .map(r -> r)
                             .returns(Rec.class),
                    a, (r, l) -> {
                        l.l(r.a).c().l(r.k);
                        return 1;
                    });
                break;
            case "counter":
                Out.sink(recs(env, a, n, none, false)
                             .map(r -> r.k)
                             .returns(Types.LONG)
                             .keyBy(k -> k, Types.LONG)
                             .process(new Count())
                             .returns(Types.TUPLE(Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1);
                        return 1;
                    });
                break;
            case "timers":
                Out.sink(recs(env, a, n, WatermarkStrategy.forMonotonousTimestamps(), false)
                             .map(r -> r.k)
                             .returns(Types.LONG)
                             .keyBy(k -> k, Types.LONG)
                             .process(new Timers())
                             .returns(Types.TUPLE(Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1);
                        return 1;
                    });
                break;
            case "broadcast": { // one source subtask, every consumer subtask gets every record
                DataStream<Rec> s = ((SingleOutputStreamOperator<Rec>) recs(env, a, n, none, false))
                                        .setParallelism(1);
                Out.sink(s.broadcast().map(r -> r).returns(Rec.class), a, (r, l) -> {
                    l.l(r.a).c().l(r.k);
                    return 1;
                });
                break;
            }
            case "union": {
                DataStream<Rec> s = recs(env, a, n / 2, none, false),
                                t = recs(env, a, n / 2, none, false);
                Out.sink(s.union(t).rebalance().map(r -> r).returns(Rec.class), a, (r, l) -> {
                    l.l(r.a).c().l(r.k);
                    return 1;
                });
                break;
            }
            default:
                throw new IllegalArgumentException(w);
        }
    }

    static final class Count extends KeyedProcessFunction<Long, Long, Tuple2<Long, Long>> {
        transient ValueState<Long> st;
        transient Tuple2<Long, Long> o;
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(new ValueStateDescriptor<>("n", Types.LONG));
            o = new Tuple2<>();
        }
        @Override
        public void processElement(Long k, Context c, Collector<Tuple2<Long, Long>> out)
            throws Exception {
            Long v = st.value();
            v = v == null ? 1L : v + 1;
            st.update(v);
            o.f0 = k;
            o.f1 = v;
            out.collect(o);
        }
    }

    static final class Timers extends KeyedProcessFunction<Long, Long, Tuple2<Long, Long>> {
        transient Tuple2<Long, Long> o;
        @Override
        public void open(OpenContext c) {
            o = new Tuple2<>();
        }
        @Override
        public void processElement(Long k, Context c, Collector<Tuple2<Long, Long>> out) {
            c.timerService().registerEventTimeTimer(c.timestamp() + 1000);
        }
        @Override
        public void onTimer(long ts, OnTimerContext c, Collector<Tuple2<Long, Long>> out) {
            o.f0 = c.getCurrentKey();
            o.f1 = ts;
            out.collect(o);
        }
    }

    // ------------------------------------------------------------ latency (embedded: the histogram
    // is static)
    static final int SUB = 64; // sub-buckets per power of two
    static final long[] HIST = new long[64 * SUB];

    static void hist(long ns) {
        int e = 63 - Long.numberOfLeadingZeros(Math.max(ns, 64));
        int i = e * SUB + (int) ((ns >>> (e - 6)) & 63);
        synchronized (HIST) {
            HIST[i]++;
        }
    }

    static double pct(double q) {
        long tot = 0;
        for (long h : HIST) tot += h;
        long want = (long) Math.ceil(tot * q), c = 0;
        for (int i = 0; i < HIST.length; i++) {
            c += HIST[i];
            if (c >= want && HIST[i] > 0) {
                int e = i / SUB;
                return ((1L << e) + ((long) (i % SUB) << (e - 6))) / 1e3;
            }
        }
        return -1;
    }

    static void latency(Args a) throws Exception {
        long secs = a.l("secs", 10), skip = a.l("skip", 3);
        for (String rate : a.s("rates", "10000,100000").split(","))
            for (String bt : a.s("timeouts", "100,10,0").split(",")) {
                a.m.put("buffer-timeout", bt);
                a.m.put("rate", rate);
                long r = Long.parseLong(rate), n = r * secs, from = r * skip;
                java.util.Arrays.fill(HIST, 0);
                StreamExecutionEnvironment env = Harness.env(a);
                DataStream<Rec> s = ((SingleOutputStreamOperator<Rec>) recs(
                                         env, a, n, WatermarkStrategy.noWatermarks(), true))
                                        .setParallelism(1);
                s.keyBy(x -> x.k, Types.LONG)
                    .map(x -> {
                        if (x.a >= from)
                            hist(System.nanoTime() - x.p3);
                        return x;
                    })
                    .returns(Rec.class)
                    .sinkTo(new DiscardingSink<>());
                long t0 = System.nanoTime();
                env.execute("latency");
                System.out.printf(
                    "{\"system\":\"flink-2.2.0\",\"workload\":\"latency\",\"p\":%d,\"rate\":%s,\"buffer_timeout_ms\":%s,\"p50_us\":%.0f,\"p99_us\":%.0f,\"p999_us\":%.0f,\"max_us\":%.0f,\"wall_ms\":%.0f}%n",
                    a.i("p", 1), rate, bt, pct(.5), pct(.99), pct(.999), pct(1),
                    (System.nanoTime() - t0) / 1e6);
            }
    }

    // ------------------------------------------------------------ checkpoint
    static final AtomicLong SEEN = new AtomicLong();

    static final class BigState extends KeyedProcessFunction<Long, Long, Long> {
        final int size;
        transient ValueState<byte[]> st;
        long local;
        BigState(int size) {
            this.size = size;
        }
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(new ValueStateDescriptor<>(
                "v", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        }
        @Override
        public void processElement(Long k, Context c, Collector<Long> out) throws Exception {
            byte[] b = st.value();
            if (b == null) {
                b = new byte[size];
                for (int i = 0; i < size; i += 8) {
                    long x = Digest.fin(k + i * Gen.G);
                    for (int j = 0; j < 8 && i + j < size; j++) b[i + j] = (byte) (x >>> (8 * j));
                }
            }
            b[0]++;
            st.update(b);
            if ((++local & 255) == 0)
                SEEN.addAndGet(256);
        }
    }

    /** --keys K --value-size B --interval MS (0: none) --secs S; fills all keys, then measures. */
    static void checkpoint(Args a) throws Exception {
        long keys = a.l("keys", 100_000), secs = a.l("secs", 15);
        String dir = a.s("dir", System.getProperty("java.io.tmpdir") + "/peers-cp");
        String backend = a.s("backend", "hashmap");
        long interval = a.l("interval", 0);
        int port = a.i("rest-port", 18099);
        String c = "rest.port=" + port + ";rest.bind-port=" + port
            + ";rest.address=127.0.0.1;state.backend.type=" + backend
            + ";execution.checkpointing.dir=file://" + dir;
        if (interval > 0)
            c += ";execution.checkpointing.interval=" + interval
                + " ms;execution.checkpointing.timeout=10 min";
        if (a.b("incremental"))
            c += ";execution.checkpointing.incremental=true";
        a.m.put("conf", c + (a.s("conf", "").isEmpty() ? "" : ";" + a.s("conf", "")));
        StreamExecutionEnvironment env = Harness.env(a);
        final long seed = a.l("seed", 42);
        DataStream<Long> s = env.fromSource(new GenSource<Long>(() -> new GenSource.Maker<Long>() {
            @Override
            public Long make(long n) {
                return n < keys ? n : Gen.hi(Digest.fin(seed + (n + 1) * Gen.G), keys);
            }
            @Override
            public long ts(Long k) {
                return 0;
            }
        }, Types.LONG, Long.MAX_VALUE / 4, 0), WatermarkStrategy.noWatermarks(), "keys");
        s.keyBy(k -> k, Types.LONG)
            .process(new BigState(a.i("value-size", 1000)))
            .returns(Types.LONG)
            .sinkTo(new DiscardingSink<>());
        JobClient jc = env.executeAsync("checkpoint");
        while (SEEN.get() < keys) Thread.sleep(100);
        Thread.sleep(a.l("settle", 5000));
        HttpClient h = HttpClient.newHttpClient();
        String url = "http://127.0.0.1:" + port + "/jobs/" + jc.getJobID() + "/checkpoints";
        long s0 = SEEN.get(), t0 = System.nanoTime();
        Thread.sleep(secs * 1000);
        double rate = (SEEN.get() - s0) / ((System.nanoTime() - t0) / 1e9);
        String durs = "";
        if (interval > 0) {
            String body = h.send(HttpRequest.newBuilder(URI.create(url)).build(),
                               HttpResponse.BodyHandlers.ofString())
                              .body();
            java.util.regex.Matcher m =
                java.util.regex.Pattern
                    .compile(
                        "\"status\":\"COMPLETED\"[^{}]*?\"state_size\":(\\d+),\"end_to_end_duration\":(\\d+)")
                    .matcher(body);
            java.util.regex.Matcher m2 =
                java.util.regex.Pattern
                    .compile(
                        "\"checkpointed_size\":(\\d+),\"state_size\":(\\d+),\"end_to_end_duration\":(\\d+)")
                    .matcher(body);
            StringBuilder sb = new StringBuilder();
            while (m2.find())
                sb.append(sb.length() > 0 ? "," : "")
                    .append("[")
                    .append(m2.group(1))
                    .append(",")
                    .append(m2.group(2))
                    .append(",")
                    .append(m2.group(3))
                    .append("]");
            durs = sb.toString();
        }
        System.out.printf(
            "{\"system\":\"flink-2.2.0\",\"workload\":\"checkpoint\",\"backend\":\"%s\",\"incremental\":%s,\"p\":%d,\"keys\":%d,\"value_size\":%d,\"interval_ms\":%d,\"rec_per_s\":%.0f,\"ckpt_size_state_ms\":[%s],\"rss_peak_kb\":%d}%n",
            backend, a.b("incremental"), a.i("p", 1), keys, a.i("value-size", 1000), interval, rate,
            durs, Harness.rssPeakKb());
        jc.cancel();
        Thread.sleep(500);
        System.exit(0);
    }

    // ------------------------------------------------------------ recovery (embedded)
    static volatile long thrownAt;
    static volatile long firstAfter;

    static void recovery(Args a) throws Exception {
        String dir = a.s("dir", System.getProperty("java.io.tmpdir") + "/peers-cp");
        a.m.put("conf",
            "restart-strategy.type=fixed-delay;restart-strategy.fixed-delay.attempts=100;restart-strategy.fixed-delay.delay=0 ms;execution.checkpointing.interval=500 ms;execution.checkpointing.dir=file://"
                + dir);
        a.m.putIfAbsent("rate", "100000");
        int times = a.i("times", 7);
        long n = a.l("n", 100_000L * (2 + times * 2));
        StreamExecutionEnvironment env = Harness.env(a);
        final double[] ms = new double[times];
        DataStream<Rec> s = recs(env, a, n, WatermarkStrategy.noWatermarks(), true);
        s.keyBy(r -> r.k, Types.LONG)
            .process(new Boom())
            .returns(Rec.class)
            .sinkTo(new DiscardingSink<>());
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(4000);
                for (int i = 0; i < times; i++) {
                    firstAfter = 0;
                    ARM.set(true);
                    while (firstAfter == 0) Thread.sleep(1);
                    ms[i] = (firstAfter - thrownAt) / 1e6;
                    Thread.sleep(1500);
                }
                java.util.Arrays.sort(ms);
                System.out.printf(
                    "{\"system\":\"flink-2.2.0\",\"workload\":\"recovery\",\"p\":%d,\"times\":%d,\"min_ms\":%.1f,\"median_ms\":%.1f,\"max_ms\":%.1f}%n",
                    a.i("p", 1), times, ms[0], ms[times / 2], ms[times - 1]);
                System.exit(0);
            } catch (InterruptedException e) { /* done */
            }
        });
        t.setDaemon(true);
        t.start();
        env.execute("recovery");
    }

    static final java.util.concurrent.atomic.AtomicBoolean ARM =
        new java.util.concurrent.atomic.AtomicBoolean();

    static final class Boom extends KeyedProcessFunction<Long, Rec, Rec> {
        transient ValueState<Long> st;
        transient long openedAt;
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(new ValueStateDescriptor<>("n", Types.LONG));
            openedAt = System.nanoTime();
        }
        @Override
        public void processElement(Rec r, Context c, Collector<Rec> out) throws Exception {
            if (ARM.get() && ARM.compareAndSet(true, false)) {
                thrownAt = System.nanoTime();
                firstAfter = 0;
                throw new RuntimeException("boom");
            }
            Long v = st.value();
            st.update(v == null ? 1L : v + 1);
            if (thrownAt != 0 && openedAt > thrownAt && firstAfter == 0 && r.p3 > thrownAt)
                firstAfter = System.nanoTime();
            out.collect(r);
        }
    }
}
