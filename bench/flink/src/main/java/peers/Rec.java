package peers;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Value;

/**
 * A 64-byte record: eight longs, written field by field (no reflection). a = n, k = key, t = time,
 * rest payload.
 */
public final class Rec implements Value {
    public long a, k, t, p3, p4, p5, p6, p7;

    public Rec() {}

    @Override
    public void write(DataOutputView o) throws IOException {
        o.writeLong(a);
        o.writeLong(k);
        o.writeLong(t);
        o.writeLong(p3);
        o.writeLong(p4);
        o.writeLong(p5);
        o.writeLong(p6);
        o.writeLong(p7);
    }

    @Override
    public void read(DataInputView i) throws IOException {
        a = i.readLong();
        k = i.readLong();
        t = i.readLong();
        p3 = i.readLong();
        p4 = i.readLong();
        p5 = i.readLong();
        p6 = i.readLong();
        p7 = i.readLong();
    }
}
