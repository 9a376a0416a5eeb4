// Reaching a machine's command channel, whether it boots, wakes up or comes back from a reset.
import { setTimeout as sleep } from 'node:timers/promises'
import { agentPort, Channel } from './channel.ts'
import { Commands, type Open } from './commands.ts'
import { Doorway } from './doorway.ts'
import type { Machine } from './machine.ts'

export class Remote {
  readonly open: Open
  readonly commands: Commands
  readonly #machine: Machine
  readonly #channels = new Set<Channel>()
  #bootId = ''

  /** Waits until the machine runs commands. */
  static async reach(machine: Machine, withinMs: number): Promise<Remote> {
    const remote = new Remote(machine, new Doorway(await machine.forward('control', agentPort)))
    await remote.#answers(withinMs)
    return remote
  }

  private constructor(machine: Machine, doorway: Doorway) {
    this.#machine = machine
    this.open = (request) => this.#register(new Channel(doorway.open(), request))
    this.commands = new Commands(this.open)
  }

  /**
   * A machine that wakes up believes that it is still the moment it was saved at. (Its random numbers reseed
   * themselves.)
   */
  async setClock(): Promise<void> {
    await this.commands.run('date', ['-s', `@${(Date.now() / 1000).toFixed(3)}`])
  }

  /**
   * Waits until the machine runs commands after another boot than the last one seen, and systemd has started
   * everything. A machine without power ends no connection, so whatever ran before is hung up here.
   */
  async returns(withinMs: number): Promise<void> {
    await this.#answers(withinMs)
    for (const channel of this.#channels) channel.abandon()
    await this.commands.try('systemctl is-system-running --wait', { timeoutMs: withinMs })
  }

  #register(channel: Channel): Channel {
    this.#channels.add(channel)
    void channel.exited.then(() => this.#channels.delete(channel))
    return channel
  }

  // The host's end accepts connections for a machine that does not listen yet, so every attempt has its own end.
  async #answers(withinMs: number): Promise<void> {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(100)) {
      await this.#machine.mustRun()
      const bootId = await this.#askBootId()
      if (bootId !== undefined && bootId !== this.#bootId) {
        this.#bootId = bootId
        return
      }
    }
    throw new Error(
      `the machine does not answer after ${String(withinMs)} ms; the end of its console:\n${this.#machine.console}`,
    )
  }

  // Failure is the expected answer while it boots; the loop above says so when it lasts.
  async #askBootId(): Promise<string | undefined> {
    return this.commands.run('cat', ['/proc/sys/kernel/random/boot_id'], { timeoutMs: 2000 }).catch(() => undefined)
  }
}
