# npm run package: the Debian package, from a fresh clone on Debian 12 or 13.
. "$(dirname "$0")/../run/prepare.sh"
need_tools dpkg-buildpackage=dpkg-dev dh=debhelper
prepare
exec node_modules/.bin/tsx packaging/package/package.ts
