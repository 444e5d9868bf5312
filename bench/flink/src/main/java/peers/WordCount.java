package peers;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.util.Collector;

/** text -> lower-case words split at non-letters -> keyBy(word) -> running sum -> sink. */
public final class WordCount {
    public static void main(String[] argv) throws Exception {
        Args a = new Args(argv);
        boolean batch = a.s("mode", "streaming").equalsIgnoreCase("batch");
        Harness.run("wordcount" + (batch ? "-batch" : "")
                + (a.s("variant", "lines").equals("bytes") ? "-bytes" : ""),
            a, (env, x, n) -> {
                String in = n == a.l("n", 10_000_000L) ? a.s("input", "")
                                                       : a.s("warm-input", a.s("input", ""));
                DataStream<Tuple2<String, Long>> counts;
                DataStream<String> words;
                if (a.s("variant", "lines").equals("bytes")) {
                    FileSource<byte[]> src =
                        FileSource.forRecordStreamFormat(new BlockFormat(), new Path(in)).build();
                    words = env.fromSource(src, WatermarkStrategy.noWatermarks(), "blocks",
                                   org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo
                                       .BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                                .flatMap(new SplitBytes())
                                .returns(Types.STRING);
                } else {
                    FileSource<String> src =
                        FileSource.forRecordStreamFormat(new TextLineInputFormat(), new Path(in))
                            .build();
                    words = env.fromSource(src, WatermarkStrategy.noWatermarks(), "lines")
                                .flatMap(new Split())
                                .returns(Types.STRING);
                }
                if (batch) {
                    counts = words.map(w -> Tuple2.of(w, 1L))
                                 .returns(Types.TUPLE(Types.STRING, Types.LONG))
                                 .keyBy(t -> t.f0, Types.STRING)
                                 .reduce((p, q) -> {
                                     p.f1 += q.f1;
                                     return p;
                                 });
                } else {
                    counts = words.keyBy(w -> w, Types.STRING)
                                 .process(new Count())
                                 .returns(Types.TUPLE(Types.STRING, Types.LONG));
                }
                if (a.m.containsKey("output")) {
                    FileSink<Tuple2<String, Long>> sink =
                        FileSink
                            .<Tuple2<String, Long>>forRowFormat(new Path(a.s("output", "")),
                                (t, o) -> {
                                    o.write(t.f0.getBytes(StandardCharsets.ISO_8859_1));
                                    o.write(',');
                                    o.write(
                                        Long.toString(t.f1).getBytes(StandardCharsets.ISO_8859_1));
                                    o.write('\n');
                                })
                            .build();
                    counts.sinkTo(sink);
                } else {
                    Out.sink(counts, a, (t, l) -> {
                        l.s(t.f0).c().l(t.f1);
                        return 1;
                    });
                }
            });
    }

    static final class Split extends RichFlatMapFunction<String, String> {
        long words, bytes;
        char[] buf = new char[256];
        LongCounter in, by;

        @Override
        public void open(OpenContext c) {
            in = new LongCounter();
            by = new LongCounter();
            getRuntimeContext().addAccumulator("in", in);
            getRuntimeContext().addAccumulator("x-chars", by);
        }

        @Override
        public void flatMap(String s, Collector<String> out) {
            final int n = s.length();
            bytes += n + 1;
            int i = 0;
            while (i < n) {
                int k = 0;
                while (i < n) {
                    int c = s.charAt(i) | 0x20;
                    if (c < 'a' || c > 'z')
                        break;
                    if (k == buf.length)
                        buf = java.util.Arrays.copyOf(buf, k * 2);
                    buf[k++] = (char) c;
                    i++;
                }
                if (k > 0) {
                    out.collect(new String(buf, 0, k));
                    words++;
                }
                i++;
            }
        }

        @Override
        public void close() {
            if (in != null) {
                in.add(words);
                by.add(bytes);
            }
        }
    }

    static final class SplitBytes extends RichFlatMapFunction<byte[], String> {
        long words, bytes;
        LongCounter in, by;

        @Override
        public void open(OpenContext c) {
            in = new LongCounter();
            by = new LongCounter();
            getRuntimeContext().addAccumulator("in", in);
            getRuntimeContext().addAccumulator("x-chars", by);
        }

        @Override
        @SuppressWarnings("deprecation")
        public void flatMap(byte[] s, Collector<String> out) {
            final int n = s.length;
            bytes += n;
            int i = 0;
            while (i < n) {
                int st = i;
                while (i < n) {
                    int c = s[i] | 0x20;
                    if (c < 'a' || c > 'z')
                        break;
                    s[i++] = (byte) c;
                }
                if (i > st) {
                    out.collect(new String(s, 0, st, i - st));
                    words++;
                }
                i++;
            }
        }

        @Override
        public void close() {
            if (in != null) {
                in.add(words);
                by.add(bytes);
            }
        }
    }

    static final class Count extends KeyedProcessFunction<String, String, Tuple2<String, Long>> {
        transient ValueState<Long> st;
        transient Tuple2<String, Long> o;

        @Override
        public void open(OpenContext c) {
            st = getRuntimeContext().getState(new ValueStateDescriptor<>("n", Types.LONG));
            o = new Tuple2<>();
        }

        @Override
        public void processElement(String w, Context ctx, Collector<Tuple2<String, Long>> out)
            throws Exception {
            Long v = st.value();
            v = v == null ? 1L : v + 1;
            st.update(v);
            o.f0 = w;
            o.f1 = v;
            out.collect(o);
        }
    }
}
