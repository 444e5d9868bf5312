package peers;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Start-up: a tiny embedded word count; prints the milliseconds from --t0 (epoch ms, taken before
 * the JVM started) to the first result and to the end.
 */
public final class First {
    static volatile boolean seen;

    public static void main(String[] argv) throws Exception {
        Args a = new Args(argv);
        long t0 = a.l("t0", 0), main = System.currentTimeMillis();
        StreamExecutionEnvironment env = Harness.env(a);
        env.fromData("to be or not to be that is the question")
            .flatMap((String s, org.apache.flink.util.Collector<String> o) -> {
                for (String w : s.split(" ")) o.collect(w);
            })
            .returns(Types.STRING)
            .keyBy(w -> w, Types.STRING)
            .process(new WordCount.Count())
            .returns(Types.TUPLE(Types.STRING, Types.LONG))
            .map(t -> {
                if (!seen) {
                    seen = true;
                    System.out.printf(
                        "{\"workload\":\"first-result\",\"system\":\"flink-2.2.0\",\"to_main_ms\":%d,\"to_first_ms\":%d}%n",
                        main - t0, System.currentTimeMillis() - t0);
                }
                return t;
            })
            .returns(Types.TUPLE(Types.STRING, Types.LONG))
            .sinkTo(new DiscardingSink<>());
        env.execute("first");
        System.out.printf("{\"workload\":\"end\",\"to_end_ms\":%d,\"rss_peak_kb\":%d}%n",
            System.currentTimeMillis() - t0, Harness.rssPeakKb());
    }
}
