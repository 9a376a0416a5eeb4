# Brings a fresh clone to where it can run: compilers, packages, build. Sourced by the other scripts; does only what is still to do.
set -eu
cd "$(dirname "$0")"
# The scripts lie one or two folders below the project's own.
until [ -f package-lock.json ] || [ "$PWD" = / ]; do cd ..; done

# Installs Debian packages where the tool that stands for them is missing. need_tools <tool>=<package> ...
need_tools() {
  missing=""
  for pair in "$@"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%=*}" >/dev/null 2>&1 && continue
    case " $missing " in *" ${pair#*=} "*) ;; *) missing="$missing ${pair#*=}" ;; esac
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing from Debian, since they are missing here:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "Missing here:$missing. As root on Debian: apt-get install$missing" >&2
    return 1
  fi
}

# Compiling needs Node's headers: those beside node itself, where there are some, so that nothing has to be fetched for it.
use_own_headers() {
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  if [ -z "${npm_config_nodedir:-}" ] && [ -f "$prefix/include/node/node_api.h" ]; then export npm_config_nodedir="$prefix"; fi
}

# Whether anything that the build reads has changed since, the commit included, which the programs name as theirs.
is_built() {
  [ -f .build/built ] || return 1
  commits=$(git rev-parse --git-path logs/HEAD 2>/dev/null) || commits=""
  # shellcheck disable=SC2086
  changed=$(find shared root-helper web-daemon ui packaging package.json package-lock.json tsconfig.base.json $commits \
    -name node_modules -prune -o -newer .build/built -print -quit)
  [ -z "$changed" ]
}

prepare() {
  use_own_headers
  need_tools g++=g++ make=make python3=python3
  if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    echo "Installing the packages of the lockfile (better-sqlite3 is compiled, which takes a minute or two)"
    npm ci --no-progress --loglevel=error
  fi
  is_built && return 0
  mkdir -p .build
  touch .build/built.new
  npm run --silent build
  mv .build/built.new .build/built
}
