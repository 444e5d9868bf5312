package peers;

import java.nio.charset.StandardCharsets;

/** The deterministic generator of GENERATOR.md. Not thread-safe: one per source subtask. */
public final class Gen {
    static final long G = 0x9E3779B97F4A7C15L;
    static final long BASE = 1_700_000_000_000L;
    static final String[] FIRST =
        "Peter Paul Luke John Saul Vicky Kate Julie Sarah Deiter Walter".split(" ");
    static final String[] LAST =
        "Shultz Abrams Spencer White Bartels Walton Smith Jones Noris".split(" ");
    static final String[] CITY = {"Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland",
        "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"};
    static final String[] STATE = "AZ CA ID OR WA WY".split(" ");
    static final byte[] POOL = new byte[65536];
    static final String[] CH = new String[10004], URL = new String[10004];
    static final long[] P10 = {1, 10, 100, 1000, 10000, 100000};

    static {
        for (int i = 0; i < POOL.length; i++)
            POOL[i] = (byte) ('a' + lo(Digest.fin(0x5EEDL + i * G), 26));
        String[] hot = {"Google", "Facebook", "Baidu", "Apple"};
        for (int i = 0; i < CH.length; i++) {
            CH[i] = i < 4 ? hot[i] : "channel-" + (i - 4);
            int k = (int) lo(Digest.fin(0xC0FFEEL + i * G), 64512);
            URL[i] = "https://www.nexmark.com/" + slice(k, 5) + "/" + slice(k + 5, 5) + "/"
                + slice(k + 10, 5) + "/item.htm?query=1";
        }
    }

    static long lo(long r, long m) {
        return ((r & 0xFFFFFFFFL) * m) >>> 32;
    }
    static long hi(long r, long m) {
        return ((r >>> 32) * m) >>> 32;
    }

    @SuppressWarnings("deprecation")
    static String slice(long off, long len) {
        return new String(POOL, 0, (int) off, (int) len);
    }

    final long seed, epm, ooo;

    Gen(long seed, long epm, long ooo) {
        this.seed = seed;
        this.epm = epm;
        this.ooo = ooo;
    }

    static long price(long x, long y) {
        long p = P10[(int) lo(x, 6)];
        return 100 * p + hi(y, 900 * p);
    }

    static long somePerson(long x, long lastP) {
        long m = Math.max(lastP - 1000, 1000);
        return m + hi(x, lastP - m + 11);
    }

    /** Fills ev with event n. */
    void fill(long n, Event ev) {
        long e = n / 50;
        int o = (int) (n - e * 50);
        long lastP = 1000 + e;
        long r0 = Digest.fin(seed + (n + 1) * G);
        long ts = BASE + n / epm - hi(r0, ooo + 1);
        if (o >= 4) {
            ev.type = 2;
            Bid b = ev.bid;
            long lastA = 1002 + 3 * e;
            long r1 = Digest.fin(r0 + G), r2 = Digest.fin(r0 + 2 * G), r3 = Digest.fin(r0 + 3 * G),
                 r4 = Digest.fin(r0 + 4 * G);
            if (hi(r1, 2) > 0)
                b.auction = lastA / 100 * 100;
            else {
                long m = Math.max(lastA - 100, 1000);
                b.auction = m + lo(r1, lastA - m + 11);
            }
            b.bidder = lo(r2, 4) > 0 ? lastP / 100 * 100 + 1 : somePerson(r2, lastP);
            b.price = price(r3, r3);
            int c = (int) hi(r4, 20000);
            int ix = c < 10000 ? c & 3 : c - 9996;
            b.channel = CH[ix];
            b.url = URL[ix];
            b.ts = ts;
            b.extra = slice(ix, lo(r4, 17));
        } else if (o == 0) {
            ev.type = 0;
            Person p = ev.person;
            long r1 = Digest.fin(r0 + G), r2 = Digest.fin(r0 + 2 * G), r3 = Digest.fin(r0 + 3 * G),
                 r4 = Digest.fin(r0 + 4 * G), r5 = Digest.fin(r0 + 5 * G),
                 r6 = Digest.fin(r0 + 6 * G);
            p.id = lastP;
            p.name = FIRST[(int) hi(r1, 11)] + " " + LAST[(int) lo(r1, 9)];
            int k = (int) hi(r3, 64512);
            p.email = slice(k, 7) + "@" + slice(k + 7, 5) + ".com";
            byte[] d = new byte[19];
            four(d, 0, hi(r4, 10000));
            d[4] = ' ';
            four(d, 5, lo(r4, 10000));
            d[9] = ' ';
            four(d, 10, hi(r5, 10000));
            d[14] = ' ';
            four(d, 15, lo(r5, 10000));
            p.card = new String(d, StandardCharsets.ISO_8859_1);
            p.city = CITY[(int) hi(r2, 10)];
            p.state = STATE[(int) lo(r2, 6)];
            p.ts = ts;
            p.extra = slice(hi(r6, 64512), 80 + lo(r6, 49));
        } else {
            ev.type = 1;
            Auction a = ev.auction;
            long r1 = Digest.fin(r0 + G), r2 = Digest.fin(r0 + 2 * G), r3 = Digest.fin(r0 + 3 * G),
                 r4 = Digest.fin(r0 + 4 * G), r5 = Digest.fin(r0 + 5 * G),
                 r6 = Digest.fin(r0 + 6 * G);
            a.id = 1000 + 3 * e + o - 1;
            a.itemName = slice(hi(r1, 64512), 20);
            a.description = slice(lo(r1, 64512), 100);
            a.initialBid = price(r2, r2);
            a.reserve = a.initialBid + hi(r3, 10000);
            a.ts = ts;
            a.expires = ts + 1000 + hi(r4, 4000);
            a.seller = lo(r3, 4) > 0 ? lastP / 100 * 100 : somePerson(r6, lastP);
            a.category = 10 + lo(r4, 5);
            a.extra = slice(hi(r5, 64512), 280 + lo(r5, 81));
        }
        ev.ts = ts;
    }

    private static void four(byte[] d, int at, long v) {
        int x = (int) v;
        d[at + 3] = (byte) ('0' + x % 10);
        x /= 10;
        d[at + 2] = (byte) ('0' + x % 10);
        x /= 10;
        d[at + 1] = (byte) ('0' + x % 10);
        x /= 10;
        d[at] = (byte) ('0' + x);
    }

    public static final class Person {
        public long id, ts;
        public String name, email, card, city, state, extra;
        public Person() {}
    }

    public static final class Auction {
        public long id, initialBid, reserve, ts, expires, seller, category;
        public String itemName, description, extra;
        public Auction() {}
    }

    public static final class Bid {
        public long auction, bidder, price, ts;
        public String channel, url, extra;
        public Bid() {}
    }

    public static final class Event {
        public int type;
        public long ts;
        public Person person = new Person();
        public Auction auction = new Auction();
        public Bid bid = new Bid();
        public Event() {}
    }
}
