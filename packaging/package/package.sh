# npm run package: the Debian packages and an apt repository of them, from a fresh clone on Debian 12 or 13; -- arm64
# makes that one alone. PANEL_REPOSITORY_KEY names the key of gpg that signs the repository.
. "$(dirname "$0")/../run/prepare.sh"
if [ "$(node -p process.versions.modules)" != 115 ]; then
  echo "SQLite's addon is compiled for the Node that builds the package, and Debian 13 has Node 20: build it with Node 20" >&2
  exit 1
fi
need_tools dpkg-buildpackage=dpkg-dev dh=debhelper x86_64-linux-gnu-g++=g++-x86-64-linux-gnu aarch64-linux-gnu-g++=g++-aarch64-linux-gnu
[ -z "${PANEL_REPOSITORY_KEY:-}" ] || need_tools gpg=gpg
prepare
exec node_modules/.bin/tsx packaging/package/package.ts "$@"
