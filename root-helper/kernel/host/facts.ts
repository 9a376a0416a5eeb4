// What this host can do, read live: nothing is cached, and reading changes nothing.
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TOOLS, type HelperFacts, type Tools } from '@panel/shared/host/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HelperConfig } from '../../config.ts'
import { messageOf, oneLine } from '../../text.ts'
import { errorCode } from '../files/files.ts'
import { networkdIsEnabled, networkdIsInstalled, networkdReads } from '../files/networkd.ts'
import { systemdReads, systemdRuns } from '../files/systemd.ts'

const run = promisify(execFile)
const TOOL_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

export function helperFacts(config: HelperConfig): HelperFacts {
  return {
    savers: [
      { by: 'systemd', ...savingFields(savesToSystemd(config.unitDir)) },
      { by: 'networkd', ...savingFields(savesToNetworkd(config.networkdDir)) },
    ],
    kernel_release: release(),
    unit_dir: config.unitDir,
    networkd_dir: config.networkdDir,
    sysctl_dir: config.sysctlDir,
    version: config.version,
    pid: process.pid,
  }
}

export type BackendAnswer = Tools['backend']

export function findTools(backend: BackendAnswer): Tools {
  return {
    backend,
    tools: TOOLS.map((name) => ({ name, available: findTool(name) !== null })),
  }
}

interface Saving {
  readonly available: boolean
  readonly sentence: Message
}

const savingFields = ({ available, sentence }: Saving): { available: boolean; detail: string } => ({
  available,
  detail: sentence.message,
})

/** Null where it can. */
function unwritable(folder: string, refused: 'root.units_refused' | 'root.files_refused'): Saving | null {
  try {
    accessSync(folder, constants.W_OK)
    return null
  } catch (error) {
    return { available: false, sentence: message(refused, { folder, error: errorCode(error) ?? String(error) }) }
  }
}

/**
 * A file that networkd does not read today keeps no tunnel tomorrow, so one that boot does not start is not available.
 */
function savesToNetworkd(folder: string): Saving {
  const refused = unwritable(folder, 'root.files_refused')
  if (refused) return refused
  if (!networkdReads(folder)) return { available: true, sentence: message('root.files_unread', { folder }) }
  if (!networkdIsInstalled()) return { available: false, sentence: message('root.no_networkd') }
  if (!networkdIsEnabled()) return { available: false, sentence: message('root.networkd_not_enabled') }
  return { available: true, sentence: message('root.files', { folder }) }
}

function savesToSystemd(folder: string): Saving {
  const refused = unwritable(folder, 'root.units_refused')
  if (refused) return refused
  if (!systemdReads(folder)) return { available: true, sentence: message('root.units_unread', { folder }) }
  return systemdRuns()
    ? { available: true, sentence: message('root.units', { folder }) }
    : { available: false, sentence: message('root.no_systemd') }
}

/** Checks with the kernel itself whether it has nf_tables: `generation` reads the number of its ruleset. */
export async function nftAnswers(generation: () => Promise<number>): Promise<BackendAnswer> {
  const nft = findTool('nft')
  if (nft === null) return { available: false, version: '', detail: message('root.no_nft').message }
  try {
    await generation()
    const version = oneLine((await run(nft, ['--version'])).stdout)
    return { available: true, version: version.slice(0, 60).trim(), detail: '' }
  } catch (error) {
    return { available: false, version: '', detail: oneLine(messageOf(error)).slice(0, 300) }
  }
}

/** Found on the spot: through the thread pool each folder would be a turn of an event loop that may be busy. */
export const findTool = (name: string): string | null =>
  TOOL_FOLDERS.map((folder) => join(folder, name)).find(isExecutable) ?? null

/**
 * Goes by the mode alone. The unit makes nothing executable but the programs that the helper starts, so access(2) would
 * deny that the host has the others, and one that was just replaced, which fails when it is started (EACCES).
 */
function isExecutable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isFile() && (found.mode & 0o111) !== 0
}
