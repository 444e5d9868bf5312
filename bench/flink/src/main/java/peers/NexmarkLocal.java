package peers;

import java.time.Duration;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import peers.Gen.Event;

/**
 * q5l and q7l: the results of q5 and q7 with a hand-written local pre-aggregation before the
 * shuffle, as the SQL planner's two-phase aggregation does. The local operator keeps nothing across
 * a checkpoint: it flushes before the barrier.
 */
public final class NexmarkLocal {
    public static void main(String[] argv) throws Exception {
        Args a = new Args(argv);
        for (String q : a.s("q", "q5l").split(","))
            Harness.run(q, a, (env, x, n) -> {
                if (q.equals("q5l")) {
                    org.apache.flink.api.common.typeinfo
                        .TypeInformation<Tuple3<Long, Long, Long>> t3 =
                        Types.TUPLE(Types.LONG, Types.LONG, Types.LONG);
                    Out.sink(Nexmark.events(env, a, n, true)
                                 .transform("local", Types.TUPLE(Types.LONG, Types.LONG),
                                     new LocalCount(2000))
                                 .keyBy(t -> t.f0, Types.LONG)
                                 .window(SlidingEventTimeWindows.of(
                                     Duration.ofSeconds(10), Duration.ofSeconds(2)))
                                 .aggregate(new Sum(), new Nexmark.WinCount(), Types.LONG, t3)
                                 .windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(2)))
                                 .process(new Nexmark.HotItems())
                                 .returns(t3),
                        a, (t, l) -> {
                            l.l(t.f0).c().l(t.f1).c().l(t.f2);
                            return 1;
                        });
                } else {
                    Out.sink(Nexmark.events(env, a, n, true)
                                 .transform("local", Nexmark.T4, new LocalMax(10_000))
                                 .windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                                 .reduce(new Nexmark.MaxBid(), new Nexmark.WithEnd(),
                                     Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG,
                                         Types.LONG)),
                        a, (t, l) -> {
                            l.l(t.f0).c().l(t.f1).c().l(t.f2).c().l(t.f3).c().l(t.f4);
                            return 1;
                        });
                }
            });
    }

    static final class Sum implements AggregateFunction<Tuple2<Long, Long>, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }
        @Override
        public Long add(Tuple2<Long, Long> v, Long x) {
            return x + v.f1;
        }
        @Override
        public Long getResult(Long x) {
            return x;
        }
        @Override
        public Long merge(Long x, Long y) {
            return x + y;
        }
    }

    abstract static class Local<OUT, P> extends AbstractStreamOperator<OUT>
        implements OneInputStreamOperator<Event, OUT>, BoundedOneInput {
        final long size;
        transient TreeMap<Long, P> panes;
        transient P cur;
        transient long curPane;
        transient StreamRecord<OUT> rec;
        Local(long size) {
            this.size = size;
        }
        abstract P create();
        abstract void add(P p, Gen.Bid b);
        abstract void emit(P p, long maxTs);
        @Override
        public void open() throws Exception {
            super.open();
            panes = new TreeMap<>();
            curPane = -1;
        }
        @Override
        public void processElement(StreamRecord<Event> r) {
            Event e = r.getValue();
            if (e.type != 2)
                return;
            long p = e.bid.ts / size;
            if (p != curPane) {
                curPane = p;
                cur = panes.computeIfAbsent(p, k -> create());
            }
            add(cur, e.bid);
        }
        void flush(long wm) {
            while (!panes.isEmpty()) {
                long p = panes.firstKey(), max = (p + 1) * size - 1;
                if (max > wm)
                    break;
                emit(panes.pollFirstEntry().getValue(), max);
                if (p == curPane) {
                    curPane = -1;
                    cur = null;
                }
            }
        }
        @Override
        public void processWatermark(Watermark m) throws Exception {
            flush(m.getTimestamp());
            super.processWatermark(m);
        }
        @Override
        public void prepareSnapshotPreBarrier(long id) {
            flush(Long.MAX_VALUE);
        }
        @Override
        public void endInput() {
            flush(Long.MAX_VALUE);
        }
    }

    static final class LongCounts {
        long[] k = new long[1024], v = new long[1024];
        int n;
        void add(long key) {
            int m = k.length - 1, i = (int) ((key * 0x9E3779B97F4A7C15L) >>> 40) & m;
            while (k[i] != 0) {
                if (k[i] == key) {
                    v[i]++;
                    return;
                }
                i = (i + 1) & m;
            }
            k[i] = key;
            v[i] = 1;
            if (++n * 2 > k.length) {
                long[] ok = k, ov = v;
                k = new long[ok.length * 2];
                v = new long[k.length];
                m = k.length - 1;
                for (int j = 0; j < ok.length; j++)
                    if (ok[j] != 0) {
                        i = (int) ((ok[j] * 0x9E3779B97F4A7C15L) >>> 40) & m;
                        while (k[i] != 0) i = (i + 1) & m;
                        k[i] = ok[j];
                        v[i] = ov[j];
                    }
            }
        }
    }

    static final class LocalCount extends Local<Tuple2<Long, Long>, LongCounts> {
        LocalCount(long size) {
            super(size);
        }
        @Override
        LongCounts create() {
            return new LongCounts();
        }
        @Override
        void add(LongCounts p, Gen.Bid b) {
            p.add(b.auction);
        }
        @Override
        void emit(LongCounts p, long maxTs) {
            for (int i = 0; i < p.k.length; i++)
                if (p.k[i] != 0)
                    output.collect(new StreamRecord<>(Tuple2.of(p.k[i], p.v[i]), maxTs));
        }
    }

    static final class Best {
        boolean set;
        long auction, bidder, price, ts;
    }

    static final class LocalMax extends Local<Tuple4<Long, Long, Long, Long>, Best> {
        LocalMax(long size) {
            super(size);
        }
        @Override
        Best create() {
            return new Best();
        }
        @Override
        void add(Best x, Gen.Bid b) {
            if (x.set) {
                if (b.price < x.price)
                    return;
                if (b.price == x.price) {
                    if (b.ts > x.ts)
                        return;
                    if (b.ts == x.ts
                        && (b.auction > x.auction
                            || (b.auction == x.auction && b.bidder >= x.bidder)))
                        return;
                }
            }
            x.set = true;
            x.auction = b.auction;
            x.bidder = b.bidder;
            x.price = b.price;
            x.ts = b.ts;
        }
        @Override
        void emit(Best x, long maxTs) {
            output.collect(
                new StreamRecord<>(Tuple4.of(x.auction, x.bidder, x.price, x.ts), maxTs));
        }
    }
}
