# npm run package: the Debian packages, from a fresh clone on Debian 12 or 13; -- arm64 makes that one alone.
. "$(dirname "$0")/../run/prepare.sh"
need_tools dpkg-buildpackage=dpkg-dev dh=debhelper x86_64-linux-gnu-g++=g++-x86-64-linux-gnu aarch64-linux-gnu-g++=g++-aarch64-linux-gnu
prepare
exec node_modules/.bin/tsx packaging/package/package.ts "$@"
