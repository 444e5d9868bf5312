package peers;

import java.io.Serializable;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Terminal operators: count everything; with --verify also hash each canonical line. */
public final class Out {
    public interface Fmt<T> extends Serializable {
        /**
         * Appends the canonical line; returns +1 (insert), -1 (retract) or 0 (not part of the
         * digest).
         */
        int line(T v, Digest.Line l);
    }

    public static <T> void sink(DataStream<T> s, Args a, Fmt<T> f) {
        s.flatMap(new DigestFn<>(a.b("verify"), f))
            .returns(Integer.class)
            .name("digest")
            .sinkTo(new DiscardingSink<>())
            .name("discard");
    }

    static final class DigestFn<T> extends RichFlatMapFunction<T, Integer> {
        final boolean verify;
        final Fmt<T> f;
        transient Digest.Line line;
        transient LongCounter out, cnt, sum;
        long nOut, nCnt, nSum;

        DigestFn(boolean verify, Fmt<T> f) {
            this.verify = verify;
            this.f = f;
        }

        @Override
        public void open(OpenContext c) {
            line = new Digest.Line();
            out = new LongCounter();
            cnt = new LongCounter();
            sum = new LongCounter();
            getRuntimeContext().addAccumulator("out", out);
            getRuntimeContext().addAccumulator("cnt", cnt);
            getRuntimeContext().addAccumulator("sum", sum);
        }

        @Override
        public void flatMap(T v, Collector<Integer> c) {
            nOut++;
            if (verify) {
                line.reset();
                int sign = f.line(v, line);
                if (sign != 0) {
                    nCnt += sign;
                    nSum += sign * line.hash();
                }
            }
        }

        @Override
        public void close() {
            if (out != null) {
                out.add(nOut);
                cnt.add(nCnt);
                sum.add(nSum);
            }
        }
    }
}
