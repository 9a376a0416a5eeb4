# npm start: installs, builds and starts both daemons on this machine.
. "$(dirname "$0")/prepare.sh"
prepare
exec node_modules/.bin/tsx packaging/run/start.ts
