// ruleset.counters for who reads them again and again (root-helper.md).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { CounterReader } from '@panel/root-helper/nouns/ruleset/counters.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import { readKernelCounters } from '@panel/web-daemon/features/traffic/kernel-counters.ts'

const of = (route_rule_id: number, tx_bytes: number): RelayCounters => ({
  route_rule_id,
  tx_bytes,
  tx_packets: tx_bytes,
  rx_bytes: 0,
  rx_packets: 0,
})

/** A kernel with counters, and a client that keeps in mind what it was sent. */
class Followed {
  readonly slow = new Map<number, RelayCounters>()
  readonly carried = new Map<number, RelayCounters>()
  epoch = 'a'
  fastEpoch = 'a'
  sent = 0
  readonly #reader = new CounterReader({
    rulesets: { counters: async () => ({ epoch: this.epoch, counters: inOrder(this.slow) }) },
    connections: {
      fast: async (): Promise<FastCounters> => ({ epoch: this.fastEpoch, detail: '', counters: inOrder(this.carried) }),
    },
  } as unknown as Pick<Kernel, 'rulesets' | 'connections'>)
  readonly #received = { slow: new Map<number, string>(), fast: new Map<number, string>() }
  #revision: string | undefined

  readonly request = ((_method: string, params: never) => this.#reader.read(params)) as unknown as Reader

  /** Reads what changed, and says whether the client then knows every counter as the kernel has it. */
  async follow(): Promise<void> {
    const { revision, epoch, counters, fast } = await readKernelCounters(this.request, this.#revision)
    this.#revision = revision
    this.sent = counters.length
    for (const one of counters) this.#received.slow.set(one.route_rule_id, JSON.stringify([epoch, one]))
    for (const one of fast?.counters ?? [])
      this.#received.fast.set(one.route_rule_id, JSON.stringify([fast?.epoch, one]))
    for (const [received, all, of] of [
      [this.#received.slow, this.slow, this.epoch],
      [this.#received.fast, this.carried, this.fastEpoch],
    ] as const)
      for (const one of all.values()) assert.equal(received.get(one.route_rule_id), JSON.stringify([of, one]))
  }

  /** The rule goes, and comes with a counter that begins again; both ends know that. */
  recreate(id: number): void {
    this.#reader.forget([id])
    this.#received.slow.delete(id)
  }

  /** An answer that does not arrive: the client goes on from the one before it. */
  async lose(): Promise<void> {
    await readKernelCounters(this.request, this.#revision)
  }
}

const inOrder = (all: ReadonlyMap<number, RelayCounters>): RelayCounters[] =>
  [...all.values()].sort((a, b) => a.route_rule_id - b.route_rule_id)

const rule = fc.integer({ min: 1, max: 4 })
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('slow' as const, 'carried' as const),
    id: rule,
    bytes: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ kind: fc.constantFrom('gone' as const, 'recreated' as const), id: rule }),
  fc.record({ kind: fc.constantFrom('epoch' as const, 'fastEpoch' as const), name: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'other' as const, 'read' as const) }),
)

describe('The counters of relay rules, read again and again', () => {
  it('are known to the reader as the kernel has them, whatever changed, was lost, or was read by others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const host = new Followed()
        for (const one of steps)
          if (one.kind === 'slow' || one.kind === 'carried') host[one.kind].set(one.id, of(one.id, one.bytes))
          else if (one.kind === 'gone') host.slow.delete(one.id)
          else if (one.kind === 'recreated') host.recreate(one.id)
          else if (one.kind === 'epoch' || one.kind === 'fastEpoch') host[one.kind] = one.name
          else if (one.kind === 'lost') await host.lose()
          else if (one.kind === 'other') await host.request('ruleset.counters', { route_rule_ids: [1], from_id: 0 })
          else await host.follow()
        await host.follow()
      }),
      { numRuns: 300 },
    )
  })

  it('are sent once where nothing changes, and then those that changed', async () => {
    const host = new Followed()
    for (const id of [1, 2, 3]) host.slow.set(id, of(id, 0))
    const sent: number[] = []
    for (const id of [0, 2, 0]) {
      if (id > 0) host.slow.set(id, of(id, 100))
      await host.follow()
      sent.push(host.sent)
    }
    assert.deepEqual(sent, [3, 1, 0])
  })

  it('come whole over as many pages as they take, and then as few as changed', async () => {
    const host = new Followed()
    for (let id = 1; id <= 10_000; id += 1) host.slow.set(id, of(id, id))
    await host.follow()
    assert.equal(host.sent, 10_000)
    host.slow.set(9999, of(9999, 1))
    await host.follow()
    assert.equal(host.sent, 1)
  })
})
