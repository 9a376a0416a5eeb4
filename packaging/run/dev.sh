# npm run dev: both daemons and the page, reloading on change. Installs and builds first, as npm start does.
. "$(dirname "$0")/prepare.sh"
prepare
exec setpriv --pdeathsig TERM node --import tsx packaging/run/dev.ts
