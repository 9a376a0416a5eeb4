// A machine that is a user-mode Linux: the kernel runs as a process of the host, in a network namespace of its own
// where the host's ends of its two cards are. Its disk is what it writes over the image, thrown away with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exists } from './cache.ts'
import type { Image } from './image.ts'
import { addressOf, type Card, consoleTail, type Machine } from './machine.ts'
import { reportCrash } from './progress.ts'

/** The host's end of a card answers for the whole of its /24, as QEMU's does. */
const cards = (['web', 'control'] as const)
  .map((card) => {
    const address = addressOf[card].replace(/\d+$/, '2/24')
    return `ip tuntap add ${card} mode tap && ip address add ${address} dev ${card} && ip link set ${card} up`
  })
  .join(' && ')

export class UserModeMachine implements Machine {
  readonly #folder: string
  readonly #image: Image
  readonly #memoryMegabytes: number
  /** Holds the network namespace. */
  readonly #network: ChildProcess
  readonly #relays: ChildProcess[] = []
  #linux: ChildProcess | undefined
  #console = ''
  /** Whether the end of the process that runs now would be a crash. */
  #mustLast = true

  static async start(image: Image, memoryMegabytes: number): Promise<UserModeMachine> {
    const folder = await mkdtemp(join(tmpdir(), 'panel-lab-'))
    const network = program('unshare', ['--net', 'sh', '-c', `${cards} && echo ready && exec cat`])
    const [ready] = (await Promise.race([once(network.stdout!, 'data'), once(network, 'close')])) as [unknown]
    if (!Buffer.isBuffer(ready))
      throw new Error('the lab cannot make a network namespace with two cards: is this root?')
    const machine = new UserModeMachine(folder, image, memoryMegabytes, network)
    machine.#boot()
    return machine
  }

  private constructor(folder: string, image: Image, memoryMegabytes: number, network: ChildProcess) {
    this.#folder = folder
    this.#image = image
    this.#memoryMegabytes = memoryMegabytes
    this.#network = network
  }

  get console(): string {
    return this.#console
  }

  async mustRun(): Promise<void> {
    if (this.#linux === undefined)
      throw new Error(`the lab's machine has ended; the end of its console:\n${this.#console}`)
  }

  /** Through a Unix socket, which no network namespace divides. */
  async forward(card: Card, port: number): Promise<{ path: string }> {
    const path = join(this.#folder, `${card}-${String(port)}`)
    const ways = [`UNIX-LISTEN:${path},fork,backlog=1024`, `TCP:${addressOf[card]}:${String(port)},nodelay`]
    const relay = this.#inside(['socat', '-t', '600', ...ways])
    this.#relays.push(relay)
    while (!(await exists(path))) {
      if (relay.exitCode !== null || relay.signalCode !== null)
        throw new Error(`socat ended before it listened for port ${String(port)} of the lab's machine`)
      await sleep(5)
    }
    return { path }
  }

  async reset(): Promise<void> {
    this.#mustLast = false
    await this.#kill()
    this.#mustLast = true
    this.#boot()
  }

  /** Does nothing: a user-mode Linux that resets runs itself again. */
  async setReboots(): Promise<void> {}

  async stop(): Promise<void> {
    this.#mustLast = false
    await this.#kill()
    for (const each of [...this.#relays, this.#network]) each.kill('SIGKILL')
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #kill(): Promise<void> {
    const linux = this.#linux
    if (linux === undefined) return
    const closed = once(linux, 'close')
    linux.kill('SIGKILL')
    await closed
  }

  #boot(): void {
    const linux = this.#inside([...onOneProcessor(), this.#image.userModeKernel, ...this.#arguments()])
    this.#linux = linux
    for (const stream of [linux.stdout, linux.stderr]) stream?.on('data', (data: Buffer) => this.#hear(data))
    linux.once('close', (code, signal) => {
      this.#linux = undefined
      this.#console += `\nthe user-mode Linux ended with ${String(code ?? signal)}\n`
      if (!this.#mustLast) return
      // A machine without power ends no connection, and nobody else is left to.
      for (const each of this.#relays) each.kill('SIGKILL')
      reportCrash(this.#console)
    })
  }

  #arguments(): string[] {
    return [
      ...[`ubd0=${join(this.#folder, 'written')},${this.#image.rawDisk}`, 'root=/dev/ubda', 'rw'],
      ...[`mem=${String(this.#memoryMegabytes)}M`, `uml_dir=${this.#folder}`],
      ...['vec0:transport=tap,ifname=web,gro=1', 'vec1:transport=tap,ifname=control,gro=1'],
      ...['con=null', 'con0=null,fd:1', 'ssl=null', 'loglevel=4', 'TERM=dumb', 'dummy.numdummies=0'],
    ]
  }

  // A process namespace of its own ends all that the program has started with it, as a user-mode Linux's own processes
  // would not. The shell is there since the first process of a namespace cannot end by a signal that it sends itself.
  #inside(command: readonly string[]): ChildProcess {
    const network = `--net=/proc/${String(this.#network.pid)}/ns/net`
    const processes = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
    return program('nsenter', [network, ...processes, 'sh', '-c', 'ulimit -c 0; "$@"; exit $?', 'sh', ...command])
  }

  #hear(data: Buffer): void {
    this.#console = consoleTail(this.#console, data)
  }
}

// A user-mode Linux has one processor, and is a third slower where its two threads are moved about beside other work;
// the lanes of `npm test` have their machines on different ones.
function onOneProcessor(): string[] {
  const lane = process.env['PANEL_LAB_LANE']
  const allowed = /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const processors = allowed.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
  const one = processors[Number(lane) % processors.length]
  return lane === undefined || one === undefined ? [] : ['taskset', '-c', String(one)]
}

// The kernel ends it when we end, however we end. A session of its own, since a user-mode Linux that panics signals its
// whole process group.
function program(file: string, args: readonly string[]): ChildProcess {
  const stdio = ['pipe', 'pipe', 'pipe'] as const
  return spawn('setpriv', ['--pdeathsig', 'KILL', file, ...args], { stdio: [...stdio], detached: true })
}
