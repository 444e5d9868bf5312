package peers;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Value;

/**
 * Open-addressing map long -> small bit set: a distinct counter with per-rank distinct counts.
 * Keys != 0.
 */
public final class LongBits implements Value {
    long[] k;
    byte[] v;
    int size;

    public LongBits() {
        k = new long[8];
        v = new byte[8];
    }

    void or(long key, int bits) {
        int m = k.length - 1;
        int i = (int) ((key * 0x9E3779B97F4A7C15L) >>> 33) & m;
        while (k[i] != 0) {
            if (k[i] == key) {
                v[i] |= bits;
                return;
            }
            i = (i + 1) & m;
        }
        k[i] = key;
        v[i] = (byte) bits;
        if (++size * 2 > k.length)
            grow();
    }

    private void grow() {
        long[] ok = k;
        byte[] ov = v;
        k = new long[ok.length * 2];
        v = new byte[k.length];
        int m = k.length - 1;
        for (int j = 0; j < ok.length; j++)
            if (ok[j] != 0) {
                int i = (int) ((ok[j] * 0x9E3779B97F4A7C15L) >>> 33) & m;
                while (k[i] != 0) i = (i + 1) & m;
                k[i] = ok[j];
                v[i] = ov[j];
            }
    }

    void merge(LongBits o) {
        for (int j = 0; j < o.k.length; j++)
            if (o.k[j] != 0)
                or(o.k[j], o.v[j]);
    }

    int count(int bit) {
        int c = 0;
        for (int j = 0; j < k.length; j++)
            if (k[j] != 0 && (v[j] & bit) != 0)
                c++;
        return c;
    }

    @Override
    public void write(DataOutputView o) throws IOException {
        o.writeInt(size);
        for (int j = 0; j < k.length; j++)
            if (k[j] != 0) {
                o.writeLong(k[j]);
                o.writeByte(v[j]);
            }
    }

    @Override
    public void read(DataInputView in) throws IOException {
        int n = in.readInt();
        int cap = 8;
        while (cap < 2 * n + 2) cap *= 2;
        k = new long[cap];
        v = new byte[cap];
        size = 0;
        for (int j = 0; j < n; j++) {
            long x = in.readLong();
            or(x, in.readByte());
        }
    }
}
