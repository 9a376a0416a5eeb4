#!/bin/sh
# What an administrator does with the panel on its host: see tunnel-panel(1).
set -eu

CONF=/etc/tunnel-panel/panel.conf

usage() {
  echo "tunnel-panel status | url | set-listen ADDRESS [PORT] [--without-tls] | make-certificate NAME... | reset-password [--keep-tokens] | rpc METHOD [PARAMETERS] | interfaces [--own] | limits | allow KIND VALUE | pair CODE | safe-apply [status | confirm | cancel] [--if-any] | check-store | set-aside FILE | open-setup | take-down | completion bash | tunnels, routes, monitor, ... VERB [ID] [--FIELD VALUE] [--data FILE] [-o json | table] [--panel URL --token-file FILE]" >&2
  exit 1
}

only_root() {
  [ "$(id -u)" = 0 ] || { echo "Run it as root: sudo tunnel-panel $1" >&2; exit 1; }
}

# Debian's node cannot give root up by itself (it fears io_uring, CVE-2024-22017), so the program begins as the panel's user.
command_of_the_panel() {
  only_root "$1"
  PANEL_CONFIG_FILE=$CONF setpriv --reuid=tunnel-panel --regid=tunnel-panel --clear-groups --no-new-privs --inh-caps=-all /usr/bin/node /usr/lib/tunnel-panel/tunnel-panel.cjs "$@"
}

# The program itself decides whether it is this host's panel or one elsewhere, and becomes the panel's user for the former.
api_command() {
  [ "$1" = completion ] || [ ! -r "$CONF" ] || export PANEL_CONFIG_FILE="$CONF"
  exec /usr/bin/node /usr/lib/tunnel-panel/tunnel-panel.cjs "$@"
}

option() { sed -n "s/^$1=//p" "$CONF" | tail -n 1; }

set_option() {
  if grep -q "^$1=" "$CONF"; then sed -i "s|^$1=.*|$1=$2|" "$CONF"; else echo "$1=$2" >>"$CONF"; fi
  sync "$CONF"
}

is_loopback() { case $1 in 127.* | ::1) true ;; *) false ;; esac; }

url() {
  only_root url
  # Where the operator has kept it, or else as it is configured.
  listens=$(command_of_the_panel listens)
  address=${listens%% *} scheme=${listens##* } port=${listens#* }
  port=${port% *}
  path=$(option PANEL_WEB_PATH)
  case $address in
    0.0.0.0 | ::) host=$(hostname -f 2>/dev/null || hostname) ;;
    *:*) host="[$address]" ;;
    *) host=$address ;;
  esac
  echo "$scheme://$host:$port/${path:+$path/}"
  if is_loopback "$address"; then
    echo "It is reached from this host alone. From elsewhere: ssh -L $port:$host:$port root@$(hostname), and open that address there."
  fi
}

set_listen() {
  only_root set-listen
  address="" port="" without_tls=""
  for word in "$@"; do
    case $word in
      --without-tls) without_tls=yes ;;
      *) if [ -z "$address" ]; then address=$word; elif [ -z "$port" ]; then port=$word; else usage; fi ;;
    esac
  done
  case $address in "" | *[!0-9A-Fa-f.:]*) usage ;; esac
  case $port in *[!0-9]*) usage ;; esac
  if ! is_loopback "$address" && [ -z "$(option PANEL_TLS_CERT)" ] && [ -z "$without_tls" ]; then
    echo "Without TLS a password would cross the network in the clear. Set PANEL_TLS_CERT and PANEL_TLS_KEY in $CONF first, or say --without-tls where a proxy before the panel has it." >&2
    exit 1
  fi
  cp -p "$CONF" "$CONF.before"
  set_option PANEL_LISTEN_ADDRESS "$address"
  [ -z "$port" ] || set_option PANEL_LISTEN_PORT "$port"
  # A listener that was kept in the panel gives way to a new configuration, and here to what is configured already.
  ! cmp -s "$CONF" "$CONF.before" || command_of_the_panel forget-listener
  if systemctl restart tunnel-panel-web; then
    rm "$CONF.before"
    url
  else
    mv "$CONF.before" "$CONF"
    systemctl restart tunnel-panel-web || true
    echo "The panel cannot listen there, so it listens where it did before. Why: journalctl -u tunnel-panel-web" >&2
    exit 1
  fi
}

make_certificate() {
  command_of_the_panel make-certificate "$@"
  set_option PANEL_TLS_CERT /var/lib/tunnel-panel/panel.crt
  set_option PANEL_TLS_KEY /var/lib/tunnel-panel/panel.key
  echo "They are in $CONF now."
  systemctl restart tunnel-panel-web
  url
}

# A file that a daemon cannot use. It is kept under another name, to be looked at.
set_aside() {
  only_root "set-aside ${1-}"
  case ${1-} in
    change-under-way.json | ruleset.json | links.json | answers.json | networks.json | window.json | window-ended.json)
      unit=tunnel-panel-helper folder=$(option PANEL_HELPER_STATE_DIR) default=/var/lib/tunnel-panel-helper ;;
    panel.db | session.key)
      unit=tunnel-panel-web folder=$(option PANEL_STATE_DIR) default=/var/lib/tunnel-panel ;;
    *) usage ;;
  esac
  file=${folder:-$default}/$1
  # What SQLite has written beside the store belongs to it, and to no other store that is put in its place.
  found=""
  for end in "" -wal -shm; do
    [ "$1" = panel.db ] || [ -z "$end" ] || continue
    if [ -e "$file$end" ] || [ -L "$file$end" ]; then found="$found ${end:-whole}"; fi
  done
  [ -n "$found" ] || { echo "There is no $file." >&2; exit 1; }
  aside=$file.aside-$(date -u +%Y%m%dT%H%M%SZ)
  [ "$1" != panel.db ] || systemctl stop tunnel-panel-web
  for end in $found; do
    [ "$end" != whole ] || end=""
    mv -T -- "$file$end" "$aside$end"
  done
  sync "${file%/*}"
  systemctl reset-failed "$unit" 2>/dev/null || true
  systemctl restart "$unit"
  case $unit in
    tunnel-panel-helper) echo "It is $aside now, and the helper is restarted." ;;
    *) echo "It is $aside now, and the web daemon is restarted." ;;
  esac
  case $1 in
    ruleset.json) echo "Apply all rules in the panel, so that the next boot brings them back." ;;
    links.json) echo "Links that no unit of the panel makes are adopted again when their tunnels are next changed." ;;
    panel.db) echo "Put a copy in its place (the operator's guide, Backup), or begin with an empty store: tunnel-panel open-setup" ;;
    session.key) echo "Everyone signs in again, and where there is a second factor, with a recovery code. Secrets of notification targets and a kept certificate have to be given again." ;;
    *) echo "A change may have been left half-done: Reconcile in the panel shows what differs from what is stored." ;;
  esac
}

# The file that opens it is root's, so this runs as root, unlike the others; the daemon looks at it when it starts.
open_setup() {
  only_root open-setup
  PANEL_CONFIG_FILE=$CONF /usr/bin/node /usr/lib/tunnel-panel/tunnel-panel.cjs open-setup >/dev/null
  systemctl restart tunnel-panel-web
  folder=$(option PANEL_STATE_DIR)
  if [ -e "${folder:-/var/lib/tunnel-panel}/setup-opened" ]; then
    echo "Setup is open: the next visitor creates the account. Do it at once."
    url
  else
    echo "There is an account, so setup stays closed. For another password: tunnel-panel reset-password" >&2
    exit 1
  fi
}

status() {
  for unit in tunnel-panel-helper tunnel-panel-web; do
    printf '%-22s %s\n' "$unit" "$(systemctl is-active "$unit" || true)"
  done
  command_of_the_panel health
}

case ${1-} in
  status | url) "$1" ;;
  set-listen) shift; set_listen "$@" ;;
  make-certificate) shift; make_certificate "$@" ;;
  set-aside) shift; set_aside "$@" ;;
  open-setup) open_setup ;;
  reset-password | rpc | interfaces | limits | pair | safe-apply | check-store) command_of_the_panel "$@" ;;
  allow)
    # The file is root's, so this runs as root.
    only_root "allow ${2-} ${3-}"
    PANEL_CONFIG_FILE=$CONF exec /usr/bin/node /usr/lib/tunnel-panel/tunnel-panel.cjs "$@"
    ;;
  take-down)
    only_root take-down
    # It would put back what it finds missing, where its settings say so.
    systemctl stop tunnel-panel-web
    echo "The web daemon is stopped, so that nothing brings them back; systemctl start tunnel-panel-web starts it." >&2
    command_of_the_panel take-down
    ;;
  tunnels | routes | networks | incidents | monitor | pools | diagnostics | reconcile | settings | system | audit | backup | impact | webhooks | completion) api_command "$@" ;;
  *) usage ;;
esac
