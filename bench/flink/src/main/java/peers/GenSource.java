package peers;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.*;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Bounded deterministic source: subtask i of P makes the records i, i + P, ...; checkpointed;
 * optional rate.
 */
public final class GenSource<T>
    implements Source<T, GenSource.Sp, List<GenSource.Sp>>, ResultTypeQueryable<T> {
    public interface Maker<T> {
        T make(long n);
        long ts(T t);
    }
    public interface Factory<T> extends Serializable {
        Maker<T> create();
    }

    final Factory<T> factory;
    final TypeInformation<T> type;
    final long n;
    final double rate; // records per second over all subtasks; 0 = as fast as possible

    public GenSource(Factory<T> f, TypeInformation<T> type, long n, double rate) {
        this.factory = f;
        this.type = type;
        this.n = n;
        this.rate = rate;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }
    @Override
    public TypeInformation<T> getProducedType() {
        return type;
    }
    @Override
    public SourceReader<T, Sp> createReader(SourceReaderContext c) {
        return new Reader<>(factory.create(), c, rate);
    }
    @Override
    public SplitEnumerator<Sp, List<Sp>> createEnumerator(SplitEnumeratorContext<Sp> c) {
        List<Sp> l = new ArrayList<>();
        int p = c.currentParallelism();
        for (int i = 0; i < p; i++) l.add(new Sp(i, p, i, n));
        return new Enum(c, l);
    }
    @Override
    public SplitEnumerator<Sp, List<Sp>> restoreEnumerator(
        SplitEnumeratorContext<Sp> c, List<Sp> s) {
        return new Enum(c, s);
    }
    @Override
    public SimpleVersionedSerializer<Sp> getSplitSerializer() {
        return new SpSer();
    }
    @Override
    public SimpleVersionedSerializer<List<Sp>> getEnumeratorCheckpointSerializer() {
        return new SpListSer();
    }

    public static final class Sp implements SourceSplit {
        final int idx, stride;
        long next;
        final long end;
        Sp(int idx, int stride, long next, long end) {
            this.idx = idx;
            this.stride = stride;
            this.next = next;
            this.end = end;
        }
        @Override
        public String splitId() {
            return "s" + idx;
        }
    }

    static final class SpSer implements SimpleVersionedSerializer<Sp> {
        @Override
        public int getVersion() {
            return 1;
        }
        @Override
        public byte[] serialize(Sp s) {
            return ByteBuffer.allocate(24)
                .putInt(s.idx)
                .putInt(s.stride)
                .putLong(s.next)
                .putLong(s.end)
                .array();
        }
        @Override
        public Sp deserialize(int v, byte[] b) {
            ByteBuffer x = ByteBuffer.wrap(b);
            return new Sp(x.getInt(), x.getInt(), x.getLong(), x.getLong());
        }
    }

    static final class SpListSer implements SimpleVersionedSerializer<List<Sp>> {
        @Override
        public int getVersion() {
            return 1;
        }
        @Override
        public byte[] serialize(List<Sp> l) {
            ByteBuffer x = ByteBuffer.allocate(24 * l.size());
            SpSer s = new SpSer();
            for (Sp p : l) x.put(s.serialize(p));
            return x.array();
        }
        @Override
        public List<Sp> deserialize(int v, byte[] b) {
            List<Sp> l = new ArrayList<>();
            ByteBuffer x = ByteBuffer.wrap(b);
            while (x.hasRemaining())
                l.add(new Sp(x.getInt(), x.getInt(), x.getLong(), x.getLong()));
            return l;
        }
    }

    static final class Enum implements SplitEnumerator<Sp, List<Sp>> {
        final SplitEnumeratorContext<Sp> c;
        final List<Sp> left;
        Enum(SplitEnumeratorContext<Sp> c, List<Sp> left) {
            this.c = c;
            this.left = new ArrayList<>(left);
        }
        @Override
        public void start() {}
        @Override
        public void handleSplitRequest(int s, String h) {}
        @Override
        public void addSplitsBack(List<Sp> l, int sub) {
            left.addAll(l);
            if (c.registeredReaders().containsKey(sub))
                addReader(sub);
        }
        @Override
        public void addReader(int sub) {
            for (Iterator<Sp> i = left.iterator(); i.hasNext();) {
                Sp s = i.next();
                if (s.idx == sub) {
                    c.assignSplit(s, sub);
                    i.remove();
                }
            }
            c.signalNoMoreSplits(sub);
        }
        @Override
        public List<Sp> snapshotState(long id) {
            return new ArrayList<>(left);
        }
        @Override
        public void close() {}
    }

    static final class Reader<T> implements SourceReader<T, Sp> {
        static final int BATCH = 128;
        final Maker<T> mk;
        final double rate;
        final SourceReaderContext ctx;
        Sp sp;
        boolean noMore;
        long t0, first;
        CompletableFuture<Void> avail = new CompletableFuture<>();
        Reader(Maker<T> mk, SourceReaderContext c, double rate) {
            this.mk = mk;
            this.ctx = c;
            this.rate = rate;
        }
        @Override
        public void start() {}
        @Override
        public InputStatus pollNext(ReaderOutput<T> out) {
            Sp s = sp;
            if (s == null) {
                if (noMore)
                    return InputStatus.END_OF_INPUT;
                if (avail.isDone())
                    avail = new CompletableFuture<>();
                return InputStatus.NOTHING_AVAILABLE;
            }
            long stop = Math.min(s.end, s.next + (long) BATCH * s.stride);
            if (rate > 0) {
                if (t0 == 0) {
                    t0 = System.nanoTime();
                    first = s.next;
                }
                long due = first + (long) ((System.nanoTime() - t0) * rate / 1e9);
                if (due <= s.next) {
                    LockSupport.parkNanos(Math.min(
                        200_000L, Math.max(20_000L, (long) ((s.next - due + 1) * 1e9 / rate))));
                    return InputStatus.MORE_AVAILABLE;
                }
                stop = Math.min(stop, due);
            }
            long n = s.next;
            for (; n < stop; n += s.stride) {
                T t = mk.make(n);
                out.collect(t, mk.ts(t));
            }
            s.next = n;
            if (n < s.end)
                return InputStatus.MORE_AVAILABLE;
            sp = null;
            return InputStatus.END_OF_INPUT;
        }
        @Override
        public List<Sp> snapshotState(long id) {
            return sp == null ? List.of() : List.of(new Sp(sp.idx, sp.stride, sp.next, sp.end));
        }
        @Override
        public CompletableFuture<Void> isAvailable() {
            return sp != null || noMore ? CompletableFuture.completedFuture(null) : avail;
        }
        @Override
        public void addSplits(List<Sp> l) {
            sp = l.get(0);
            avail.complete(null);
        }
        @Override
        public void notifyNoMoreSplits() {
            noMore = true;
            avail.complete(null);
        }
        @Override
        public void close() {}
    }
}
