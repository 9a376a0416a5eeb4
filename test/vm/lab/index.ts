// The lab: a real Debian 13 machine, fresh in a few seconds, that a test talks to in sentences.
import { booted } from './booted.ts'
import { Commands } from './commands.ts'
import { Doorway } from './doorway.ts'
import { getFolder, put, putFile } from './files.ts'
import { EmulatedMachine } from './emulated.ts'
import { image } from './image.ts'
import type { Kind, Machine } from './machine.ts'
import type { Size } from './qemu.ts'
import { Remote } from './remote.ts'
import { type Server, twoServers } from './servers.ts'
import { UserModeMachine } from './user-mode.ts'

export { whyNot } from './available.ts'
export type { CommandOptions, Result } from './commands.ts'
export type { Running } from './running.ts'
export type { Server } from './servers.ts'

export interface LabOptions {
  /** Ports of the machine to make reachable at once; `url` makes any other reachable when it is first used. */
  readonly forward?: readonly number[]
  /**
   * `emulated` where it matters that the kernel is Debian's own binary, with its modules. Else a user-mode Linux of the
   * same source, unless PANEL_LAB_MACHINE says otherwise.
   */
  readonly kind?: Kind
  /** The size of an emulated machine: another than the usual is booted and kept separately, once. */
  readonly size?: Partial<Size>
}

const usualSize: Size = { processors: 2, memoryMegabytes: 1536 }
const rebootMs = 900_000

/**
 * A fresh machine. Nothing done to it is kept. The very first start on a host builds the image, which takes minutes.
 */
export async function startLab({ forward = [], kind = usualKind(), size = {} }: LabOptions = {}): Promise<Lab> {
  const machine = await machineOf(kind, { ...usualSize, ...size })
  try {
    const remote = await Remote.reach(machine, 900_000)
    await remote.setClock()
    const lab = new Lab(machine, remote)
    for (const port of forward) await lab.url(port)
    return lab
  } catch (error) {
    await machine.stop()
    throw error
  }
}

async function machineOf(kind: Kind, size: Size): Promise<Machine> {
  if (kind === 'emulated') return EmulatedMachine.start(await booted(size))
  return UserModeMachine.start(await image(), size.memoryMegabytes)
}

function usualKind(): Kind {
  const named = process.env['PANEL_LAB_MACHINE']
  if (named === 'user-mode' || named === 'emulated') return named
  if (named !== undefined) throw new Error(`PANEL_LAB_MACHINE is user-mode or emulated, not ${named}`)
  // Its cards are made by root.
  return process.getuid?.() === 0 ? 'user-mode' : 'emulated'
}

interface WayIn {
  readonly doorway: Doorway
  readonly url: string
}

export class Lab extends Commands {
  readonly #machine: Machine
  readonly #remote: Remote
  readonly #waysIn = new Map<number, Promise<WayIn>>()

  constructor(machine: Machine, remote: Remote) {
    super(remote.open)
    this.#machine = machine
    this.#remote = remote
  }

  /**
   * The address at which the host reaches a TCP port that something in the machine listens on (on any address but
   * loopback).
   */
  async url(port: number): Promise<string> {
    const wayIn = this.#waysIn.get(port) ?? this.#open(port)
    this.#waysIn.set(port, wayIn)
    return (await wayIn).url
  }

  /**
   * Two servers joined by a cable: network namespaces `a` and `b`, each with a panel's port reachable from the host.
   */
  twoServers(): Promise<{ readonly a: Server; readonly b: Server }> {
    return twoServers(this, this.#remote.open)
  }

  /**
   * Host to machine: a folder's content lands in the folder `to`, a file becomes the file `to`. All of it is root's
   * there.
   */
  put(to: string, from: string): Promise<void> {
    return put(this, to, from)
  }

  /** Machine to host: the content of the folder `from` lands in the folder `to`. */
  get(from: string, to: string): Promise<void> {
    return getFolder(this, from, to)
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return putFile(this, path, content)
  }

  async read(path: string): Promise<string> {
    return this.run('cat', [path])
  }

  /**
   * Cuts the power and boots again, 20 s: what was not synced to the disk is lost. Running commands end with code 255.
   */
  reset(withinMs = rebootMs): Promise<void> {
    return this.#startAgain(() => this.#machine.reset(), withinMs)
  }

  /** Has the machine's own systemd shut it down and start it again. */
  reboot(): Promise<void> {
    return this.#startAgain(() => this.run('systemd-run --on-active=1 systemctl reboot'), rebootMs)
  }

  /** The end of the serial console's output. */
  get console(): string {
    return this.#machine.console
  }

  async stop(): Promise<void> {
    for (const { doorway } of await Promise.all(this.#waysIn.values())) doorway.close()
    await this.#machine.stop()
  }

  async #startAgain(begin: () => Promise<unknown>, withinMs: number): Promise<void> {
    await this.#machine.setReboots(true)
    await begin()
    await this.#remote.returns(withinMs)
    await this.#machine.setReboots(false)
  }

  async #open(port: number): Promise<WayIn> {
    const doorway = new Doorway(await this.#machine.forward('web', port))
    return { doorway, url: `http://127.0.0.1:${String(await doorway.listen())}` }
  }
}
