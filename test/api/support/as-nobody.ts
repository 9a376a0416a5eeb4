// The web daemon as a process of an ordinary user, also in tests that run as root: it refuses to run as root.
import { chmodSync, chownSync } from 'node:fs'

const NOBODY = 65534
/** Who can read this clone wherever root has put it. */
const SETPRIV = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
]
const isRoot = process.getuid?.() === 0

/** What a command line begins with. */
export const AS_NOBODY: readonly string[] = isRoot ? SETPRIV : []

export function giveToNobody(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY)
}

/** A folder of its own. */
export function privateToNobody(folder: string): void {
  giveToNobody(folder)
  chmodSync(folder, 0o700)
}
