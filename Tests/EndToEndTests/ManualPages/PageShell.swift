/// The shell that runs the commands of the manual.
enum PageShell {
    /// Definitions of the programs that the pages use. Only programs that change nothing outside of the working
    /// directory run; the shell records the others.
    static let definitions = #"""
        set -u
        PATH=/nonexistent
        fail() { printf '%s\n' "$*" >>"$failures"; }
        for name in cat chmod cut date grep head openssl sleep tr wc; do
            eval "$name() { command -p $name \"\$@\"; }"
        done
        command_not_found_handle() { printf '%s\n' "$*" >>"$not_run"; }
        cd() { :; }; kill() { :; }; ulimit() { :; }
        # The options have to be in the text of the script.
        script_line() {
            local argument
            for argument in "${@:2}"; do
                [[ $argument != --* || $(<"$root/script/$1") == *"$argument"* || $1 == test ]] || fail "script/$*"
            done
        }
        function .build/release/gatehouse { gatehouse "$@"; }
        function /usr/local/bin/gatehouse-new { gatehouse "$@"; }
        gatehouse-new() { gatehouse "$@"; }
        function .build-bench/bin/python { python3 "$@"; }
        # A gateway of the page runs already, so `serve` checks its options and configuration only.
        gatehouse() {
            local errors status options=()
            case "${1:-} ${2:-}" in
                "demo "*) return ;;
                "serve "*) set -- check "${@:2}" ;;
                "explain "*) options=(--admin "$admin") ;;
                "revoke "*) options=(--config client.yaml) ;;
                "token mint") [[ "$*" =~ --provider\ oidc\.([a-z]+) ]] &&
                    options=(--issuer "$provider/oidc/${BASH_REMATCH[1]}") ;;
            esac
            { errors=$("$program" "$@" ${options[@]+"${options[@]}"} 2>&1 >&3); status=$?; } 3>&1
            case $1:$status in
                *:0) ;;
                # A denial is a result.
                explain:1 | token:1) [[ $errors != *Error:* ]] || fail "gatehouse $*: $errors" ;;
                *) fail "gatehouse $*: exit code $status: $errors" ;;
            esac
            return $status
        }
        sed() {
            command -p sed "$@" || fail "sed $*"
            [ "$1" = -i ] || return
            # The gateway has the file in use.
            builtin kill -HUP "$pid"
            for _ in {1..300}; do
                [[ $(command -p curl -s "http://$admin/metrics") == *'reloads_total{result="ok"} '[1-9]* ]] && return
                command -p sleep 0.1
            done
            fail "sed $*: the gateway did not reload the file"
        }
        curl() {
            local argument port found=
            for argument; do
                [[ $argument == http://127.0.0.1:* ]] || continue
                port=${argument#http://127.0.0.1:}
                [[ $ports == *" ${port%%/*} "* ]] && found=yes
            done
            [ -n "$found" ] || fail "curl $*: no URL of a server of this page"
            command -p curl -sS --max-time 10 "$@"
            # 28: a stream that lasts longer.
            case $? in 0 | 28) ;; *) fail "curl $*: no response" ;; esac
        }

        """#
}
