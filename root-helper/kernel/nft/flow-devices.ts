// The devices of the flowtable: packets that arrive by another one take the slow path. They follow the host, since the
// kernel takes a device out with its link and never puts it back.
import { FLOWTABLE } from '@panel/shared/ruleset/nft/fast-path.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import type { RelayTable } from './relay-table.ts'

/** A flowtable takes no more (NFT_NETDEVICE_MAX). */
const DEVICES_MAX = 256
/** How often a change is tried that the kernel refuses because the ruleset has changed meanwhile. */
const TRIES = 4

export class FlowDevices {
  readonly #table: RelayTable
  readonly #commit: (work: (generation: number) => Promise<void>) => Promise<void>
  #wanted: readonly string[] = []

  /** `commit` runs what is one generation of the ruleset. */
  constructor(table: RelayTable, commit: (work: (generation: number) => Promise<void>) => Promise<void>) {
    this.#table = table
    this.#commit = commit
  }

  async follow(names: readonly string[]): Promise<void> {
    this.#wanted = names
    await this.put()
  }

  /** Nothing where there is no flowtable. A device that cannot join leaves its flows on the slow path. */
  async put(): Promise<void> {
    const there = await this.#table.flowDevices(FLOWTABLE)
    if (!there) return
    const missing = this.#wanted.filter((name) => !there.includes(name))
    const room = DEVICES_MAX - there.length
    if (missing.length > room) log('warning', 'The fast path takes no more devices', { left_out: missing.slice(room) })
    for (const device of missing.slice(0, room)) await this.#join(device)
  }

  /** One by one, since one that has just gone would keep the others away. */
  async #join(device: string): Promise<void> {
    for (let left = TRIES; left > 0; left -= 1)
      try {
        return await this.#commit((generation) => this.#table.addFlowDevice(FLOWTABLE, device, generation))
      } catch (error) {
        if (!(error instanceof KernelError)) throw error
        if (error.code === 'ERESTART') continue
        if (error.code !== 'ENOENT')
          log('warning', 'A device is not on the fast path', { device, detail: error.message })
        return
      }
  }
}
