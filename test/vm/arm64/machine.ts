// A Debian 13 machine for arm64 with its own kernel, whole in memory: boots, runs its init and switches itself off.
import { spawn } from 'node:child_process'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached, cacheFolder, fingerprint } from '../lab/cache.ts'
import { host } from '../lab/host.ts'
import { debianMirror } from '../lab/mirror.ts'

const SUITE = 'trixie'
/** What the panel's package depends on; systemd is not among them, since nothing of it runs here. */
const PACKAGES = ['nodejs', 'nftables', 'iproute2', 'netbase', 'linux-image-cloud-arm64']
/** Large, and used by nothing that runs here. */
const LEFT_OUT = [
  ...['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/i18n', 'usr/share/zoneinfo'],
  ...['usr/lib/klibc', 'usr/lib/udev', 'usr/share/perl5', 'boot'],
]
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface Machine {
  readonly kernel: string
  /** The machine's files as an archive that the kernel unpacks; further ones may be appended. */
  readonly files: string
}

/** Built once: half a minute of downloading, and nothing of it is started for that. */
export async function arm64Machine(): Promise<Machine> {
  const folder = join(cacheFolder(), `arm64-${await fingerprint(['machine.ts', 'init'].map(here))}`)
  await cached(folder, build)
  return { kernel: join(folder, 'vmlinuz'), files: join(folder, 'files.cpio') }
}

async function build(folder: string): Promise<void> {
  const [downloaded, root] = [join(folder, 'downloaded'), join(folder, 'root')]
  const { url, env } = await debianMirror()
  const include = `--include=${PACKAGES.join(',')}`
  const options = ['--download-only', '--arch=arm64', '--variant=minbase', include]
  await host('debootstrap', [...options, SUITE, downloaded, url], { env })
  await mkdir(root)
  const archives = join(downloaded, 'var/cache/apt/archives')
  for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb')).sort())
    await host('dpkg-deb', ['--extract', join(archives, name), root])
  const [release = ''] = await readdir(join(root, 'usr/lib/modules'))
  await rename(join(root, `boot/vmlinuz-${release}`), join(folder, 'vmlinuz'))
  for (const name of [...LEFT_OUT, `usr/lib/linux-image-${release}`])
    await rm(join(root, name), { recursive: true, force: true })
  await host('depmod', ['-b', root, release])
  await host('install', ['-m', '755', here('init'), join(root, 'init')])
  await archive(root, join(folder, 'files.cpio'))
  await Promise.all([downloaded, root].map((name) => rm(name, { recursive: true })))
}

/** Not compressed: an emulated processor takes longer to unpack it than this one to read it. */
export const archive = (folder: string, file: string): Promise<string> =>
  host('sh', ['-c', 'cd "$1" && find . | cpio --create --format=newc --quiet > "$2"', 'sh', folder, file])

/** What it wrote on its console until it switched itself off. */
export async function run({ kernel, files }: Machine, timeout_ms: number): Promise<string> {
  const machine = spawn(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', 'qemu-system-aarch64', '-M', 'virt', '-cpu', 'cortex-a57', '-smp', '2', '-m', '1536'],
      ...['-nographic', '-no-reboot', '-nic', 'none', '-kernel', kernel, '-initrd', files],
      ...['-append', 'console=ttyAMA0 quiet panic=-1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let console = ''
  for (const stream of [machine.stdout, machine.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (console += text))
  const timer = setTimeout(() => machine.kill('SIGKILL'), timeout_ms)
  await new Promise((resolve) => machine.once('close', resolve))
  clearTimeout(timer)
  return console
}
