#!/bin/sh
# What an administrator does with the panel on its host: see tunnel-panel(1).
exec /usr/bin/node /usr/lib/tunnel-panel/command.cjs "$@"
