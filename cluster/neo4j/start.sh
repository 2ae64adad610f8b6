#!/usr/bin/env bash
# A real Neo4j community server without containers: its published Maven artifacts, run by Java 17.
#
#   start.sh HOME [--port 7687] [--heap 2g] [--pagecache 512m]   start; returns when Bolt answers
#   start.sh --stop HOME                                         stop cleanly
#   start.sh --admin HOME ARGUMENTS...                           neo4j-admin on a stopped server
#
# HOME is made where missing and holds everything: data, logs, conf and the password of the user neo4j, which is
# $NEO4J_PASSWORD, or made up and written to HOME/password. The jars (123 MB) are downloaded once into $NEO4J_JARS
# (default: .tools/neo4j beside this repository's Makefile). The server listens on the loopback interface only.
set -euo pipefail

version=5.26.31
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
jars="${NEO4J_JARS:-${here}/../../.tools/neo4j}/${version}"

fail() { echo "start.sh: $*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "$1 is missing: install $2"; }

fetch_jars() {
    [[ -e "${jars}/.whole" ]] && return
    need mvn "Maven 3.8 or newer"
    mkdir -p "${jars}"
    exec 9>"${jars}/.lock"
    flock 9
    [[ -e "${jars}/.whole" ]] && return
    echo "Downloading Neo4j ${version} into ${jars} ..." >&2
    mvn -B -q -f "${here}/pom.xml" dependency:copy-dependencies -Dneo4j.version="${version}" \
        -DincludeScope=runtime -DoutputDirectory="${jars}" >&2
    touch "${jars}/.whole"
    exec 9>&-
}

admin() {
    NEO4J_HOME="${home}" NEO4J_CONF="${home}/conf" java -Xmx"${NEO4J_ADMIN_HEAP:-2g}" \
        --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
        -cp "${jars}/*" org.neo4j.server.startup.Neo4jAdminCommand "$@"
}

is_running() { [[ -e "${home}/run/pid" ]] && kill -0 "$(cat "${home}/run/pid")" 2>/dev/null; }

bolt_answers() {  # the handshake of Bolt: magic number, then versions that the client speaks
    local answer
    answer="$( { exec 3<>"/dev/tcp/127.0.0.1/${port}" \
        && printf '\x60\x60\xb0\x17\x00\x04\x04\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00' >&3 \
        && timeout 2 head -c 4 <&3 | od -An -tx1; } 2>/dev/null)" || return 1
    [[ -n "${answer}" && "${answer}" != " 00 00 00 00" ]]
}

stop() {
    is_running || return 0
    local pid
    pid="$(cat "${home}/run/pid")"
    kill "${pid}"
    for _ in $(seq 600); do
        kill -0 "${pid}" 2>/dev/null || { rm -f "${home}/run/pid"; return 0; }
        sleep 0.1
    done
    fail "the server of ${home} (process ${pid}) did not stop within 60 s"
}

prepare() {
    umask 077
    mkdir -p "${home}"/{conf,data,logs,run,plugins,import,lib,licenses,certificates}
    cat >"${home}/conf/neo4j.conf" <<CONF
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:${port}
server.http.enabled=false
server.memory.heap.max_size=${heap}
server.memory.pagecache.size=${pagecache}
dbms.usage_report.enabled=false
CONF
    if [[ ! -e "${home}/password" ]]; then
        printf '%s' "${NEO4J_PASSWORD:-$(head -c 18 /dev/urandom | base64 | tr '+/' '-_')}" >"${home}/password.new"
        admin dbms set-initial-password "$(cat "${home}/password.new")" >"${home}/logs/password.log" 2>&1 \
            || fail "the password was not set: see ${home}/logs/password.log"
        mv "${home}/password.new" "${home}/password"
    fi
}

start() {
    is_running && fail "a server is already running in ${home} (process $(cat "${home}/run/pid"))"
    (exec 3<>"/dev/tcp/127.0.0.1/${port}") 2>/dev/null && fail "port ${port} is taken: choose one with --port"
    prepare
    nohup java -Xms"${heap}" -Xmx"${heap}" -XX:+UseG1GC \
        --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -cp "${jars}/*" org.neo4j.server.CommunityEntryPoint \
        --home-dir="${home}" --config-dir="${home}/conf" >"${home}/logs/console.log" 2>&1 </dev/null &
    echo $! >"${home}/run/pid"
    for _ in $(seq 600); do
        bolt_answers && { echo "bolt://127.0.0.1:${port}"; return 0; }
        is_running || fail "the server ended: see ${home}/logs/console.log"
        sleep 0.2
    done
    stop
    fail "Bolt did not answer within 120 s: see ${home}/logs"
}

action=start
case "${1:-}" in
    --stop) action=stop; shift ;;
    --admin) action=admin; shift ;;
esac
[[ -n "${1:-}" && "${1}" != -* ]] || fail "name a folder for the server's data: start.sh HOME"
mkdir -p "$1"
home="$(cd "$1" && pwd)"
shift
if [[ "${action}" == stop ]]; then
    stop
    exit
fi
need java "Java 17"
fetch_jars
if [[ "${action}" == admin ]]; then
    is_running && fail "the server of ${home} is running: stop it first"
    admin "$@"
    exit
fi
port=7687 heap=2g pagecache=512m
while (($#)); do
    case "$1" in
        --port) port="${2:?}" ;;
        --heap) heap="${2:?}" ;;
        --pagecache) pagecache="${2:?}" ;;
        *) fail "unknown argument $1" ;;
    esac
    shift 2
done
start
