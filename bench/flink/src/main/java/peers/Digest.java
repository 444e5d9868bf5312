package peers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** 64-bit hash of one canonical output line; see GENERATOR.md, section "Digest". */
public final class Digest {
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final long K1 = 0x9E3779B97F4A7C15L, K2 = 0xFF51AFD7ED558CCDL;

    public static long hash(byte[] b, int len) {
        long h = K1 ^ (len * K2);
        int i = 0;
        for (; i + 8 <= len; i += 8) {
            h = (h ^ (long) LONG.get(b, i)) * K2;
            h ^= h >>> 32;
        }
        if (i < len) {
            long w = 0;
            for (int k = len - 1; k >= i; k--) w = (w << 8) | (b[k] & 0xff);
            h = (h ^ w) * K2;
            h ^= h >>> 32;
        }
        return fin(h);
    }

    /** The splitmix64 output function. */
    public static long fin(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Builds a canonical line as Latin-1 bytes without allocating. */
    public static final class Line {
        public byte[] b = new byte[1024];
        public int n;

        public Line reset() {
            n = 0;
            return this;
        }

        private void need(int k) {
            if (n + k > b.length)
                b = java.util.Arrays.copyOf(b, Math.max(b.length * 2, n + k));
        }

        @SuppressWarnings("deprecation")
        public Line s(String s) {
            int l = s.length();
            need(l);
            s.getBytes(0, l, b, n);
            n += l;
            return this;
        }

        public Line c() {
            need(1);
            b[n++] = ',';
            return this;
        }

        public Line l(long v) {
            need(20);
            if (v < 0) {
                b[n++] = '-';
                v = -v;
            }
            int d = 1;
            for (long t = v; t >= 10; t /= 10) d++;
            for (int i = n + d - 1; i >= n; i--) {
                b[i] = (byte) ('0' + v % 10);
                v /= 10;
            }
            n += d;
            return this;
        }

        public long hash() {
            return Digest.hash(b, n);
        }
    }
}
