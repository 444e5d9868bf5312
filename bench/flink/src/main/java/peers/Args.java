package peers;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;

/** --key value / --flag command line. */
public final class Args implements Serializable {
    final Map<String, String> m = new LinkedHashMap<>();

    public Args(String[] a) {
        for (int i = 0; i < a.length; i++) {
            if (!a[i].startsWith("--"))
                throw new IllegalArgumentException("unexpected " + a[i]);
            String k = a[i].substring(2);
            if (i + 1 < a.length && !a[i + 1].startsWith("--"))
                m.put(k, a[++i]);
            else
                m.put(k, "true");
        }
    }

    public String s(String k, String d) {
        return m.getOrDefault(k, d);
    }
    public int i(String k, int d) {
        return m.containsKey(k) ? Integer.parseInt(m.get(k)) : d;
    }
    public long l(String k, long d) {
        return m.containsKey(k) ? Long.parseLong(m.get(k).replace("_", "")) : d;
    }
    public boolean b(String k) {
        return Boolean.parseBoolean(m.getOrDefault(k, "false"));
    }
}
