// The machine just after a settled boot, kept as a disk and a memory to wake up with, so that a test's start takes a
// second.
import { access, constants, readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cached, fingerprint } from './cache.ts'
import { host } from './host.ts'
import { here, image, type Image } from './image.ts'
import { EmulatedMachine } from './emulated.ts'
import { step } from './progress.ts'
import type { Accelerator, Hardware, Size } from './qemu.ts'
import { Remote } from './remote.ts'

const trialMs = 60_000

/** What to wake up with; booted and saved now if the cache does not have it. */
export async function booted(size: Size): Promise<Hardware> {
  const built = await image()
  const version = await host('qemu-system-x86_64', ['--version'])
  const words = [version, JSON.stringify(size), cpus()[0]?.model ?? '', process.env['PANEL_LAB_ACCELERATOR'] ?? '']
  const folder = `${built.folder}-booted-${await fingerprint([here('qemu.ts'), here('booted.ts')], words)}`
  await cached(folder, (unfinished) => step('booting it, once', () => makeIn(unfinished, built, size)))
  const accelerator = (await readFile(join(folder, 'accelerator'), 'utf8')) as Accelerator
  return { image: built, size, accelerator, disk: diskIn(folder, accelerator), memory: join(folder, 'memory') }
}

/** A machine that was given up may hold its own for a while. */
const diskIn = (folder: string, accelerator: Accelerator): string => join(folder, `${accelerator}.qcow2`)

// /dev/kvm may open and yet run no guest, so what it is worth shows only in a trial; the answer stays with what was
// saved.
async function makeIn(folder: string, built: Image, size: Size): Promise<void> {
  const boot = (accelerator: Accelerator, givenUp?: AbortSignal): Promise<void> =>
    bootAndSave(folder, { image: built, accelerator, size, disk: diskIn(folder, accelerator) }, givenUp)
  const requests = process.env['PANEL_LAB_ACCELERATOR'] as Accelerator | undefined
  if (size.clock === 'instructions') return boot('tcg')
  if (requests !== undefined) return boot(requests)
  if (await opens('/dev/kvm')) {
    const trial = new AbortController()
    try {
      return await Promise.race([boot('kvm', trial.signal), gaveUp()])
    } catch (error) {
      trial.abort()
      process.stderr.write(
        `lab: KVM does not work here, emulating instead: ${(error as Error).message.split('\n')[1] ?? ''}\n`,
      )
    }
  }
  return boot('tcg')
}

// A trial was once seen that neither failed nor went on, with QEMU gone.
async function gaveUp(): Promise<never> {
  await sleep(trialMs, undefined, { ref: false })
  throw new Error(`the trial of KVM\ndid not end within ${String(trialMs)} ms`)
}

async function opens(device: string): Promise<boolean> {
  return access(device, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
}

async function bootAndSave(folder: string, hardware: Hardware, givenUp?: AbortSignal): Promise<void> {
  // The way to the image is relative to the folder's place, which the final rename does not change.
  const backing = join('..', basename(hardware.image.folder), basename(hardware.image.disk))
  await host('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', backing, hardware.disk])
  const machine = await EmulatedMachine.start(hardware, givenUp)
  try {
    const remote = await Remote.reach(machine, hardware.accelerator === 'kvm' ? 20_000 : 900_000)
    await settle(remote)
    await machine.save(join(folder, 'memory'))
  } finally {
    await machine.stop()
  }
  await writeFile(join(folder, 'accelerator'), hardware.accelerator)
}

// Whatever the tests run most is run once, so that it is in the page cache of every machine that wakes up.
async function settle(remote: Remote): Promise<void> {
  const { stdout } = await remote.commands.try('systemctl is-system-running --wait', { timeoutMs: 900_000 })
  if (stdout.trim() !== 'running') {
    throw new Error(
      `the lab's machine boots but is ${stdout.trim()}:\n${await remote.commands.run('systemctl --failed --no-legend')}`,
    )
  }
  await remote.commands.run('node -e 1; ip -d -j link; nft -j list ruleset; ping -c1 127.0.0.1; sync')
}
