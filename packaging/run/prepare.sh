# Brings a fresh clone to where it can run: compilers, packages, build. Sourced by the other scripts; does only what is still to do.
set -eu
cd "$(dirname "$0")"
# The scripts lie one or two folders below the project's own.
until [ -f package-lock.json ] || [ "$PWD" = / ]; do cd ..; done

install_from_debian() {
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# Installs Debian packages where the tool that stands for them is missing. need_tools <tool>=<package> ...
need_tools() {
  missing=""
  for pair in "$@"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%=*}" >/dev/null 2>&1 && continue
    case " $missing " in *" ${pair#*=} "*) ;; *) missing="$missing ${pair#*=}" ;; esac
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    announce "Installing from Debian, since they are missing here:$missing" install_from_debian
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

# Whether the packages are those of the lockfile, and compiled for the version of Node that runs them.
is_installed() {
  [ node_modules/.package-lock.json -nt package-lock.json ] && node -e 'new (require("better-sqlite3"))()' 2>/dev/null
}

# Runs a step that may take minutes: says what it is, and every ten seconds that it goes on. announce <sentence> <command> ...
announce() {
  echo "$1"
  shift
  (
    seconds=10
    while sleep 10 && kill -0 $$ 2>/dev/null; do
      echo "  still working, after $seconds s"
      seconds=$((seconds + 10))
    done
  ) &
  clock=$!
  status=0
  "$@" || status=$?
  kill "$clock"
  return "$status"
}

# The header is read ahead of better-sqlite3 alone: nothing else that npm installs is compiled.
install_packages() {
  CXXFLAGS="-include $PWD/packaging/build/object-wrap.h ${CXXFLAGS:-}" npm ci --no-progress --loglevel=error
}

prepare() {
  use_own_headers
  need_tools g++=g++ make=make python3=python3
  if ! is_installed; then
    rm -f .build/built
    announce "Installing the packages of the lockfile; SQLite is compiled, which takes one to five minutes" install_packages
  fi
  is_built && return 0
  mkdir -p .build
  touch .build/built.new
  announce "Building both daemons, the command line and the page, which takes half a minute" npm run --silent build
  mv .build/built.new .build/built
}
