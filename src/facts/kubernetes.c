/* Kubernetes: kubectl describe pod|job|node, kubectl get pods, and pods as YAML. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"

enum { HEAD = 16384 /* bytes that show what it is */ };

struct pod {
    struct reading *reading;
    bool last_state; /* inside "Last State:" */
    bool events;
    bool listing; /* below the heading of kubectl get */
    size_t state_indent;
};

static void note_reason(struct pod *pod, struct str value) {
    struct reading *reading = pod->reading;
    note(reading, pod->last_state ? STR("kube.last_reason") : STR("kube.reason"), value);
    if (str_eq(value, STR("OOMKilled"))) note(reading, STR("kube.oom_killed"), STR("yes"));
    if (str_eq(value, STR("Evicted"))) note(reading, STR("kube.evicted"), STR("yes"));
}

/* "  Warning  BackOff    3m19s (x256 over 58m)  kubelet   Back-off restarting ..." */
static bool event_line(struct pod *pod, struct str line) {
    struct str rest, type = pick_word(line, &rest), reason;
    if (!str_eq(type, STR("Warning"))) return str_eq(type, STR("Normal"));
    reason = pick_word(rest, &rest);
    note(pod->reading, STR("kube.event"), reason);
    struct str message = rest;
    static const char *const sources[] = {"kubelet", "default-scheduler", "job-controller",
                                          "node-controller", "taint-eviction-controller"};
    for (size_t i = 0; i < COUNT_OF(sources); i++)
        if (pick_after(rest, str_of(sources[i]), &message)) break;
    note(pod->reading, note_key_of(pod->reading, "kube.event.", reason), message);
    return true;
}

/* "name   0/1   CrashLoopBackOff   16 (3m ago)   58m" */
static void list_line(struct pod *pod, struct str line) {
    struct str rest, name = pick_word(line, &rest), ready = pick_word(rest, &rest),
                     status = pick_word(rest, &rest);
    int count;
    if (!str_has(ready, STR("/")) || !status.n) return;
    note(pod->reading, note_key_of(pod->reading, "kube.pod.", name), status);
    note(pod->reading, STR("kube.reason"), status);
    if (pick_int(rest, &count) && count > 0) note_int(pod->reading, STR("kube.restarts"), count);
}

static void label_line(struct pod *pod, struct str line) {
    struct str name, value;
    struct reading *reading = pod->reading;
    if (!pick_pair(line, ':', &name, &value)) return;
    if (str_eq(name, STR("Events")))
        pod->events = true;
    else if (str_eq(name, STR("Last State")) || str_eq(name, STR("lastState")))
        pod->last_state = true, pod->state_indent = pick_indent(line);
    else if (str_eq(name, STR("State")) || str_eq(name, STR("state"))) {
        pod->last_state = false;
        note(reading, STR("kube.state"), value);
    } else if (str_eq_nocase(name, STR("Reason")))
        note_reason(pod, value);
    else if (str_eq(name, STR("Exit Code")) || str_eq(name, STR("exitCode")))
        note(reading, STR("kube.exit_code"), value);
    else if (str_eq(name, STR("Restart Count")) || str_eq(name, STR("restartCount")))
        note(reading, STR("kube.restarts"), value);
    else if (str_eq(name, STR("Status")) && pick_indent(line) == 0)
        note(reading, STR("kube.status"), value);
    else if (str_eq(name, STR("Node")) && pick_indent(line) == 0)
        note(reading, STR("kube.node"), pick_until(value, STR("/")));
    else if (str_eq(name, STR("Name")) && pick_indent(line) == 0)
        note(reading, STR("kube.name"), value);
    else if (str_eq(name, STR("Image")))
        note(reading, STR("kube.image"), value);
    else if (str_eq(name, STR("memory")) && pick_indent(line) >= 6)
        note(reading, STR("kube.memory"), value);
    else if (str_eq(name, STR("nvidia.com/gpu")))
        note(reading, STR("kube.gpus"), value);
    else if (str_eq(name, STR("SizeLimit")) || str_eq(name, STR("sizeLimit")))
        note(reading, STR("kube.shm_limit"), value);
    else if (str_eq(name, STR("QoS Class")))
        note(reading, STR("kube.qos"), value);
    else if (str_eq(name, STR("Ready")) &&
             (str_eq(value, STR("True")) || str_eq(value, STR("False"))))
        pod->last_state = false;
}

static void read_pods(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "kubectl");
    struct pod pod = {.reading = &reading};
    note(&reading, STR("container"), STR("kubernetes"));
    while (reading_line(&reading, &line)) {
        if (str_starts(line, STR("NAME ")) && str_has(line, STR("STATUS")))
            pod.listing = true;
        else if (pod.listing)
            list_line(&pod, line);
        else if (!(pod.events && event_line(&pod, line)))
            label_line(&pod, line);
    }
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    head = str_sub(head, 0, HEAD);
    struct str rest = head, line;
    (void)name;
    if (str_has(head, STR("Namespace:")) &&
        (str_has(head, STR("Restart Count:")) || str_has(head, STR("Containers:")) ||
         str_has(head, STR("Events:"))))
        return 94;
    if (str_has(head, STR("Last State:")) && str_has(head, STR("Exit Code:"))) return 88;
    if (str_has(head, STR("containerStatuses:")) || str_has(head, STR("terminationMessagePath:")))
        return 88;
    if (str_has(head, STR("Reason:")) && str_has(head, STR("Exit Code:")) &&
        str_has(head, STR("State:")))
        return 88;
    for (int i = 0; i < 5 && str_line(&rest, &line); i++)
        if (str_starts(line, STR("NAME ")) && str_has(line, STR("READY")) &&
            str_has(line, STR("RESTARTS")))
            return 93;
    bool yaml = str_has(head, STR("apiVersion:")) && str_has(head, STR("kind:"));
    return yaml ? 85 : str_has(head, STR("lastState:")) && str_has(head, STR("exitCode:")) ? 85 : 0;
}

const struct fact_reader reader_kubernetes = {.id = "kubernetes",
                                              .about = "kubectl describe, kubectl get",
                                              .kind = KIND_SCHEDULER,
                                              .recognize = recognize,
                                              .read = read_pods};
