// Builds the lab's Debian machine once and keeps it: a disk, a kernel and an initramfs, usable offline from then on.
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached, cacheFolder, fingerprint } from './cache.ts'
import { host, missingPackages } from './host.ts'
import { buildInitramfs, installKernel } from './kernel.ts'
import { debianMirror, type Mirror } from './mirror.ts'
import { step } from './progress.ts'
import { furnish } from './furnish.ts'
import { userModeKernel } from './user-mode-kernel.ts'

const suite = 'trixie'
const packages = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'kmod', 'procps', 'passwd', 'ca-certificates', 'openssl', 'curl'],
  ...[
    'iproute2',
    'nftables',
    'iptables',
    'conntrack',
    'dnsmasq-base',
    'iputils-ping',
    'fping',
    'traceroute',
    'socat',
    'strace',
    'nodejs',
  ],
]
const diskSize = '4G'

export interface Image {
  readonly folder: string
  readonly disk: string
  readonly kernel: string
  readonly initramfs: string
  /** The same disk and the same kernel for a machine without an emulator. */
  readonly rawDisk: string
  readonly userModeKernel: string
}

/**
 * The machine's image, built now if this version of it is not in the cache. Building needs root, a Debian mirror and
 * six minutes, most of them for the user-mode kernel.
 */
export async function image(): Promise<Image> {
  const folder = await imageFolder()
  await cached(folder, (unfinished) => step('building the Debian machine, once', () => build(unfinished)))
  return imageIn(folder)
}

/** The folder of this version of the image, once built. */
export async function imageFolder(): Promise<string> {
  const sources = [
    ...['image.ts', 'kernel.ts', 'furnish.ts', 'initramfs-init.sh', 'guest'],
    ...['user-mode-kernel.ts', 'user-mode-kernel.config'],
  ].map(here)
  return join(cacheFolder(), await fingerprint(sources))
}

function imageIn(folder: string): Image {
  const at = (name: string): string => join(folder, name)
  return {
    folder,
    ...{ disk: at('disk.qcow2'), kernel: at('vmlinuz'), initramfs: at('initramfs.gz') },
    ...{ rawDisk: at('disk.raw'), userModeKernel: at('linux') },
  }
}

export function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

async function build(folder: string): Promise<void> {
  await refuseIfImpossible()
  const root = join(folder, 'root')
  const made = imageIn(folder)
  const mirror = await debianMirror()
  await step('  debootstrap', () => debootstrap(root, mirror))
  const inside = (...argv: string[]): Promise<string> => host('chroot', [root, ...argv], { env: mirror.env })
  const kernel = await step('  kernel', () => installKernel(root, inside))
  await copyFile(await userModeKernel(root, inside), made.userModeKernel)
  await copyFile(kernel.image, made.kernel)
  await buildInitramfs(kernel.diskDriver, here('initramfs-init.sh'), made.initramfs)
  await furnish(root, here('guest'))
  await step('  disk', () => makeDisks(root, made))
  await rm(root, { recursive: true })
}

async function refuseIfImpossible(): Promise<void> {
  const missing = await missingPackages()
  if (missing.length > 0) throw new Error(`the lab needs: apt-get install --no-install-recommends ${missing.join(' ')}`)
  if (process.getuid?.() !== 0)
    throw new Error(
      "building the lab's machine needs root, once: run it with sudo, or share a cache through PANEL_LAB_CACHE",
    )
}

async function debootstrap(root: string, { url, env }: Mirror): Promise<void> {
  await host('debootstrap', ['--variant=minbase', `--include=${packages.join(',')}`, suite, root, url], { env })
}

async function makeDisks(root: string, { disk, rawDisk }: Image): Promise<void> {
  await host('mke2fs', ['-q', '-t', 'ext4', '-E', 'lazy_itable_init=0', '-d', root, rawDisk, diskSize])
  await host('qemu-img', ['convert', '-O', 'qcow2', rawDisk, disk])
}
