// Opens setup once, after the store was lost. Root alone can, by a file that no other user can make; the daemon reads it
// when it starts, and removes it where there is an account.
import { existsSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import { openedSetupFile, openSetupByRoot } from '../features/auth/opened-setup.ts'
import { CommandError } from './errors.ts'
import { configurationFile } from './host/configuration.ts'
import { restartUnit, WEB_UNIT } from './host/programs.ts'
import { needsRoot } from './host/root.ts'
import { showUrl } from './host/url.ts'
import { printLine } from './print.ts'

export function openSetup(config: Config): void {
  needsRoot('open-setup')
  const { state_dir } = config
  if (!existsSync(state_dir)) throw new CommandError(`There is no folder ${state_dir}: start the web daemon first.`)
  openSetupByRoot(state_dir)
  if (configurationFile(process.env) === null)
    return void printLine(
      'Restart the web daemon. If there is no account then, the next visitor of the page creates it.',
    )
  restartUnit(WEB_UNIT)
  if (!existsSync(openedSetupFile(state_dir)))
    throw new CommandError(
      'There is an account, so setup stays closed. For another password: tunnel-panel reset-password',
    )
  printLine('Setup is open: the next visitor creates the account. Do it at once.')
  showUrl(config)
}
