#!/bin/sh
# What takes too long for a suite, or more rights than one has: stops of 20 s, four a process, of 25
# processes at a time; the same by the freezer of cgroups; the choice of users to report, of 10,000 for 30
# days.
# usage: by_hand.sh BUILD
set -u
build=$(realpath "$1") || exit 2
folder=$(mktemp -d) || exit 2
cgroups=
cleanup() {
    for cgroup in $cgroups; do
        rmdir "$cgroup"
    done
    rm -rf "$folder"
}
trap cleanup EXIT
status=0

# usage: run_all NAME COUNT STOPS MILLISECONDS [CGROUP_ROOT]
run_all() {
    pids=
    for i in $(seq "$2"); do
        cgroup=${5:+$5/methodbeat-$$-$i}
        if [ -n "$cgroup" ]; then
            mkdir "$cgroup" || return 1
            cgroups="$cgroups $cgroup"
        fi
        "$build/tests/watch/programs/watch_gaps" "$3" "$4" ${cgroup:+"$cgroup"} > "$folder/$1-$i" 2>&1 &
        pids="$pids $!"
    done
    failed=0
    for pid in $pids; do
        wait "$pid" || failed=$((failed + 1))
    done
    sed "s/^/$1: /" "$folder/$1"-*
    echo "$1: $2 processes, $(($2 * $3)) stops of $4 ms, $failed failed"
    [ "$failed" = 0 ] || status=1
}

run_all stops 25 4 20000
root=$(sed -n 's/^cgroup2* \(\S*\) cgroup2 .*/\1/p' /proc/mounts | head -n 1)
if [ -n "$root" ] && mkdir "$root/methodbeat-$$" 2> /dev/null && rmdir "$root/methodbeat-$$"; then
    run_all freezer 25 4 20000 "$root"
else
    echo "freezer: skipped, no cgroup may be made here"
fi
"$build/tests/spool/programs/spool_sampled" 10000 30 || status=1
exit $status
