// The laws of putting back what other programs take away (decisions.md, S19), however often that is and whenever it is
// noticed.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Heals } from '@panel/web-daemon/change/heal.ts'
import { GRACE_MS, makeRemediation, type RemediationDeps } from '@panel/web-daemon/change/remediate.ts'

const OBJECTS = 4
const HOUR_MS = 3_600_000
const TRIES_OF_AN_HOUR = 6
type Mode = 'off' | 'rules' | 'all'

/** A host from which objects are taken, and the panel that looks at it. */
class Fight {
  readonly #away = new Set<number>()
  readonly #own: readonly (boolean | null)[]
  readonly #mode: Mode
  readonly #began = 1_000_000
  #now = this.#began
  isRefused = false
  readonly tries: { readonly at: number; readonly id: number }[] = []
  readonly #remediation

  constructor(mode: Mode, own: readonly (boolean | null)[]) {
    this.#mode = mode
    this.#own = own
    const now = (): Date => new Date(this.#now)
    const get = (key: string): unknown => (key === 'system.self_heal' ? this.#mode : false)
    const silent = { warn: () => undefined, error: () => undefined }
    const ignore = (): void => undefined
    const heals = new Heals({ now, settings: { get } as never, onRepeated: ignore, onContested: ignore })
    const deps = { now, heals, logger: silent, record: async () => undefined, isHeldBack: () => false }
    this.#remediation = makeRemediation(deps as unknown as RemediationDeps, {
      noun: 'route',
      action: 'RouteReapply',
      together: (items) => [items],
      describe: () => '',
      reapply: async (_, ids) => this.#reapply(ids),
    })
    this.pass(GRACE_MS)
  }

  take(id: number): void {
    this.#away.add(id)
  }
  pass(ms: number): void {
    this.#now += ms
  }
  look(): Promise<void> {
    const items = this.#own.map((is_self_heal, id) => ({
      ...{ id, is_self_heal },
      ...{ status: '', isDrifted: this.#away.has(id) },
    }))
    return this.#remediation.remediate(items)
  }
  isWanted(id: number): boolean {
    return this.#own[id] ?? this.#mode !== 'off'
  }
  isAway(id: number): boolean {
    return this.#away.has(id)
  }

  #reapply(ids: readonly number[]): void {
    this.tries.push(...ids.map((id) => ({ at: this.#now, id })))
    if (this.isRefused) throw new Error('refused')
    for (const id of ids) this.#away.delete(id)
  }
}

const id = fc.nat({ max: OBJECTS - 1 })
const doing = fc.oneof(
  fc.record({ take: id }),
  fc.record({ pass: fc.integer({ min: 1, max: 300_000 }) }),
  fc.record({ refused: fc.boolean() }),
  fc.constant({ look: true }),
)
const fights = {
  mode: fc.constantFrom<Mode>('off', 'rules', 'all'),
  own: fc.array(fc.constantFrom(null, true, false), { minLength: OBJECTS, maxLength: OBJECTS }),
  doings: fc.array(doing, { maxLength: 400 }),
}

const fought = (after: (fight: Fight) => unknown): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fights.mode, fights.own, fights.doings, async (mode, own, doings) => {
      const fight = new Fight(mode, own)
      for (const one of doings) {
        if ('take' in one) fight.take(one.take)
        else if ('pass' in one) fight.pass(one.pass)
        else if ('refused' in one) fight.isRefused = one.refused
        else await fight.look()
        await after(fight)
      }
    }),
    { numRuns: 200 },
  )

describe('What others take away', () => {
  it('is put back only where that is wanted, and never where its own word is no', () =>
    fought((fight) => assert.ok(fight.tries.every((tried) => fight.isWanted(tried.id)))))

  it('is put back no more by looking once more', () =>
    fought(async (fight) => {
      await fight.look()
      const [tries, away] = [fight.tries.length, [0, 1, 2, 3].filter((at) => fight.isAway(at))]
      await fight.look()
      assert.deepEqual([fight.tries.length, [0, 1, 2, 3].filter((at) => fight.isAway(at))], [tries, away])
    }))

  it(`costs ${TRIES_OF_AN_HOUR} tries in its first hour at most, however often it is taken, and whether they work`, async () => {
    const turns = fc.array(fc.record({ pause: fc.integer({ min: 1, max: 20_000 }), refused: fc.boolean() }), {
      minLength: 180,
      maxLength: 400,
    })
    await fc.assert(
      fc.asyncProperty(turns, async (all) => {
        const fight = new Fight('all', [null])
        for (const { pause, refused } of all) {
          fight.take(0)
          fight.isRefused = refused
          await fight.look()
          fight.pass(pause)
        }
        const soon = fight.tries.filter(({ at }) => at < (fight.tries[0]?.at ?? 0) + HOUR_MS)
        assert.ok(soon.length > 1 && soon.length <= TRIES_OF_AN_HOUR, `${soon.length} tries`)
      }),
      { numRuns: 100 },
    )
  })

  it('is put back at once the first time', async () => {
    const fight = new Fight('rules', [null, true, false, null])
    for (const at of [0, 1, 2, 3]) fight.take(at)
    await fight.look()
    assert.deepEqual(
      fight.tries.map((tried) => tried.id),
      [0, 1, 3],
    )
  })
})
