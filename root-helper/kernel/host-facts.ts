// What this host can do, looked up live: nothing is remembered, nothing is changed by looking.
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { release } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TOOLS, type HelperFacts, type Tools } from '@panel/shared/model/host.ts'
import type { HelperConfig } from '../config.ts'
import { oneLine } from '../transaction.ts'
import { codeOf } from './files.ts'
import { systemdReads, systemdRuns } from './systemd.ts'

const run = promisify(execFile)
const TOOL_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

export async function helperFacts(config: HelperConfig): Promise<HelperFacts> {
  return {
    savers: [{ by: 'systemd', ...(await savesToSystemd(config.unitDir)) }],
    kernel_release: release(),
    unit_dir: config.unitDir,
    sysctl_dir: config.sysctlDir,
    version: config.version,
    pid: process.pid,
  }
}

export async function findTools(): Promise<Tools> {
  return { nftables: await nftables(), tools: await Promise.all(TOOLS.map(async (name) => ({ name, available: (await findTool(name)) !== null }))) }
}

async function savesToSystemd(folder: string): Promise<{ available: boolean; detail: string }> {
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    return { available: false, detail: `Unit files cannot be written to ${folder}: ${codeOf(error)}` }
  }
  if (!systemdReads(folder)) return { available: true, detail: `Unit files are written to ${folder}, which systemd does not read: copy them to /etc/systemd/system to have them at boot` }
  return systemdRuns() ? { available: true, detail: `Unit files in ${folder}` } : { available: false, detail: 'systemd does not run on this host' }
}

async function nftables(): Promise<Tools['nftables']> {
  const nft = await findTool('nft')
  if (nft === null) return { available: false, version: '', detail: 'nft is not installed' }
  try {
    const version = oneLine((await run(nft, ['--version'])).stdout).slice(0, 60).trim()
    // Listing asks the kernel, so a kernel without nf_tables shows here.
    await run(nft, ['list', 'tables'])
    return { available: true, version, detail: '' }
  } catch (error) {
    return { available: false, version: '', detail: oneLine((error as { stderr?: string }).stderr ?? String(error)).slice(0, 300) }
  }
}

async function findTool(name: string): Promise<string | null> {
  for (const folder of TOOL_FOLDERS) {
    const path = join(folder, name)
    if (await access(path, constants.X_OK).then(() => true, () => false)) return path
  }
  return null
}
