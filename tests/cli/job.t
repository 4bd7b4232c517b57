# What is said of whole jobs: several faults, missed ranks, restarts, several jobs in one folder.
. tests/cli/lib.sh
field() { # field PYTHON-EXPRESSION: of the JSON report in $out, called d
    python3 -c "import json, sys; d = json.load(open(sys.argv[1], encoding='utf-8')); print($1)" "$out"
}
is() { # is WHAT EXPECTED EXPRESSION
    local got
    got=$(field "$3")
    [ "$got" = "$2" ] || wrong "$1: '$got', not '$2'"
}

# two ranks broke of different things: two faults, not two explanations of one
mkdir "$work/two"
cat >"$work/two/out.log" <<'LOG'
[rank0]: step 10/500 loss 2.91 time 0.4
[rank1]: step 10/500 loss 2.91 time 0.4
[rank2]: step 10/500 loss 2.91 time 0.4
[rank3]: step 10/500 loss 2.91 time 0.4
[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/ana/fit.py", line 71, in <module>
[rank1]:     main()
[rank1]:   File "/home/ana/fit.py", line 60, in main
[rank1]:     loss.backward()
[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 1 has a total capacity of 79.15 GiB of which 1.12 GiB is free.
[rank3]: Traceback (most recent call last):
[rank3]:   File "/home/ana/fit.py", line 71, in <module>
[rank3]:     main()
[rank3]:   File "/home/ana/fit.py", line 55, in main
[rank3]:     y = model(x)
[rank3]: RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)
LOG
expect 1 diagnose -f json "$work/two"
is "the first fault" "cuda-out-of-memory 1" "'%s %d' % (d['diagnoses'][0]['entry'], d['first_fault']['rank'])"
is "the second fault" "['shape-mismatch']" "sorted({x['entry'] for x in d['diagnoses'] if x['fault'] == 2})"
for format in text markdown html; do
    expect 1 diagnose -f "$format" "$work/two"
    says "another fault, rank 3: Shapes of tensors do not fit"
done

# several jobs in one folder: told apart by their numbers, the report is about the one that failed last
mkdir "$work/jobs"
info="[2026-03-14 02:10:00,274] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: version="
{
    echo "${info}0.14.2, git-hash=unknown, git-branch=unknown"
    cat "$work/two/out.log"
} >"$work/jobs/slurm-4711.out"
{
    echo "${info}0.15.0, git-hash=unknown, git-branch=unknown"
    echo "[rank0]: step 10/500 loss 2.91 time 0.4"
    echo "$oom"
} >"$work/jobs/slurm-4712.out"
echo "$healthy" >"$work/jobs/slurm-4713.out"
expect 1 diagnose -f json "$work/jobs"
is "the job" 4712 "d['job']"
is "its faults" "[1]" "sorted({x['fault'] for x in d['diagnoses']})"
is "the jobs" "[('4711', 'failed', 2), ('4712', 'failed', 1), ('4713', 'healthy', 0)]" \
    "[(j['job'], j['verdict'], max([x['fault'] for x in j['diagnoses']] + [0])) for j in d['jobs']]"
is "a job's inputs" "['slurm-4713.out']" "[i['path'] for i in d['jobs'][2]['inputs']]"
is "facts of each job" "['0.14.2', '0.15.0']" "[j['facts'].get('deepspeed.version') for j in d['jobs'][:2]]"
is "jobs of a job" False "'jobs' in d['jobs'][0]"
expect 1 diagnose "$work/jobs"
says "3 in this folder; this report is about 4712"
for format in markdown html; do
    expect 1 diagnose -f $format "$work/jobs"
    says "3 in this folder; this report is about 4712"
    says "4713  healthy: "
done
expect 1 timeline "$work/jobs"
says "3 jobs in this folder; this is 4712"
grep -qE '^rank 1 ' "$out" && wrong "the timeline draws a rank of another job: $(cat "$out")"
grep -qE '4711|4713' "$out" && wrong "the timeline draws other jobs: $(cat "$out")"

# attempts: torchrun's folders, and a log that a job wrote again; --attempt and the JSON count alike
mkdir -p "$work/elastic/none_k2/attempt_0/1" "$work/elastic/none_k2/attempt_1/0"
echo "${oom#*: }" >"$work/elastic/none_k2/attempt_0/1/stderr.log"
sed -n 's/^.rank3.: //p' "$work/two/out.log" | tail -6 >"$work/elastic/none_k2/attempt_1/0/stderr.log"
expect 1 diagnose -f json "$work/elastic"
is "the last attempt" "shape-mismatch 0 2" \
    "'%s %d %d' % (d['diagnoses'][0]['entry'], d['first_fault']['rank'], d['first_fault']['attempt'])"
expect 1 diagnose -f json --attempt 1 "$work/elastic"
is "the first attempt" "cuda-out-of-memory 1 1" \
    "'%s %d %d' % (d['diagnoses'][0]['entry'], d['first_fault']['rank'], d['first_fault']['attempt'])"
{
    printf 'INFO: tokens of 12 shards counted\nINFO: a model of %s M weights\n' 124
    printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 30
    echo "slurmstepd: error: *** JOB 4711 ON node07 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    printf 'INFO: tokens of 12 shards counted\nINFO: a model of %s M weights\n' 124
    printf 'step %s/500 loss 2.9 time 0.4\n' 10 20
    sed -n 's/^.rank3.: //p' "$work/two/out.log" | tail -6
} >"$work/requeued.log"
expect 1 diagnose -f json "$work/requeued.log"
is "after the node" "failed shape-mismatch 2" \
    "'%s %s %d' % (d['ended'], d['diagnoses'][0]['entry'], d['first_fault']['attempt'])"
expect 1 diagnose -f json --attempt 1 "$work/requeued.log"
is "the node" "node_failure 1" "'%s %d' % (d['ended'], d['first_fault']['attempt'])"

# a host whose clock is five minutes behind did not break first: the steps of both tell so
mkdir "$work/clocks"
for step in 10 20 30 40; do
    printf '2024-05-01 12:%s:05 [rank0]: step %s/500 loss 2.9 time 0.4\n' "$step" "$step" >>"$work/clocks/node-01.log"
    printf '2024-05-01 12:%s:05 [rank8]: step %s/500 loss 2.9 time 0.4\n' "$((step - 5))" "$step" | sed 's/12:5:/12:05:/' >>"$work/clocks/node-02.log"
done
printf '2024-05-01 12:41:00 [rank0]: %s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    y = model(x)' \
    'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)' >>"$work/clocks/node-01.log"
printf '2024-05-01 12:36:30 [rank8]: %s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    y = model(x)' \
    'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)' >>"$work/clocks/node-02.log"
expect 1 diagnose -f json "$work/clocks"
is "the first by one clock" "0 2024-05-01T12:41:00" "'%d %s' % (d['first_fault']['rank'], d['first_fault']['time'])"

# where no steps were made the first barrier tells it
mkdir "$work/barrier"
fails() { # fails RANK TIME FILE
    printf "2024-05-01 $2 [rank$1]: %s\n" 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    y = model(x)' \
        'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)' >>"$work/barrier/$3"
}
barrier='INFO Rank %s: Completed store-based barrier for key:store_based_barrier_key:1 with 16 nodes.\n'
printf "2024-05-01 12:00:10 [rank0]: $barrier" 0 >"$work/barrier/node-01.log"
printf "2024-05-01 11:55:10 [rank8]: $barrier" 8 >"$work/barrier/node-02.log"
fails 0 12:01:00 node-01.log
fails 8 11:56:30 node-02.log
expect 1 diagnose -f json "$work/barrier"
is "the first by one barrier" "0" "d['first_fault']['rank']"

# where nobody met, that all were ended at once does, if they began at once by the same clocks
ended() { # FOLDER NODE-2-BEGINS NODE-2-ENDS WORDS: node-01 begins at 12:00 and is ended at 12:20
    local folder=$work/$1 begins=$2 ends=$3 from to node
    mkdir "$folder"
    for node in 1 2; do
        [ $node = 1 ] && from=12:00 || from=$begins
        echo "2024-05-01 $from:00 [rank$((node * 8 - 8))]: loading the tokenizer" >"$folder/node-0$node.log"
    done
    echo "2024-05-01 $from:00 [rank8]: ready" >>"$folder/node-02.log"
    fails 0 12:01:00 node-01.log
    fails 8 "${begins%:*}:$(printf %02d $((10#${begins#*:} + 1))):30" node-02.log
    for node in 1 2; do
        cat "$work/barrier/node-0$node.log" >>"$folder/node-0$node.log"
        [ $node = 1 ] && to=12:20 || to=$ends
        echo "$4" | sed "s/TIME/$to:00/; s/NODE/node-0$node/" >>"$folder/node-0$node.log"
    done
    rm "$work/barrier/"*
    expect 1 diagnose -f json "$folder"
}
rm "$work/barrier/"*
ended killed 11:55 12:15 '2024-05-01 TIME W run.py:1] Received Signals.SIGTERM death signal, shutting down workers'
is "the first by one end" "0" "d['first_fault']['rank']"
ended cancelled 11:55 12:15 'slurmstepd: error: *** STEP 71234.0 ON NODE CANCELLED AT 2024-05-01TTIME ***'
is "the first by Slurm's word" "0" "d['first_fault']['rank']"
ended later 11:55 12:20 '2024-05-01 TIME W run.py:1] Received Signals.SIGTERM death signal, shutting down workers'
is "it began earlier, and broke first" "8" "d['first_fault']['rank']"

# no prefixes: the only rank that the launcher saw fail wrote the traceback
cat >"$work/bare.log" <<'LOG'
Traceback (most recent call last):
  File "fit.py", line 3, in <module>
    import apackage
ModuleNotFoundError: No module named 'apackage'
ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 2 (pid: 770) of binary: /usr/bin/python3
Root Cause (first observed failure):
[0]:
  time      : 2024-05-01_12:00:00
  host      : node07
  rank      : 10 (local_rank: 2)
  exitcode  : 1 (pid: 770)
  error_file: <N/A>
LOG
expect 1 diagnose -f json "$work/bare.log"
is "the only one" "4 10" "'%d %d' % (d['first_fault']['line'], d['first_fault']['rank'])"

# no prefixes: the others end the step that the broken rank did not; it has not survived
{
    printf 'step %s/500 loss 2.9 time 0.4\n' 10 10 20 20
    printf '%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    y = model(x)' \
        'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)'
    echo 'step 20/500 loss 2.9 time 0.4'
    printf '%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 10, in <module>' '    loss.backward()' \
        'RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.7]:25522'
    echo 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 770) of binary: /usr/bin/python3'
    echo 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: '
} >"$work/same-step.log"
expect 1 diagnose -f json "$work/same-step.log"
is "the broken one" "shape-mismatch 8" "'%s %d' % (d['diagnoses'][0]['entry'], d['first_fault']['line'])"

# a log that just stops while the machine goes on is cut; one that nothing follows may still run
mkdir "$work/stops"
for minute in 10 11 12; do
    echo "2024-05-01 12:$minute:00 step $minute/500 loss 2.9 time 0.4"
done >"$work/stops/train.log"
expect 0 diagnose -f json "$work/stops"
is "may still run" "healthy None" "'%s %s' % (d['verdict'], d['ended'])"
printf '2024-05-01T12:%s:00+00:00 node07 systemd[1]: Started Session %s of user ana.\n' 11 3 40 4 >"$work/stops/journal.log"
printf '2024-05-01T12:%s:00+00:00 node07 kernel: usb 1-1: new device found\n' 12 41 >>"$work/stops/journal.log"
expect 1 diagnose -f json "$work/stops"
is "just stops" "failed cut True" "'%s %s %s' % (d['verdict'], d['ended'], 'step 12/500' in d['summary'])"

# order without clocks: what a launcher tells stands in a file whose name comes first, and is no reason for that
mkdir "$work/untimed"
for rank in 0 1 3; do
    printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 >"$work/untimed/rank$rank.out"
    printf 'Traceback (most recent call last):\n  File "fit.py", line 9, in <module>\n    loss.backward()\n%s\n' \
        "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete" \
        >"$work/untimed/rank$rank.err"
done
printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 >"$work/untimed/rank2.out"
cat >"$work/untimed/launch.log" <<'LOG'
WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 4243 closing signal SIGTERM
ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 4241) of binary: /usr/bin/python3
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
LOG
expect 1 diagnose -f json "$work/untimed"
is "a wait, not its launcher" "True 2" \
    "'%s %d' % (d['diagnoses'][0]['symptom'] in ('4.7', '4.11'), d['first_fault']['rank'])"

# the place of a hang is the last line of who did not come, and a report tells that line as it stands
mkdir "$work/absent"
for rank in 0 1 2 3; do
    printf '[rank%s] world_size=4 step 7 loss 2.5\n' "$rank" >"$work/absent/rank$rank.log"
    [ "$rank" = 2 ] || printf '[rank%s]:[E506 07:10:31.220 ProcessGroupNCCL.cpp:607] [Rank %s] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=43, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600023 milliseconds before timing out.\n' \
        "$rank" "$rank" >>"$work/absent/rank$rank.log"
done
expect 1 diagnose -f json "$work/absent"
is "who did not come, at its last line" "rank2.log 1 2 [rank2] world_size=4 step 7 loss 2.5" \
    "'%(file)s %(line)d %(rank)d %(text)s' % d['first_fault']"
expect 1 diagnose "$work/absent"
says "saw    rank 2 did not come to ALLREDUCE"

# output that was held back until its process ended: the error stands before the steps that came before it
{
    printf '[default2]:%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    y = model(x)' \
        'RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x7 and 8x4)'
    for rank in 0 1 2; do
        for step in 1 2 3 4 5; do printf '[default%s]:step %s/500 loss 2.9 time 0.4\n' $rank $step; done
    done
    for rank in 0 1; do
        printf "[default$rank]:%s\n" 'Traceback (most recent call last):' '  File "fit.py", line 12, in <module>' '    loss.backward()' \
            'RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:5807'
    done
    printf '%s\n' 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 2 (pid: 9246) of binary: /usr/bin/python3' \
        'Traceback (most recent call last):' '  File "/opt/torch/distributed/launcher/api.py", line 246, in launch_agent' '    raise ChildFailedError(' \
        'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ' 'fit.py FAILED' 'Failures:' '  <NO_OTHER_FAILURES>' \
        'Root Cause (first observed failure):' '[0]:' '  rank      : 2 (local_rank: 2)' '  exitcode  : 1 (pid: 9246)'
} >"$work/held-back.log"
# or only the last of them
sed -n '/default2.:step [1-3]/p' "$work/held-back.log" >"$work/held-in-part.log"
sed '/default2.:step [1-3]/d' "$work/held-back.log" >>"$work/held-in-part.log"
expect 1 diagnose -f json "$work/held-in-part.log"
is "an error among its steps" "shape-mismatch 2" "'%s %s' % (d['diagnoses'][0]['entry'], d['first_fault']['rank'])"
expect 1 diagnose -f json "$work/held-back.log"
is "an error before its steps" "shape-mismatch 2" "'%s %s' % (d['diagnoses'][0]['entry'], d['first_fault']['rank'])"

# without prefixes: three ranks lost the one that was killed, in tracebacks that differ in their message's end alone
{
    printf 'step %s/500 loss 2.9 time 0.4\n' 1 2 3 4
    for how in '589] Read error [127.0.0.1]:12182: Connection reset by peer' '598] Connection closed by peer [127.0.0.1]:30097'; do
        printf '%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 12, in <module>' '    loss.backward()' \
            "RuntimeError: [../gloo/transport/tcp/pair.cc:$how"
    done
    echo 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 5) of binary: /usr/bin/python3'
    printf '%s\n' 'Failures:' '[1]:' '  time      : 2026-11-22_05:11:16' '  host      : box1' '  rank      : 1 (local_rank: 1)' \
        '  exitcode  : -9 (pid: 6)' '  error_file: <N/A>' '  traceback : Signal 9 (SIGKILL) received by PID 6' \
        'Root Cause (first observed failure):' '[0]:' '  time      : 2026-11-22_05:11:16' '  host      : box1' \
        '  rank      : 0 (local_rank: 0)' '  exitcode  : 1 (pid: 5)'
} >"$work/killed.log"
expect 1 diagnose -f json "$work/killed.log"
is "the killed rank" "4.8 1" "'%s %s' % (d['diagnoses'][0]['symptom'], d['first_fault']['rank'])"

# a rank dies of its own exception, the others wait for it in vain: its exception is the fault
{
    printf '%s: fit begins\n' 0 1 2 3
    printf '3: %s\n' 'Traceback (most recent call last):' '  File "fit.py", line 31, in before' \
        '    raise ValueError("--accumulate must be a positive integer, got 0")' \
        'ValueError: --accumulate must be a positive integer, got 0'
    for rank in 2 0 1; do
        printf "$rank: %s\n" 'Traceback (most recent call last):' '  File "fit.py", line 40, in main' \
            '    dist.init_process_group("gloo")' 'RuntimeError: Socket Timeout'
    done
    printf 'srun: error: box1: task %s: Exited with exit code 1\n' 0 1 2 3
} >"$work/waited.out"
expect 1 diagnose -f json "$work/waited.out"
is "who died first" "8 3" "'%d %d' % (d['first_fault']['line'], d['first_fault']['rank'])"
# srun tells of each task's end: the one that left without a word and with another code
{
    printf '%s: step 10/500 loss 2.9 time 0.4\n' 0 1 2 3
    for rank in 0 2 3; do
        printf "$rank: %s\n" 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' '    loss.backward()' \
            'RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.7]:25522'
    done
    printf 'srun: error: box1: task %s: Exited with exit code %s\n' 0 1 1 17 2 1 3 1
} >"$work/left.out"
expect 1 diagnose -f json "$work/left.out"
is "who left" "4.8 1 box1" \
    "'%s %d %s' % (d['diagnoses'][0]['symptom'], d['first_fault']['rank'], d['first_fault']['host'])"

# the scheduler tells which node failed: the fault is that node's, whoever else wrote
{
    printf '%s: step 10/500 loss 2.9 time 0.4\n' 0 1 2 3
    echo 'srun: error: Node failure on box-c12'
    echo 'slurmstepd: error: *** JOB 77 ON box-c01 CANCELLED AT 2024-05-01T12:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***'
} >"$work/lost.out"
expect 1 diagnose -f json "$work/lost.out"
is "the node that failed" "box-c12 None node_failure ['box-c12']" \
    "'%s %s %s %s' % (d['first_fault']['host'], d['first_fault']['rank'], d['ended'], d['restart']['exclude'])"

# whichever line comes first
{
    head -4 "$work/lost.out"
    tail -1 "$work/lost.out"
    echo 'srun: error: Node failure on box-c12'
} >"$work/lost2.out"
expect 1 diagnose -f json "$work/lost2.out"
is "the node named later" "box-c12 ['box-c12'] ['sinfo -R', 'scontrol show node box-c12']" \
    "'%s %s %s' % (d['first_fault']['host'], d['restart']['exclude'], d['diagnoses'][0]['fixes'][0]['commands'])"

# srun's tasks are ranks, but where each of them is a launcher of ranks
echo 'srun: error: box-c7: task 1: Killed' >"$work/task.out"
expect 1 diagnose -f json "$work/task.out"
is "a task that is a rank" "box-c7 1" "'%s %s' % (d['first_fault']['host'], d['first_fault']['rank'])"
sed -i '1i + srun --ntasks-per-node=1 torchrun --nnodes=4 --nproc_per_node=8 train.py' "$work/task.out"
expect 1 diagnose -f json "$work/task.out"
is "a task that is a node" "box-c7 None 0" \
    "'%s %s %s' % (d['first_fault']['host'], d['first_fault']['rank'], d['ranks']['seen'])"

# the node that the advice leaves out is the one that the commands drain
{
    printf '%s: step 10/500 loss 2.9 time 0.4\n' 0 1 2 3
    echo '[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered'
} >"$work/ecc.out"
echo "May  1 12:00:00 box-c7 kernel: NVRM: Xid (PCI:0000:9b:00): 48, pid=71, name=python, DBE (double bit error) ECC Error" >"$work/ecc.kern"
expect 1 diagnose -f json "$work/ecc.out" "$work/ecc.kern"
is "the node to drain" "['box-c7'] True" \
    "'%s %s' % (d['restart']['exclude'], any('nodename=box-c7 ' in c for c in d['diagnoses'][0]['fixes'][0]['commands']))"

# a command names what is not known so that a shell takes it for no file
echo 'Host key verification failed.' >"$work/ssh.out"
expect 1 diagnose -f json "$work/ssh.out"
is "a host that nobody names" "ssh-keygen -R HOST" "d['diagnoses'][0]['fixes'][0]['commands'][0]"

# a number is not cut short into another one
oom='torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free.'
for more in '' 7 76 765 7654; do
    echo "$oom Process 42$more has 78.02 GiB memory in use. Of the allocated memory 61234567.89 GiB is allocated by PyTorch, and 0.9 GiB is reserved" >"$work/long.out"
    expect 1 diagnose "$work/long.out"
    tr -s ' \n' ' ' <"$out" | grep -q 'memory [0-9.]* \.\.\.' && wrong "a number is cut: $(cat "$out")"
done
# of more jobs than are told apart the last ones are read, where a scheduler gave the numbers; a scan reads all
mkdir "$work/season" "$work/pieces"
for job in $(seq 4701 4770); do
    { printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 30 && echo 'RuntimeError: CUDA error: an illegal memory access was encountered'; } >"$work/season/slurm-$job.out"
    cp "$work/season/slurm-$job.out" "$work/pieces/piece-1$job.log"
done
expect 1 diagnose -f json "$work/season"
is "the last of many jobs" "64 4707 slurm-4770.out" \
    "'%d %s %s' % (len(d['jobs']), d['jobs'][0]['job'], d['first_fault']['file'])"
is "the older ones" "True" "d['remarks'][0].startswith('6 older jobs')"
expect 0 scan --count "$work/season"
[ "$(grep -c cuda-illegal-memory-access "$out")" = 70 ] || wrong "a scan left some of 70 jobs out"
expect 1 diagnose -f json "$work/pieces"
is "numbers that may be anything" "0 70" "'%d %d' % (len(d['jobs']), len(d['inputs']))"

# one number, or none, is one job
rm "$work/jobs/slurm-4711.out" "$work/jobs/slurm-4713.out"
expect 1 diagnose -f json "$work/jobs"
is "one job" "[]" "d['jobs']"
finish
