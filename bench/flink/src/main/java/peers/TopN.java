package peers;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Value;

/** The best ten (price desc, ts asc, bidder asc), sorted. */
public final class TopN implements Value {
    static final int N = 10;
    int n;
    long[] price = new long[N], ts = new long[N], bidder = new long[N];

    public TopN() {}

    static boolean better(long p1, long t1, long b1, long p2, long t2, long b2) {
        if (p1 != p2)
            return p1 > p2;
        if (t1 != t2)
            return t1 < t2;
        return b1 < b2;
    }

    @Override
    public void write(DataOutputView o) throws IOException {
        o.writeInt(n);
        for (int i = 0; i < n; i++) {
            o.writeLong(price[i]);
            o.writeLong(ts[i]);
            o.writeLong(bidder[i]);
        }
    }

    @Override
    public void read(DataInputView in) throws IOException {
        n = in.readInt();
        for (int i = 0; i < n; i++) {
            price[i] = in.readLong();
            ts[i] = in.readLong();
            bidder[i] = in.readLong();
        }
    }
}
