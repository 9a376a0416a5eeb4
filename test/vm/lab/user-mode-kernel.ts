// Compiles the lab's kernel a second time, as a user-mode Linux, from the source that Debian publishes for the suite.
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cached, cacheFolder, fingerprint } from './cache.ts'
import { host } from './host.ts'
import { step } from './progress.ts'

/** Runs a program in the machine's unfinished root. */
export type Inside = (...argv: string[]) => Promise<string>

/** What is not as `make ARCH=um defconfig` has it. */
const options = new URL('user-mode-kernel.config', import.meta.url).pathname

/**
 * The size of the processor's registers is a constant of this version, and too small for a host with AMX; later ones
 * measure it.
 */
const registers = { file: 'arch/x86/um/user-offsets.c', from: '(HOST_FP_SIZE, 2696)', to: '(HOST_FP_SIZE, 12288)' }

/** Returns the program, compiled now if it is not in the cache: five minutes on two processors. */
export async function userModeKernel(root: string, inside: Inside): Promise<string> {
  const name = /Depends: (linux-source-\S+)/.exec(await inside('apt-cache', 'depends', 'linux-source'))?.[1] ?? ''
  const version = await inside('apt-cache', 'show', '--no-all-versions', name)
  const key = await fingerprint([options, new URL(import.meta.url).pathname], [version])
  const folder = join(cacheFolder(), `user-mode-kernel-${key}`)
  await cached(folder, (unfinished) => compile(unfinished, join(root, 'tmp'), name, inside))
  return join(folder, 'linux')
}

async function compile(folder: string, downloads: string, name: string, inside: Inside): Promise<void> {
  await inside(
    'sh',
    '-c',
    `cd /tmp && apt-get download ${name} && dpkg-deb -x ${name}_*.deb source && rm ${name}_*.deb`,
  )
  const source = join(downloads, 'source')
  await host('tar', ['-C', source, '--strip-components=1', '-xf', join(source, 'usr/src', `${name}.tar.xz`)])
  await mend(join(source, registers.file))
  const make = (...goals: string[]): Promise<string> =>
    host('make', ['-s', 'ARCH=um', `-j${String(availableParallelism())}`, ...goals], { cwd: source })
  await make('defconfig')
  await host('scripts/kconfig/merge_config.sh', ['-m', '.config', options], { cwd: source })
  await make('olddefconfig')
  await step('  user-mode kernel', () => make('linux'))
  await host('strip', ['-o', join(folder, 'linux'), join(source, 'linux')])
  await copyFile(join(source, '.config'), join(folder, 'config'))
  await host('rm', ['-r', source])
}

async function mend(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!text.includes(registers.from)) return
  await writeFile(file, text.replace(registers.from, registers.to))
}
