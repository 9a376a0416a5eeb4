// Opens setup once, after the store was lost. Root alone can, by a file that no other user can make; the daemon reads it
// when it starts, and removes it.
import { existsSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import { openSetupByRoot } from '../features/auth/opened-setup.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'

export function openSetup({ state_dir }: Config): void {
  if (process.getuid?.() !== 0) throw new CommandError('Only root can open setup: sudo tunnel-panel open-setup', 3)
  if (!existsSync(state_dir)) throw new CommandError(`There is no folder ${state_dir}: start the web daemon first.`)
  openSetupByRoot(state_dir)
  printLine('Restart the web daemon. If there is no account then, the next visitor of the page creates it.')
}
