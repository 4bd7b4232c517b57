# probe --net against sites on loopback: refused, reset, slow, TLS, wrong certificate, a proxy that wants a login.
. tests/cli/lib.sh
PATH=$PATH:/usr/sbin:/sbin
command -v nginx >/dev/null && command -v openssl >/dev/null || { echo "nginx and openssl are needed: make deps"; exit 1; }
unset HF_ENDPOINT PIP_INDEX_URL http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
unset REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SSL_CERT_FILE UV_INDEX_URL UV_DEFAULT_INDEX WANDB_BASE_URL
export HOME=$work PIP_CONFIG_FILE=$work/no.conf

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null || wrong "no certificate"

# nginx serves plain, TLS, a login and an error; a few lines of Python serve what nginx would not
ports=($(python3 - <<'PY'
import socket
all = [socket.socket() for _ in range(8)]
for s in all: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in all))
PY
))
plain=${ports[0]} tls=${ports[1]} proxy=${ports[2]} broken=${ports[3]} reset=${ports[4]} slow=${ports[5]} dead=${ports[6]} login=${ports[7]}
cat >"$work/nginx.conf" <<C
daemon off; master_process off; pid $work/nginx.pid; error_log $work/nginx.err;
events {}
http {
    access_log off;
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
    server { listen 127.0.0.1:$plain; location / { return 200 "here\n"; } location /gone { return 404; } }
    server { listen 127.0.0.1:$tls ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem;
             location / { return 200 "here\n"; } }
    server { listen 127.0.0.1:$proxy; location / { return 407; } }
    server { listen 127.0.0.1:$broken; location / { return 503; } }
}
C
nginx -c "$work/nginx.conf" -p "$work" 2>"$work/nginx.say" &
nginx=$!
python3 - "$reset" "$slow" "$login" <<'PY' &
import socket, struct, sys, threading, time
def serve(port, what):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port)); s.listen()
    held = []
    while True:
        c, _ = s.accept()
        if what == "slow":
            held.append(c)
            continue
        c.recv(1000)
        if what == "login":
            c.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            c.close()
            continue
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        c.close()
for i, what in (2, "slow"), (3, "login"):
    threading.Thread(target=serve, args=(int(sys.argv[i]), what), daemon=True).start()
serve(int(sys.argv[1]), "reset")
PY
python=$!
trap 'kill $nginx $python 2>/dev/null; chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
for port in $plain $reset $slow $login; do
    for _ in $(seq 100); do (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.05; done
done

try() { # try OUTCOME ENV...: the hub under these variables
    local want=$1 got
    shift
    env "$@" "$FAULTLINE" probe --net net --format json >"$out" 2>"$err" || wrong "status $?: $*"
    got=$(sed -n 's/^    "net.hub": "\(.*\)",$/\1/p' "$out")
    [ "$got" = "$want" ] || wrong "'$got', not '$want': $* $(grep hub.says "$out")"
}
try ok HF_ENDPOINT=http://127.0.0.1:$plain
try ok HF_ENDPOINT=http://127.0.0.1:$plain/gone # it answers
try refused HF_ENDPOINT=http://127.0.0.1:$dead
try reset HF_ENDPOINT=http://127.0.0.1:$reset
try slow HF_ENDPOINT=http://127.0.0.1:$slow
try server-error HF_ENDPOINT=http://127.0.0.1:$broken
try dns HF_ENDPOINT=http://no-such-host.invalid
try tls HF_ENDPOINT=https://localhost:$plain # no TLS there
try certificate HF_ENDPOINT=https://localhost:$tls
try certificate HF_ENDPOINT=https://127.0.0.1:$tls REQUESTS_CA_BUNDLE="$work/cert.pem" # of another name
try ok HF_ENDPOINT=https://localhost:$tls REQUESTS_CA_BUNDLE="$work/cert.pem"
try proxy-login HF_ENDPOINT=http://hub.invalid HTTP_PROXY=http://user:word@127.0.0.1:$proxy
grep -q word "$out" && wrong "the password of the proxy comes out"
try proxy-login HF_ENDPOINT=https://hub.invalid https_proxy=http://127.0.0.1:$login
try proxy-refused HF_ENDPOINT=https://hub.invalid https_proxy=http://127.0.0.1:$proxy # it is none
try refused HF_ENDPOINT=https://hub.invalid https_proxy=http://127.0.0.1:$dead
grep -q '"net.proxy": "refused"' "$out" || wrong "the proxy itself is not told"
try proxy-dns HF_ENDPOINT=https://hub.invalid https_proxy=http://no-such-proxy.invalid:3128

# the package index: from the environment, else from pip's configuration; without --net nothing is asked
try ok HF_ENDPOINT=http://127.0.0.1:$plain PIP_INDEX_URL=http://name:word@127.0.0.1:$dead/simple
grep -q '"net.index": "refused"' "$out" || wrong "the index is not told"
grep -q word "$out" && wrong "the password of the index comes out"
printf '[global]\nindex-url = http://127.0.0.1:%s/simple\n' "$broken" >"$work/pip.conf"
try ok HF_ENDPOINT=http://127.0.0.1:$plain PIP_CONFIG_FILE="$work/pip.conf"
grep -q '"net.index": "server-error"' "$out" || wrong "pip's configuration is not read"
HF_ENDPOINT=http://127.0.0.1:$plain run probe --format json
grep -q '"net.hub"' "$out" && wrong "the net is asked without --net"
finish
