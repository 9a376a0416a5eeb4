# npm start: installs, builds and starts both daemons on this machine.
. "$(dirname "$0")/prepare.sh"
prepare
# One process and no wrapper around it, so that the signal of a supervisor arrives; and where npm is killed, the kernel sends one.
exec setpriv --pdeathsig TERM node --import tsx packaging/run/start.ts
