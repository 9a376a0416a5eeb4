// The configuration file of both daemons, as set-listen and make-certificate change it: whole, and on the disk.
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '../../platform/db/sync-path.ts'
import { CommandError } from '../errors.ts'

export type Options = Readonly<Record<string, string>>

/** The file of the package; null where the panel has its options from the environment alone. */
export const configurationFile = (env: NodeJS.ProcessEnv): string | null => env['PANEL_CONFIG_FILE'] || null

export function theConfigurationFile(env: NodeJS.ProcessEnv): string {
  const path = configurationFile(env)
  if (path === null) throw new CommandError('There is no configuration file: name it in PANEL_CONFIG_FILE.')
  return path
}

/** Returns the text before. An option that is there keeps its line. */
export function setOptions(path: string, options: Options): { readonly before: string; readonly isChanged: boolean } {
  const before = readFileSync(path, 'utf8')
  const after = Object.entries(options).reduce(withOption, before)
  if (after !== before) writeConfiguration(path, after)
  return { before, isChanged: after !== before }
}

function withOption(text: string, [name, value]: [string, string]): string {
  const line = new RegExp(`^\\s*${name}\\s*=.*$`, 'gm')
  const assigned = `${name}=${value}`
  if (line.test(text)) return text.replaceAll(line, () => assigned)
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${assigned}\n`
}

/** Half a file is never read, and the owner and mode stay. */
export function writeConfiguration(path: string, text: string): void {
  const { uid, gid, mode } = statSync(path)
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeSync(file, text)
    fchownSync(file, uid, gid)
    fchmodSync(file, mode & 0o777)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  syncPath(dirname(path))
}
