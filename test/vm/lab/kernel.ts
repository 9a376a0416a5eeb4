// Puts Debian's cloud kernel and its modules into the machine without the packages that only maintain boot files.
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { host } from './host.ts'
import type { Inside } from './user-mode-kernel.ts'

export interface Kernel {
  readonly image: string
  /** The one module that the root file system cannot be mounted without. */
  readonly diskDriver: string
}

// Installed as a package it would bring initramfs-tools and build an initramfs that the lab does not use; the machine's
// apt knows where to fetch it, and its files are all that is needed.
export async function installKernel(root: string, inside: Inside): Promise<Kernel> {
  await inside('apt-get', 'update')
  const depends = await inside('apt-cache', 'depends', 'linux-image-cloud-amd64')
  const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1]
  if (name === undefined) throw new Error(`linux-image-cloud-amd64 depends on no kernel:\n${depends}`)
  await inside('sh', '-c', `cd /tmp && apt-get download ${name} && dpkg-deb -x ${name}_*.deb / && rm ${name}_*.deb`)
  const version = name.replace('linux-image-', '')
  await inside('depmod', version)
  return {
    image: join(root, 'boot', `vmlinuz-${version}`),
    diskDriver: join(root, 'usr/lib/modules', version, 'kernel/drivers/block/virtio_blk.ko.xz'),
  }
}

export async function buildInitramfs(driver: string, init: string, target: string): Promise<void> {
  const folder = `${target}.files`
  for (const name of ['bin', 'dev', 'root']) await mkdir(join(folder, name), { recursive: true })
  await copyFile((await host('sh', ['-c', 'command -v busybox'])).trim(), join(folder, 'bin/busybox'))
  await copyFile(init, join(folder, 'init'))
  await chmod(join(folder, 'init'), 0o755)
  await host('sh', ['-c', 'xz -dc "$1" > virtio_blk.ko', 'sh', driver], { cwd: folder })
  await host('sh', ['-c', 'find . | cpio -o -H newc --quiet | gzip -1 > "$1"', 'sh', target], { cwd: folder })
  await rm(folder, { recursive: true })
}
