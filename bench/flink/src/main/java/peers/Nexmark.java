package peers;

import java.time.Duration;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.api.common.state.*;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.AllWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.*;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import peers.Gen.*;

/** The queries of QUERIES.md. */
public final class Nexmark {
    static final long DAY = 100_000L;
    static final TypeInformation<Tuple4<Long, Long, Long, Long>> T4 =
        Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG);

    static final class EvMaker implements GenSource.Maker<Event> {
        final Gen g;
        final Event e = new Event();
        EvMaker(Gen g) {
            this.g = g;
        }
        @Override
        public Event make(long n) {
            g.fill(n, e);
            return e;
        }
        @Override
        public long ts(Event e) {
            return e.ts;
        }
    }

    static DataStream<Event> events(StreamExecutionEnvironment env, Args a, long n, boolean wm) {
        final long seed = a.l("seed", 42), epm = a.l("epm", 10), ooo = a.l("ooo", 500);
        GenSource<Event> src = new GenSource<>(()
                                                   -> new EvMaker(new Gen(seed, epm, ooo)),
            TypeInformation.of(Event.class), n, a.l("rate", 0));
        WatermarkStrategy<Event> w = wm
            ? WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(ooo))
            : WatermarkStrategy.noWatermarks();
        return env.fromSource(src, w, "events");
    }

    /** Bids projected to (auction, bidder, price, ts), the narrow record that is shuffled. */
    static SingleOutputStreamOperator<Tuple4<Long, Long, Long, Long>> bids(DataStream<Event> e) {
        return e
            .flatMap((Event v, Collector<Tuple4<Long, Long, Long, Long>> o) -> {
                if (v.type == 2) {
                    Bid b = v.bid;
                    o.collect(Tuple4.of(b.auction, b.bidder, b.price, b.ts));
                }
            })
            .returns(T4);
    }

    public static void main(String[] argv) throws Exception {
        Args a = new Args(argv);
        for (String q : a.s("q", "q0").split(","))
            Harness.run(q, a, (env, x, n) -> build(q, env, a, n));
    }

    static int rank(long price) {
        return price < 10_000 ? 1 : price < 1_000_000 ? 2 : 4;
    }

    static void build(String q, StreamExecutionEnvironment env, Args a, long n) {
        boolean wm =
            !java.util.Set.of("gen", "q0", "q1", "q2", "q22", "q3", "q18", "q19", "q20", "q12")
                 .contains(q);
        DataStream<Event> ev = events(env, a, n, wm);
        switch (q) {
            case "gen": // the generator alone
                Out.sink(ev, a, (e, l) -> 0);
                break;
            case "q0":
                Out.sink(
                    ev.filter(e -> e.type == 2).map(e -> e.bid).returns(Bid.class), a, (b, l) -> {
                        l.l(b.auction).c().l(b.bidder).c().l(b.price).c().l(b.ts).c().s(b.extra);
                        return 1;
                    });
                break;
            case "q1":
                Out.sink(ev.filter(e -> e.type == 2)
                             .map(e -> e.bid)
                             .returns(Bid.class)
                             .map(b -> {
                                 b.price = b.price * 908 / 1000;
                                 return b;
                             })
                             .returns(Bid.class),
                    a, (b, l) -> {
                        l.l(b.auction).c().l(b.bidder).c().l(b.price).c().l(b.ts).c().s(b.extra);
                        return 1;
                    });
                break;
            case "q2":
                Out.sink(ev.filter(e -> e.type == 2 && e.bid.auction % 123 == 0)
                             .map(e -> Tuple2.of(e.bid.auction, e.bid.price))
                             .returns(Types.TUPLE(Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1);
                        return 1;
                    });
                break;
            case "q22":
                Out.sink(ev.filter(e -> e.type == 2)
                             .map(new Split())
                             .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.STRING,
                                 Types.STRING, Types.STRING, Types.STRING)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().l(t.f2).c().s(t.f3).c().s(t.f4).c().s(t.f5).c().s(
                            t.f6);
                        return 1;
                    });
                break;
            case "q3": {
                DataStream<Tuple4<Long, String, String, String>> p =
                    ev.flatMap((Event e, Collector<Tuple4<Long, String, String, String>> o) -> {
                          if (e.type == 0) {
                              Person v = e.person;
                              if (v.state.equals("OR") || v.state.equals("ID")
                                  || v.state.equals("CA"))
                                  o.collect(Tuple4.of(v.id, v.name, v.city, v.state));
                          }
                      }).returns(Types.TUPLE(Types.LONG, Types.STRING, Types.STRING, Types.STRING));
                DataStream<Tuple2<Long, Long>> au =
                    ev.flatMap((Event e, Collector<Tuple2<Long, Long>> o) -> {
                          if (e.type == 1 && e.auction.category == 10)
                              o.collect(Tuple2.of(e.auction.seller, e.auction.id));
                      }).returns(Types.TUPLE(Types.LONG, Types.LONG));
                Out.sink(
                    p.keyBy(t -> t.f0, Types.LONG)
                        .connect(au.keyBy(t -> t.f0, Types.LONG))
                        .process(new Q3())
                        .returns(Types.TUPLE(Types.STRING, Types.STRING, Types.STRING, Types.LONG)),
                    a, (t, l) -> {
                        l.s(t.f0).c().s(t.f1).c().s(t.f2).c().l(t.f3);
                        return 1;
                    });
                break;
            }
            case "q4":
                Out.sink(winning(ev)
                             .keyBy(t -> t.f5, Types.LONG)
                             .process(new AvgByCategory())
                             .returns(Types.TUPLE(Types.INT, Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f1).c().l(t.f2);
                        return t.f0;
                    });
                break;
            case "q9":
                Out.sink(winning(ev), a, (t, l) -> {
                    l.l(t.f0).c().l(t.f1).c().l(t.f2).c().l(t.f3).c().l(t.f4).c().l(t.f5).c().l(
                        t.f6);
                    return 1;
                });
                break;
            case "q5": // the usual form: one sliding window
            case "q5t": { // tuned: 2 s panes first, then slide over pane counts
                DataStream<Long> au = ev.flatMap((Event e, Collector<Long> o) -> {
                                            if (e.type == 2)
                                                o.collect(e.bid.auction);
                                        }).returns(Types.LONG);
                DataStream<Tuple3<Long, Long, Long>> counts;
                TypeInformation<Tuple3<Long, Long, Long>> t3 =
                    Types.TUPLE(Types.LONG, Types.LONG, Types.LONG);
                if (q.equals("q5"))
                    counts = au.keyBy(k -> k, Types.LONG)
                                 .window(SlidingEventTimeWindows.of(
                                     Duration.ofSeconds(10), Duration.ofSeconds(2)))
                                 .aggregate(new CountAgg<>(), new WinCount(), Types.LONG, t3);
                else
                    counts = au.keyBy(k -> k, Types.LONG)
                                 .window(TumblingEventTimeWindows.of(Duration.ofSeconds(2)))
                                 .aggregate(new CountAgg<>(), new WinCount(), Types.LONG, t3)
                                 .keyBy(t -> t.f1, Types.LONG)
                                 .window(SlidingEventTimeWindows.of(
                                     Duration.ofSeconds(10), Duration.ofSeconds(2)))
                                 .aggregate(new SumPanes(), new WinCount(), Types.LONG, t3);
                Out.sink(counts.windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(2)))
                             .process(new HotItems())
                             .returns(t3),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().l(t.f2);
                        return 1;
                    });
                break;
            }
            case "q7": {
                SingleOutputStreamOperator<Tuple4<Long, Long, Long, Long>> local =
                    bids(ev)
                        .keyBy(t -> (int) (t.f3 & 63), Types.INT)
                        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                        .reduce(new MaxBid());
                Out.sink(local.windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                             .reduce(new MaxBid(), new WithEnd(),
                                 Types.TUPLE(
                                     Types.LONG, Types.LONG, Types.LONG, Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().l(t.f2).c().l(t.f3).c().l(t.f4);
                        return 1;
                    });
                break;
            }
            case "q8": {
                DataStream<Tuple2<Long, String>> p =
                    ev.flatMap((Event e, Collector<Tuple2<Long, String>> o) -> {
                          if (e.type == 0)
                              o.collect(Tuple2.of(e.person.id, e.person.name));
                      }).returns(Types.TUPLE(Types.LONG, Types.STRING));
                DataStream<Long> s = ev.flatMap((Event e, Collector<Long> o) -> {
                                           if (e.type == 1)
                                               o.collect(e.auction.seller);
                                       }).returns(Types.LONG);
                // a window join that needs to know only whether a partner exists: union, then
                // aggregate incrementally
                DataStream<Tuple2<Long, String>> u = p.union(
                    s.map(x -> Tuple2.of(x, "")).returns(Types.TUPLE(Types.LONG, Types.STRING)));
                Out.sink(u.keyBy(t -> t.f0, Types.LONG)
                             .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                             .aggregate(new NewUser(), new NewUserOut(),
                                 Types.TUPLE(Types.STRING, Types.BOOLEAN),
                                 Types.TUPLE(Types.LONG, Types.LONG, Types.STRING)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().s(t.f2);
                        return 1;
                    });
                break;
            }
            case "q11": {
                DataStream<Long> b = ev.flatMap((Event e, Collector<Long> o) -> {
                                           if (e.type == 2)
                                               o.collect(e.bid.bidder);
                                       }).returns(Types.LONG);
                Out.sink(b.keyBy(k -> k, Types.LONG)
                             .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(10)))
                             .aggregate(new CountAgg<>(), new SessionOut(), Types.LONG, T4),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().l(t.f2).c().l(t.f3);
                        return 1;
                    });
                break;
            }
            case "q12": {
                DataStream<Long> b = ev.flatMap((Event e, Collector<Long> o) -> {
                                           if (e.type == 2)
                                               o.collect(e.bid.bidder);
                                       }).returns(Types.LONG);
                Out.sink(b.keyBy(k -> k, Types.LONG)
                             .window(TumblingProcessingTimeWindows.of(
                                 Duration.ofSeconds(a.l("q12-size", 10))))
                             .aggregate(new CountAgg<>(), new SessionOut(), Types.LONG, T4),
                    a, (t, l) -> 0);
                break;
            }
            case "q15": {
                SingleOutputStreamOperator<Stats> local =
                    bids(ev)
                        .keyBy(t -> (int) (t.f3 & 15), Types.INT)
                        .window(TumblingEventTimeWindows.of(Duration.ofMillis(DAY)))
                        .aggregate(new StatsAgg(), TypeInformation.of(Stats.class),
                            TypeInformation.of(Stats.class));
                Out.sink(local.windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(DAY)))
                             .aggregate(new StatsMerge(), new StatsDay(),
                                 TypeInformation.of(Stats.class), TypeInformation.of(Stats.class)),
                    a, (s, l) -> {
                        l.l(s.day);
                        s.line(l);
                        return 1;
                    });
                break;
            }
            case "q16": {
                DataStream<Tuple4<String, Long, Long, Long>> b =
                    ev.flatMap((Event e, Collector<Tuple4<String, Long, Long, Long>> o) -> {
                          if (e.type == 2) {
                              Bid v = e.bid;
                              o.collect(Tuple4.of(v.channel, v.bidder, v.price, v.auction));
                          }
                      }).returns(Types.TUPLE(Types.STRING, Types.LONG, Types.LONG, Types.LONG));
                Out.sink(b.keyBy(t -> t.f0, Types.STRING)
                             .window(TumblingEventTimeWindows.of(Duration.ofMillis(DAY)))
                             .aggregate(new ChanAgg(), new ChanOut(),
                                 TypeInformation.of(Stats.class), TypeInformation.of(Stats.class)),
                    a, (s, l) -> {
                        l.s(s.channel).c().l(s.day);
                        s.line(l);
                        return 1;
                    });
                break;
            }
            case "q17": {
                SingleOutputStreamOperator<Tuple2<Long, Long>> b =
                    ev.flatMap((Event e, Collector<Tuple2<Long, Long>> o) -> {
                          if (e.type == 2)
                              o.collect(Tuple2.of(e.bid.auction, e.bid.price));
                      }).returns(Types.TUPLE(Types.LONG, Types.LONG));
                Out.sink(
                    b.keyBy(t -> t.f0, Types.LONG)
                        .window(TumblingEventTimeWindows.of(Duration.ofMillis(DAY)))
                        .aggregate(new AucAgg(), new AucOut(), TypeInformation.of(AucStats.class),
                            TypeInformation.of(AucStats.class)),
                    a, (s, l) -> {
                        l.l(s.auction)
                            .c()
                            .l(s.day)
                            .c()
                            .l(s.total)
                            .c()
                            .l(s.r1)
                            .c()
                            .l(s.r2)
                            .c()
                            .l(s.r3)
                            .c()
                            .l(s.min)
                            .c()
                            .l(s.max)
                            .c()
                            .l(s.sum / s.total)
                            .c()
                            .l(s.sum);
                        return 1;
                    });
                break;
            }
            case "q18":
                Out.sink(bids(ev)
                             .keyBy(t -> Tuple2.of(t.f1, t.f0), Types.TUPLE(Types.LONG, Types.LONG))
                             .process(new LastBid())
                             .returns(Types.TUPLE(
                                 Types.INT, Types.LONG, Types.LONG, Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f1).c().l(t.f2).c().l(t.f3).c().l(t.f4);
                        return t.f0;
                    });
                break;
            case "q19":
                Out.sink(bids(ev)
                             .keyBy(t -> t.f0, Types.LONG)
                             .process(new Top10())
                             .returns(Types.TUPLE(
                                 Types.INT, Types.LONG, Types.LONG, Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f1).c().l(t.f2).c().l(t.f3).c().l(t.f4);
                        return t.f0;
                    });
                break;
            case "q20": {
                DataStream<Tuple4<Long, Long, Long, String>> au =
                    ev.flatMap((Event e, Collector<Tuple4<Long, Long, Long, String>> o) -> {
                          if (e.type == 1)
                              o.collect(
                                  Tuple4.of(e.auction.id, e.auction.category, e.auction.seller,
                                      e.auction.category == 10 ? e.auction.itemName : ""));
                      }).returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.STRING));
                Out.sink(bids(ev)
                             .keyBy(t -> t.f0, Types.LONG)
                             .connect(au.keyBy(t -> t.f0, Types.LONG))
                             .process(new Q20())
                             .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG,
                                 Types.STRING, Types.LONG, Types.LONG)),
                    a, (t, l) -> {
                        l.l(t.f0).c().l(t.f1).c().l(t.f2).c().l(t.f3).c().s(t.f4).c().l(t.f5).c().l(
                            t.f6);
                        return 1;
                    });
                break;
            }
            default:
                throw new IllegalArgumentException(q);
        }
    }

    // ---------------------------------------------------------------- functions

    static final class Split
        implements MapFunction<Event, Tuple7<Long, Long, Long, String, String, String, String>> {
        @Override
        public Tuple7<Long, Long, Long, String, String, String, String> map(Event e) {
            Bid b = e.bid;
            String u = b.url;
            int i0 = u.indexOf('/'), i1 = u.indexOf('/', i0 + 1), i2 = u.indexOf('/', i1 + 1),
                i3 = u.indexOf('/', i2 + 1), i4 = u.indexOf('/', i3 + 1),
                i5 = u.indexOf('/', i4 + 1);
            return Tuple7.of(b.auction, b.bidder, b.price, b.channel, u.substring(i2 + 1, i3),
                u.substring(i3 + 1, i4), u.substring(i4 + 1, i5));
        }
    }

    static final class Q3 extends KeyedCoProcessFunction<Long, Tuple4<Long, String, String, String>,
        Tuple2<Long, Long>, Tuple4<String, String, String, Long>> {
        transient ValueState<Tuple3<String, String, String>> person;
        transient ListState<Long> waiting;
        @Override
        public void open(OpenContext c) {
            person = getRuntimeContext().getState(new ValueStateDescriptor<>(
                "p", Types.TUPLE(Types.STRING, Types.STRING, Types.STRING)));
            waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("w", Types.LONG));
        }
        @Override
        public void processElement1(Tuple4<Long, String, String, String> p, Context c,
            Collector<Tuple4<String, String, String, Long>> o) throws Exception {
            person.update(Tuple3.of(p.f1, p.f2, p.f3));
            Iterable<Long> it = waiting.get();
            if (it != null) {
                for (Long x : it) o.collect(Tuple4.of(p.f1, p.f2, p.f3, x));
                waiting.clear();
            }
        }
        @Override
        public void processElement2(Tuple2<Long, Long> t, Context c,
            Collector<Tuple4<String, String, String, Long>> o) throws Exception {
            Tuple3<String, String, String> p = person.value();
            if (p != null)
                o.collect(Tuple4.of(p.f0, p.f1, p.f2, t.f1));
            else
                waiting.add(t.f1);
        }
    }

    /**
     * (auction, bidder, price, bid ts, expires, category, seller) of each closed auction that has
     * a valid bid.
     */
    static SingleOutputStreamOperator<Tuple7<Long, Long, Long, Long, Long, Long, Long>> winning(
        DataStream<Event> ev) {
        DataStream<Tuple5<Long, Long, Long, Long, Long>> au =
            ev.flatMap((Event e, Collector<Tuple5<Long, Long, Long, Long, Long>> o) -> {
                  if (e.type == 1) {
                      Auction v = e.auction;
                      o.collect(Tuple5.of(v.id, v.ts, v.expires, v.category, v.seller));
                  }
              }).returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG, Types.LONG));
        return au.keyBy(t -> t.f0, Types.LONG)
            .connect(bids(ev).keyBy(t -> t.f0, Types.LONG))
            .process(new Winning())
            .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG, Types.LONG,
                Types.LONG, Types.LONG));
    }

    static final class Winning
        extends KeyedCoProcessFunction<Long, Tuple5<Long, Long, Long, Long, Long>,
            Tuple4<Long, Long, Long, Long>, Tuple7<Long, Long, Long, Long, Long, Long, Long>> {
        transient ValueState<Tuple5<Long, Long, Long, Long, Long>> auction;
        transient ValueState<Tuple4<Long, Long, Long, Long>> best;
        transient ListState<Tuple4<Long, Long, Long, Long>> early;
        @Override
        public void open(OpenContext c) {
            auction = getRuntimeContext().getState(new ValueStateDescriptor<>(
                "a", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.LONG, Types.LONG)));
            best = getRuntimeContext().getState(new ValueStateDescriptor<>("b", T4));
            early = getRuntimeContext().getListState(new ListStateDescriptor<>("e", T4));
        }
        static boolean better(Tuple4<Long, Long, Long, Long> x, Tuple4<Long, Long, Long, Long> y) {
            return TopN.better(x.f2, x.f3, x.f1, y.f2, y.f3, y.f1);
        }
        private void offer(Tuple5<Long, Long, Long, Long, Long> a, Tuple4<Long, Long, Long, Long> b)
            throws Exception {
            if (b.f3 < a.f1 || b.f3 > a.f2)
                return;
            Tuple4<Long, Long, Long, Long> cur = best.value();
            if (cur == null || better(b, cur))
                best.update(b);
        }
        @Override
        public void processElement1(Tuple5<Long, Long, Long, Long, Long> a, Context c,
            Collector<Tuple7<Long, Long, Long, Long, Long, Long, Long>> o) throws Exception {
            auction.update(a);
            Iterable<Tuple4<Long, Long, Long, Long>> it = early.get();
            if (it != null) {
                for (Tuple4<Long, Long, Long, Long> b : it) offer(a, b);
                early.clear();
            }
            c.timerService().registerEventTimeTimer(a.f2);
        }
        @Override
        public void processElement2(Tuple4<Long, Long, Long, Long> b, Context c,
            Collector<Tuple7<Long, Long, Long, Long, Long, Long, Long>> o) throws Exception {
            Tuple5<Long, Long, Long, Long, Long> a = auction.value();
            if (a != null)
                offer(a, b);
            else
                early.add(b);
        }
        @Override
        public void onTimer(long ts, OnTimerContext c,
            Collector<Tuple7<Long, Long, Long, Long, Long, Long, Long>> o) throws Exception {
            Tuple5<Long, Long, Long, Long, Long> a = auction.value();
            Tuple4<Long, Long, Long, Long> b = best.value();
            if (b != null)
                o.collect(Tuple7.of(a.f0, b.f1, b.f2, b.f3, a.f2, a.f3, a.f4));
            auction.clear();
            best.clear();
        }
    }

    static final class AvgByCategory extends KeyedProcessFunction<Long,
        Tuple7<Long, Long, Long, Long, Long, Long, Long>, Tuple3<Integer, Long, Long>> {
        transient ValueState<Tuple2<Long, Long>> st;
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(
                new ValueStateDescriptor<>("avg", Types.TUPLE(Types.LONG, Types.LONG)));
        }
        @Override
        public void processElement(Tuple7<Long, Long, Long, Long, Long, Long, Long> t, Context c,
            Collector<Tuple3<Integer, Long, Long>> o) throws Exception {
            Tuple2<Long, Long> s = st.value();
            if (s == null)
                s = Tuple2.of(0L, 0L);
            else
                o.collect(Tuple3.of(-1, t.f5, s.f0 / s.f1));
            s = Tuple2.of(s.f0 + t.f2, s.f1 + 1);
            st.update(s);
            o.collect(Tuple3.of(1, t.f5, s.f0 / s.f1));
        }
    }

    static final class CountAgg<T> implements AggregateFunction<T, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }
        @Override
        public Long add(T v, Long x) {
            return x + 1;
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

    static final class SumPanes implements AggregateFunction<Tuple3<Long, Long, Long>, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }
        @Override
        public Long add(Tuple3<Long, Long, Long> v, Long x) {
            return x + v.f2;
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

    static final class WinCount
        implements WindowFunction<Long, Tuple3<Long, Long, Long>, Long, TimeWindow> {
        @Override
        public void apply(
            Long k, TimeWindow w, Iterable<Long> in, Collector<Tuple3<Long, Long, Long>> o) {
            o.collect(Tuple3.of(w.getEnd(), k, in.iterator().next()));
        }
    }

    static final class SessionOut
        implements WindowFunction<Long, Tuple4<Long, Long, Long, Long>, Long, TimeWindow> {
        @Override
        public void apply(
            Long k, TimeWindow w, Iterable<Long> in, Collector<Tuple4<Long, Long, Long, Long>> o) {
            o.collect(Tuple4.of(k, in.iterator().next(), w.getStart(), w.getEnd()));
        }
    }

    static final class HotItems
        extends org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction<
            Tuple3<Long, Long, Long>, Tuple3<Long, Long, Long>, TimeWindow> {
        @Override
        public void process(Context c, Iterable<Tuple3<Long, Long, Long>> in,
            Collector<Tuple3<Long, Long, Long>> o) {
            long max = 0;
            for (Tuple3<Long, Long, Long> t : in)
                if (t.f2 > max)
                    max = t.f2;
            for (Tuple3<Long, Long, Long> t : in)
                if (t.f2 == max)
                    o.collect(t);
        }
    }

    static final class MaxBid implements ReduceFunction<Tuple4<Long, Long, Long, Long>> {
        @Override
        public Tuple4<Long, Long, Long, Long> reduce(
            Tuple4<Long, Long, Long, Long> x, Tuple4<Long, Long, Long, Long> y) {
            if (!x.f2.equals(y.f2))
                return x.f2 > y.f2 ? x : y;
            if (!x.f3.equals(y.f3))
                return x.f3 < y.f3 ? x : y;
            if (!x.f0.equals(y.f0))
                return x.f0 < y.f0 ? x : y;
            return x.f1 <= y.f1 ? x : y;
        }
    }

    static final class WithEnd implements AllWindowFunction<Tuple4<Long, Long, Long, Long>,
        Tuple5<Long, Long, Long, Long, Long>, TimeWindow> {
        @Override
        public void apply(TimeWindow w, Iterable<Tuple4<Long, Long, Long, Long>> in,
            Collector<Tuple5<Long, Long, Long, Long, Long>> o) {
            for (Tuple4<Long, Long, Long, Long> t : in)
                o.collect(Tuple5.of(w.getEnd(), t.f0, t.f2, t.f1, t.f3));
        }
    }

    static final class NewUser implements AggregateFunction<Tuple2<Long, String>,
        Tuple2<String, Boolean>, Tuple2<String, Boolean>> {
        @Override
        public Tuple2<String, Boolean> createAccumulator() {
            return Tuple2.of("", false);
        }
        @Override
        public Tuple2<String, Boolean> add(Tuple2<Long, String> v, Tuple2<String, Boolean> x) {
            if (v.f1.isEmpty())
                x.f1 = true;
            else
                x.f0 = v.f1;
            return x;
        }
        @Override
        public Tuple2<String, Boolean> getResult(Tuple2<String, Boolean> x) {
            return x;
        }
        @Override
        public Tuple2<String, Boolean> merge(Tuple2<String, Boolean> x, Tuple2<String, Boolean> y) {
            throw new UnsupportedOperationException();
        }
    }

    static final class NewUserOut implements WindowFunction<Tuple2<String, Boolean>,
        Tuple3<Long, Long, String>, Long, TimeWindow> {
        @Override
        public void apply(Long k, TimeWindow w, Iterable<Tuple2<String, Boolean>> in,
            Collector<Tuple3<Long, Long, String>> o) {
            Tuple2<String, Boolean> t = in.iterator().next();
            if (t.f1 && !t.f0.isEmpty())
                o.collect(Tuple3.of(w.getStart(), k, t.f0));
        }
    }

    public static final class Stats {
        public String channel = "";
        public long day, total, r1, r2, r3;
        public LongBits bidders = new LongBits(), auctions = new LongBits();
        public Stats() {}
        void add(long bidder, long auction, long price) {
            int r = rank(price);
            total++;
            if (r == 1)
                r1++;
            else if (r == 2)
                r2++;
            else
                r3++;
            bidders.or(bidder, r);
            auctions.or(auction, r);
        }
        void merge(Stats o) {
            total += o.total;
            r1 += o.r1;
            r2 += o.r2;
            r3 += o.r3;
            bidders.merge(o.bidders);
            auctions.merge(o.auctions);
        }
        void line(Digest.Line l) {
            l.c()
                .l(total)
                .c()
                .l(r1)
                .c()
                .l(r2)
                .c()
                .l(r3)
                .c()
                .l(bidders.size)
                .c()
                .l(bidders.count(1))
                .c()
                .l(bidders.count(2))
                .c()
                .l(bidders.count(4))
                .c()
                .l(auctions.size)
                .c()
                .l(auctions.count(1))
                .c()
                .l(auctions.count(2))
                .c()
                .l(auctions.count(4));
        }
    }

    static final class StatsAgg
        implements AggregateFunction<Tuple4<Long, Long, Long, Long>, Stats, Stats> {
        @Override
        public Stats createAccumulator() {
            return new Stats();
        }
        @Override
        public Stats add(Tuple4<Long, Long, Long, Long> t, Stats s) {
            s.add(t.f1, t.f0, t.f2);
            return s;
        }
        @Override
        public Stats getResult(Stats s) {
            return s;
        }
        @Override
        public Stats merge(Stats x, Stats y) {
            x.merge(y);
            return x;
        }
    }

    static final class StatsMerge implements AggregateFunction<Stats, Stats, Stats> {
        @Override
        public Stats createAccumulator() {
            return new Stats();
        }
        @Override
        public Stats add(Stats t, Stats s) {
            s.merge(t);
            return s;
        }
        @Override
        public Stats getResult(Stats s) {
            return s;
        }
        @Override
        public Stats merge(Stats x, Stats y) {
            x.merge(y);
            return x;
        }
    }

    static final class StatsDay implements AllWindowFunction<Stats, Stats, TimeWindow> {
        @Override
        public void apply(TimeWindow w, Iterable<Stats> in, Collector<Stats> o) {
            for (Stats s : in) {
                s.day = w.getStart() / DAY;
                o.collect(s);
            }
        }
    }

    static final class ChanAgg
        implements AggregateFunction<Tuple4<String, Long, Long, Long>, Stats, Stats> {
        @Override
        public Stats createAccumulator() {
            return new Stats();
        }
        @Override
        public Stats add(Tuple4<String, Long, Long, Long> t, Stats s) {
            s.add(t.f1, t.f3, t.f2);
            return s;
        }
        @Override
        public Stats getResult(Stats s) {
            return s;
        }
        @Override
        public Stats merge(Stats x, Stats y) {
            x.merge(y);
            return x;
        }
    }

    static final class ChanOut implements WindowFunction<Stats, Stats, String, TimeWindow> {
        @Override
        public void apply(String k, TimeWindow w, Iterable<Stats> in, Collector<Stats> o) {
            for (Stats s : in) {
                s.day = w.getStart() / DAY;
                s.channel = k;
                o.collect(s);
            }
        }
    }

    public static final class AucStats {
        public long auction, day, total, r1, r2, r3, min = Long.MAX_VALUE, max, sum;
        public AucStats() {}
    }

    static final class AucAgg implements AggregateFunction<Tuple2<Long, Long>, AucStats, AucStats> {
        @Override
        public AucStats createAccumulator() {
            return new AucStats();
        }
        @Override
        public AucStats add(Tuple2<Long, Long> t, AucStats s) {
            long p = t.f1;
            int r = rank(p);
            s.total++;
            if (r == 1)
                s.r1++;
            else if (r == 2)
                s.r2++;
            else
                s.r3++;
            if (p < s.min)
                s.min = p;
            if (p > s.max)
                s.max = p;
            s.sum += p;
            return s;
        }
        @Override
        public AucStats getResult(AucStats s) {
            return s;
        }
        @Override
        public AucStats merge(AucStats x, AucStats y) {
            throw new UnsupportedOperationException();
        }
    }

    static final class AucOut implements WindowFunction<AucStats, AucStats, Long, TimeWindow> {
        @Override
        public void apply(Long k, TimeWindow w, Iterable<AucStats> in, Collector<AucStats> o) {
            for (AucStats s : in) {
                s.auction = k;
                s.day = w.getStart() / DAY;
                o.collect(s);
            }
        }
    }

    static final class LastBid extends KeyedProcessFunction<Tuple2<Long, Long>,
        Tuple4<Long, Long, Long, Long>, Tuple5<Integer, Long, Long, Long, Long>> {
        transient ValueState<Tuple2<Long, Long>> st; // price, ts
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(
                new ValueStateDescriptor<>("last", Types.TUPLE(Types.LONG, Types.LONG)));
        }
        @Override
        public void processElement(Tuple4<Long, Long, Long, Long> b, Context c,
            Collector<Tuple5<Integer, Long, Long, Long, Long>> o) throws Exception {
            Tuple2<Long, Long> cur = st.value();
            if (cur != null) {
                if (b.f3 < cur.f1 || (b.f3.equals(cur.f1) && b.f2 <= cur.f0))
                    return;
                o.collect(Tuple5.of(-1, b.f0, b.f1, cur.f0, cur.f1));
            }
            st.update(Tuple2.of(b.f2, b.f3));
            o.collect(Tuple5.of(1, b.f0, b.f1, b.f2, b.f3));
        }
    }

    static final class Top10 extends KeyedProcessFunction<Long, Tuple4<Long, Long, Long, Long>,
        Tuple5<Integer, Long, Long, Long, Long>> {
        transient ValueState<TopN> st;
        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(
                new ValueStateDescriptor<>("top", TypeInformation.of(TopN.class)));
        }
        @Override
        public void processElement(Tuple4<Long, Long, Long, Long> b, Context c,
            Collector<Tuple5<Integer, Long, Long, Long, Long>> o) throws Exception {
            TopN t = st.value();
            boolean fresh = t == null;
            if (fresh)
                t = new TopN();
            long p = b.f2, ts = b.f3, bd = b.f1;
            int n = t.n;
            if (n == TopN.N) {
                int z = n - 1;
                if (!TopN.better(p, ts, bd, t.price[z], t.ts[z], t.bidder[z]))
                    return;
                o.collect(Tuple5.of(-1, b.f0, t.bidder[z], t.price[z], t.ts[z]));
                n--;
            }
            int i = n;
            while (i > 0 && TopN.better(p, ts, bd, t.price[i - 1], t.ts[i - 1], t.bidder[i - 1])) {
                t.price[i] = t.price[i - 1];
                t.ts[i] = t.ts[i - 1];
                t.bidder[i] = t.bidder[i - 1];
                i--;
            }
            t.price[i] = p;
            t.ts[i] = ts;
            t.bidder[i] = bd;
            t.n = n + 1;
            st.update(t);
            o.collect(Tuple5.of(1, b.f0, b.f1, b.f2, b.f3));
        }
    }

    static final class Q20 extends KeyedCoProcessFunction<Long, Tuple4<Long, Long, Long, Long>,
        Tuple4<Long, Long, Long, String>, Tuple7<Long, Long, Long, Long, String, Long, Long>> {
        transient ValueState<Tuple4<Long, Long, Long, String>> auction;
        transient ListState<Tuple4<Long, Long, Long, Long>> early;
        @Override
        public void open(OpenContext c) {
            auction = getRuntimeContext().getState(new ValueStateDescriptor<>(
                "a", Types.TUPLE(Types.LONG, Types.LONG, Types.LONG, Types.STRING)));
            early = getRuntimeContext().getListState(new ListStateDescriptor<>("e", T4));
        }
        private static void emit(Tuple4<Long, Long, Long, Long> b,
            Tuple4<Long, Long, Long, String> a,
            Collector<Tuple7<Long, Long, Long, Long, String, Long, Long>> o) {
            o.collect(Tuple7.of(b.f0, b.f1, b.f2, b.f3, a.f3, a.f2, a.f1));
        }
        @Override
        public void processElement1(Tuple4<Long, Long, Long, Long> b, Context c,
            Collector<Tuple7<Long, Long, Long, Long, String, Long, Long>> o) throws Exception {
            Tuple4<Long, Long, Long, String> a = auction.value();
            if (a == null)
                early.add(b);
            else if (a.f1 == 10)
                emit(b, a, o);
        }
        @Override
        public void processElement2(Tuple4<Long, Long, Long, String> a, Context c,
            Collector<Tuple7<Long, Long, Long, Long, String, Long, Long>> o) throws Exception {
            auction.update(a);
            Iterable<Tuple4<Long, Long, Long, Long>> it = early.get();
            if (it != null) {
                if (a.f1 == 10)
                    for (Tuple4<Long, Long, Long, Long> b : it) emit(b, a, o);
                early.clear();
            }
        }
    }
}
