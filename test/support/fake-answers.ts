// Tunnels that are answered through, in memory.
import type { Answers } from '@panel/root-helper/kernel/facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import type { Message } from '@panel/shared/messages/message.ts'

export class FakeAnswers implements Answers {
  readonly #change: (what: string) => void
  /** The networks with own addresses. */
  readonly #networks: () => readonly string[]
  readonly held = new Set<string>()
  /** Tunnels of which the kernel has lost something. */
  readonly broken = new Set<string>()
  /** Why this host cannot do it, or cannot say which tunnels these are. */
  whyNot: Message | null = null
  damage: string | null = null
  isUnreadable = false

  constructor(change: (what: string) => void, networks: () => readonly string[] = () => []) {
    this.#change = change
    this.#networks = networks
  }

  names = (): string[] => [...this.held]
  /** What the networks need of it. */
  isNetworkBroken = false

  marked = (): string[] => [...this.held, ...this.#networks()]

  async isWhole(): Promise<boolean> {
    if (this.isUnreadable) throw new KernelError('EIO', 'nft crashed (SIGSEGV)')
    return !this.isNetworkBroken
  }

  async found() {
    if (this.isUnreadable) throw new KernelError('EIO', 'nft crashed (SIGSEGV)')
    return this.names().map((interface_name) => ({ interface_name, is_whole: !this.broken.has(interface_name) }))
  }

  async start(interface_name: string): Promise<void> {
    this.#change(`answers-start ${interface_name}`)
    this.held.add(interface_name)
    this.broken.delete(interface_name)
  }

  async stop(interface_name: string): Promise<void> {
    this.#change(`answers-stop ${interface_name}`)
    this.held.delete(interface_name)
  }

  async forget(interface_names: readonly string[]): Promise<void> {
    for (const name of interface_names) this.held.delete(name)
  }

  async follow(): Promise<void> {
    this.broken.clear()
    this.isNetworkBroken = false
  }

  /** Interfaces that rules name and are answered by. */
  byInterface: readonly Uplink[] = []
  uplinks = async (): Promise<readonly Uplink[]> => this.byInterface

  refusal = async (): Promise<Message | null> => this.whyNot
  trouble = (): string | null => this.damage
}
