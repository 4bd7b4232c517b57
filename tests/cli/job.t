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
finish
