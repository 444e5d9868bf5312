package peers;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.core.fs.FSDataInputStream;

/** Tuned file format: 64 KiB byte blocks that end at a line end; splittable at line ends. */
public final class BlockFormat implements StreamFormat<byte[]> {
    static final int BLOCK = 64 * 1024;

    @Override
    public StreamFormat.Reader<byte[]> createReader(
        Configuration c, FSDataInputStream s, long fileLen, long splitEnd) throws IOException {
        return open(s, splitEnd);
    }

    @Override
    public StreamFormat.Reader<byte[]> restoreReader(Configuration c, FSDataInputStream s, long off,
        long fileLen, long splitEnd) throws IOException {
        s.seek(off);
        return new R(s, off, splitEnd);
    }

    static R open(FSDataInputStream s, long splitEnd) throws IOException {
        long pos = s.getPos();
        if (pos > 0) { // skip to the byte after the first line end at or after pos-1
            s.seek(--pos);
            int b;
            do {
                b = s.read();
                pos++;
            } while (b >= 0 && b != '\n');
            if (b < 0)
                pos = splitEnd;
        }
        return new R(s, pos, splitEnd);
    }

    @Override
    public boolean isSplittable() {
        return true;
    }

    @Override
    public TypeInformation<byte[]> getProducedType() {
        return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    }

    static final class R implements StreamFormat.Reader<byte[]> {
        final FSDataInputStream in;
        final long end;
        long pos;
        byte[] carry = new byte[0];
        boolean done;

        R(FSDataInputStream in, long pos, long end) {
            this.in = in;
            this.pos = pos;
            this.end = end;
        }

        @Override
        public byte[] read() throws IOException {
            // pos = file offset of the first byte not yet read; carry = bytes after the last line
            // end
            while (!done) {
                byte[] b = new byte[carry.length + BLOCK];
                System.arraycopy(carry, 0, b, 0, carry.length);
                int len = carry.length;
                if (pos - carry.length >= end) {
                    done = true;
                    return null;
                } // next line starts in the next split
                int r = in.read(b, len, BLOCK);
                if (r < 0) {
                    done = true;
                    return carry.length == 0 ? null : carry;
                }
                long start = pos - carry.length;
                pos += r;
                len += r;
                if (start + len
                    >= end) { // the line that covers byte end-1 is ours, and is the last
                    int k = (int) Math.max(0, end - 1 - start);
                    while (k < len && b[k] != '\n') k++;
                    if (k < len) {
                        done = true;
                        return Arrays.copyOf(b, k + 1);
                    }
                    carry = Arrays.copyOf(b, len);
                    continue; // the last line is longer than the block: read on
                }
                int k = len - 1;
                while (k >= 0 && b[k] != '\n') k--;
                if (k < 0) {
                    carry = Arrays.copyOf(b, len);
                    continue;
                }
                carry = Arrays.copyOfRange(b, k + 1, len);
                return Arrays.copyOf(b, k + 1);
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
