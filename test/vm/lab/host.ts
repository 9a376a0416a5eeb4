// Running programs on the host while the lab is built: quietly, and telling everything when one fails.
import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface HostOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end, or to ours, and returns its stdout; throws with its whole output if it fails. */
export async function host(file: string, args: readonly string[], options: HostOptions = {}): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', ...options.env }
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', file, ...args], {
    cwd: options.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code === 0) return output.stdout
  throw new Error(
    `${[file, ...args].join(' ')}: exit code ${String(code)}\n${output.stdout.slice(-4000)}${output.stderr.slice(-4000)}`,
  )
}

/** Which Debian package brings each program that the lab runs on the host. */
const packageOf: Readonly<Record<string, string>> = {
  'qemu-system-x86_64': 'qemu-system-x86',
  depmod: 'kmod',
  'qemu-img': 'qemu-utils',
  debootstrap: 'debootstrap',
  busybox: 'busybox-static',
  cpio: 'cpio',
  mke2fs: 'e2fsprogs',
  xz: 'xz-utils',
  setpriv: 'util-linux',
  ip: 'iproute2',
  socat: 'socat',
  gcc: 'gcc',
  make: 'make',
  flex: 'flex',
  bison: 'bison',
  bc: 'bc',
}

/** The Debian packages to install before the lab can be built and run here; empty when all is there. */
export async function missingPackages(): Promise<string[]> {
  const missing = await Promise.all(
    Object.entries(packageOf).map(async ([program, name]) => ((await isInstalled(program)) ? [] : [name])),
  )
  return missing.flat()
}

async function isInstalled(program: string): Promise<boolean> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, program), constants.X_OK)))
  return found.some(({ status }) => status === 'fulfilled')
}
