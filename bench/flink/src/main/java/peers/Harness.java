package peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Common set-up, run loop and JSON reporting. */
public final class Harness {
    public interface Job {
        void build(StreamExecutionEnvironment env, Args a, long n) throws Exception;
    }

    public static Configuration conf(Args a) {
        Configuration c = new Configuration();
        c.setString("pipeline.object-reuse", "true");
        c.setString("pipeline.generic-types", a.s("generic-types", "false"));
        c.setString("execution.runtime-mode", a.s("mode", "streaming").toUpperCase());
        c.setString("execution.buffer-timeout.interval", a.s("buffer-timeout", "100") + " ms");
        c.setString("pipeline.auto-watermark-interval", a.s("wm-interval", "200") + " ms");
        c.setString("execution.checkpointing.checkpoints-after-tasks-finish.enabled", "true");
        c.setString("restart-strategy.type", "none");
        if (!a.b("cluster")) {
            int p = a.i("p", 1);
            c.setString("taskmanager.numberOfTaskSlots", String.valueOf(Math.max(p, 1)));
            c.setString("taskmanager.memory.network.min", a.s("net", "128m"));
            c.setString("taskmanager.memory.network.max", a.s("net", "128m"));
            c.setString("taskmanager.memory.managed.size", a.s("managed", "256m"));
            c.setString("rest.bind-port", "0");
        }
        String extra = a.s("conf", "");
        if (!extra.isEmpty())
            for (String kv : extra.split(";")) {
                int e = kv.indexOf('=');
                c.setString(kv.substring(0, e).trim(), kv.substring(e + 1).trim());
            }
        return c;
    }

    public static StreamExecutionEnvironment env(Args a) {
        int p = a.i("p", 1);
        Configuration c = conf(a);
        StreamExecutionEnvironment env = a.b("cluster")
            ? StreamExecutionEnvironment.getExecutionEnvironment(c)
            : StreamExecutionEnvironment.createLocalEnvironment(p, c);
        if (a.b("cluster"))
            env.configure(c, Harness.class.getClassLoader());
        env.setParallelism(p);
        if (p > 0)
            env.setMaxParallelism(a.i("maxp", 128));
        return env;
    }

    static long rssPeakKb() {
        try {
            for (String l : Files.readAllLines(Path.of("/proc/self/status")))
                if (l.startsWith("VmHWM:"))
                    return Long.parseLong(l.replaceAll("[^0-9]", ""));
        } catch (Exception e) { /* not Linux */
        }
        return -1;
    }

    /**
     * Runs the job --warmup times at --warm-n records and --runs times at --n; one JSON line per
     * counted run.
     */
    public static void run(String name, Args a, Job job) throws Exception {
        long n = a.l("n", 10_000_000L);
        int warm = a.i("warmup", a.b("cluster") ? 0 : 1), runs = a.i("runs", 1);
        long warmN = a.l("warm-n", Math.max(1, n / 5));
        double fixedCpu = 0;
        boolean empty =
            a.b("empty"); // after the warm-up, one job of 1000 records: the fixed CPU cost of a job
        for (int r = -warm - (empty ? 1 : 0); r < runs; r++) {
            long nn = r >= 0 ? n : empty && r == -1 ? 1000 : warmN;
            StreamExecutionEnvironment env = env(a);
            job.build(env, a, nn);
            com.sun.management.OperatingSystemMXBean os =
                (com.sun.management.OperatingSystemMXBean)
                    java.lang.management.ManagementFactory.getOperatingSystemMXBean();
            long c0 = os.getProcessCpuTime(), t0 = System.nanoTime();
            JobExecutionResult res = env.execute(name);
            double ms = (System.nanoTime() - t0) / 1e6, cpu = (os.getProcessCpuTime() - c0) / 1e6;
            if (r < 0) {
                if (empty && r == -1)
                    fixedCpu = cpu;
                continue;
            }
            Map<String, Object> acc = res.getAllAccumulatorResults();
            long in = acc.containsKey("in") ? (Long) acc.get("in") : nn;
            StringBuilder sb = new StringBuilder();
            sb.append(String.format(
                "{\"system\":\"flink-2.2.0\",\"workload\":\"%s\",\"where\":\"%s\",\"mode\":\"%s\",\"p\":%d,\"n\":%d,\"run\":%d,\"wall_ms\":%.1f,\"net_ms\":%d,\"cpu_ms\":%.0f,\"fixed_cpu_ms\":%.0f,\"records_in\":%d,\"rec_per_s\":%.0f,\"rss_peak_kb\":%d",
                name, a.b("cluster") ? "cluster" : "embedded", a.s("mode", "streaming"),
                a.i("p", 1), nn, r, ms, res.getNetRuntime(), cpu, fixedCpu, in,
                in * 1000.0 / Math.max(1, res.getNetRuntime()), rssPeakKb()));
            if (acc.containsKey("out"))
                sb.append(",\"out\":").append(acc.get("out"));
            if (a.b("verify") && acc.containsKey("cnt"))
                sb.append(String.format(",\"digest_count\":%d,\"digest\":\"%016x\"",
                    (Long) acc.get("cnt"), (Long) acc.get("sum")));
            for (Map.Entry<String, Object> e : acc.entrySet())
                if (e.getKey().startsWith("x-"))
                    sb.append(",\"")
                        .append(e.getKey().substring(2))
                        .append("\":")
                        .append(e.getValue());
            sb.append("}");
            System.out.println(sb);
            String jl = a.s("json-out", "");
            if (!jl.isEmpty())
                Files.writeString(Path.of(jl), sb + "\n", java.nio.file.StandardOpenOption.CREATE,
                    java.nio.file.StandardOpenOption.APPEND);
        }
    }
}
