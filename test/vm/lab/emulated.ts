// A machine emulated by one QEMU process: started, reached, reset and stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, type Card, consoleTail, type Machine } from './machine.ts'
import { type Hardware, qemuArguments, qmpDescriptor, quoted } from './qemu.ts'
import { reportCrash } from './progress.ts'
import { Qmp } from './qmp.ts'

const stopMs = 1000

export class EmulatedMachine implements Machine {
  /** Settles when QEMU has ended. */
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #qmp: Qmp
  #console = ''
  #running = true
  /** Whether its end would be a crash. The trial of KVM may fail as it starts. */
  #mustLast = false

  /** `givenUp` ends it, whatever it is doing. */
  static async start(hardware: Hardware, givenUp?: AbortSignal): Promise<EmulatedMachine> {
    const machine = new EmulatedMachine(qemuArguments(hardware), givenUp)
    await machine.#ask('qmp_capabilities')
    if (hardware.memory !== undefined) await machine.#wake()
    machine.#mustLast = true
    return machine
  }

  // The kernel kills QEMU when its parent ends, however it ends: a killed test run leaves no machine behind.
  private constructor(args: readonly string[], givenUp?: AbortSignal) {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const
    this.#process = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...args], { stdio: [...stdio] })
    givenUp?.addEventListener('abort', () => this.#process.kill('SIGKILL'), { once: true })
    this.#process.stdout?.on('data', (data: Buffer) => this.#hear(data))
    this.#process.stderr?.on('data', (data: Buffer) => this.#hear(data))
    this.#qmp = new Qmp(this.#process.stdio[qmpDescriptor] as Duplex)
    this.ended = new Promise((resolve) =>
      this.#process
        .once('error', (error) => this.#end(error.message, resolve))
        .once('close', (code, signal) => {
          if (signal === 'SIGKILL') this.#mustLast = false
          this.#end(`QEMU ended with ${String(code ?? signal)}`, resolve)
        }),
    )
  }

  /** The end of the output of the machine's serial console, and of QEMU itself. */
  get console(): string {
    return this.#console
  }

  /** Throws when QEMU has ended or given up on the guest. */
  async mustRun(): Promise<void> {
    const status = (await this.#ask('query-status')) as { status: string }
    if (status.status !== 'running')
      throw new Error(`the lab's machine is ${status.status}; the end of its console:\n${this.#console}`)
  }

  /** Makes a TCP port of the machine answer on the host's loopback; returns the host's port, which QEMU picks. */
  async forward(card: Card, port: number): Promise<{ port: number; host: string }> {
    const refusal = await this.#monitor(`hostfwd_add ${card} tcp:127.0.0.1:0-:${String(port)}`)
    const table = await this.#monitor('info usernet')
    const line = new RegExp(
      `HOST_FORWARD\\]\\s+\\d+\\s+127\\.0\\.0\\.1\\s+(\\d+)\\s+${addressOf[card]}\\s+${String(port)}\\s`,
    )
    const picked = line.exec(table)?.[1]
    if (picked === undefined)
      throw new Error(`QEMU does not forward port ${String(port)} of card ${card}: ${refusal}\n${table}`)
    return { host: '127.0.0.1', port: Number(picked) }
  }

  /** The power switch held and pressed again: what was not synced is lost. */
  async reset(): Promise<void> {
    await this.#ask('system_reset')
  }

  /** Whether the machine starts again when it resets. By default that ends it, as a crash. */
  async setReboots(reboots: boolean): Promise<void> {
    await this.#ask('set-action', { reboot: reboots ? 'reset' : 'shutdown' })
  }

  async stop(): Promise<void> {
    // QEMU that is about to end after a crash does not answer any more, and is left to end as one.
    const answers = this.#ask('query-status').catch(() => undefined)
    await Promise.race([answers, this.ended, sleep(stopMs)])
    if (this.#running) this.#process.kill('SIGKILL')
    await this.ended
  }

  /** Writes the memory to a file and ends the machine; with its disk it can be woken up any number of times. */
  async save(file: string): Promise<void> {
    await this.#ask('stop')
    await this.#ask('migrate-set-parameters', { 'max-bandwidth': 2 ** 40 })
    await this.#ask('migrate', { uri: `exec:cat > ${quoted(file)}` })
    await this.#until(async () => {
      const { status } = (await this.#ask('query-migrate')) as { status: string }
      if (status === 'failed') throw new Error(`QEMU cannot save the machine to ${file}: is the disk full?`)
      return status === 'completed'
    })
    this.#mustLast = false
    await this.#ask('quit')
    await this.ended
  }

  async #wake(): Promise<void> {
    await this.#until(async () => ((await this.#ask('query-status')) as { status: string }).status !== 'inmigrate')
    await this.#ask('cont')
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await sleep(10)
  }

  #ask(command: string, args?: object): Promise<unknown> {
    return this.#qmp.execute(command, args).catch((error: unknown) => this.#explain(error))
  }

  #monitor(line: string): Promise<string> {
    return this.#qmp.monitor(line).catch((error: unknown) => this.#explain(error))
  }

  #explain(cause: unknown): never {
    throw new Error(`the lab's machine failed; the end of its console:\n${this.#console}`, { cause })
  }

  #hear(data: Buffer): void {
    this.#console = consoleTail(this.#console, data)
  }

  #end(why: string, done: () => void): void {
    this.#running = false
    this.#console += `\n${why}\n`
    if (this.#mustLast) reportCrash(this.#console)
    done()
  }
}
