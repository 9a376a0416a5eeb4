// Renames a file that a daemon cannot use, to be looked at, and restarts the daemon that reads it.
import { lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../app/config.ts'
import { syncPath } from '../../platform/db/sync-path.ts'
import { CommandError } from '../errors.ts'
import { printLine } from '../print.ts'
import { forgetFailures, HELPER_UNIT, restartUnit, stopUnit, WEB_UNIT } from './programs.ts'
import { needsRoot } from './root.ts'
import { OF_HELPER, OF_WEB, SET_ASIDE_FILES, STORE } from './set-aside-files.ts'

export function setAside({ state_dir, helper_state_dir }: Config, [name = '', ...more]: readonly string[]): void {
  needsRoot(`set-aside ${name}`)
  if (!SET_ASIDE_FILES.includes(name) || more.length > 0)
    throw new CommandError(`set-aside takes one of these files: ${SET_ASIDE_FILES.join(', ')}`, 2)
  const isHelpers = Object.hasOwn(OF_HELPER, name)
  const [unit, folder] = isHelpers ? [HELPER_UNIT, helper_state_dir] : [WEB_UNIT, state_dir]
  const file = join(folder, name)
  // What SQLite has written beside the store belongs to it, and to no other store that is put in its place.
  const ends = (name === STORE ? ['', '-wal', '-shm'] : ['']).filter((end) =>
    lstatSync(`${file}${end}`, { throwIfNoEntry: false }),
  )
  if (ends.length === 0) throw new CommandError(`There is no ${file}.`)
  const aside = `${file}.aside-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  if (name === STORE) stopUnit(unit)
  for (const end of ends) renameSync(`${file}${end}`, `${aside}${end}`)
  syncPath(folder)
  forgetFailures(unit)
  restartUnit(unit)
  printLine(`It is ${aside} now, and the ${isHelpers ? 'helper' : 'web daemon'} is restarted.`)
  printLine((isHelpers ? OF_HELPER : OF_WEB)[name] ?? '')
}
