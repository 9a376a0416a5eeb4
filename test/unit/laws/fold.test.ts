// Many changes as one: laws of the fold, over arbitrary changes of a host that holds a few named values.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Change } from '@panel/shared/change/change.ts'
import { folded, unfolded, type Fold, type Parts } from '@panel/shared/change/fold.ts'

interface Named {
  readonly name: string
  readonly value: number
}
type Host = readonly Named[]

const parts: Parts<Host, Named> = {
  divide: (host) => new Map((host ?? []).map((one) => [one.name, one])),
  join: (all) => (all.length === 0 ? null : all),
}

const host = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.integer({ min: 0, max: 3 }) }),
  { selector: ({ name }) => name, maxLength: 4 },
)
/** What a change shall hold under some of the names; null is nothing. */
const wishes = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.integer({ min: 0, max: 3 }))), {
  maxLength: 8,
})

const sorted = (all: Host): Host => [...all].sort((one, other) => (one.name < other.name ? -1 : 1))
const orNull = (all: Host): Host | null => (all.length === 0 ? null : all)

/** Each begins where the one before it ends. */
function changesFrom(start: Host, all: readonly Record<string, number | null>[]): [Change<Host>[], Host] {
  let now = start
  const changes = all.map((wish) => {
    const isOf = ({ name }: Named): boolean => name in wish
    const before = now.filter(isOf)
    const after = Object.entries(wish).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
    now = [...now.filter((one) => !isOf(one)), ...after]
    return { before: orNull(before), after: orNull(after) }
  })
  return [changes, now]
}

const foldOf = (changes: readonly Change<Host>[], from: Fold<Named> = new Map()): Fold<Named> =>
  changes.reduce((fold, change) => folded(fold, change, parts), from)
const asOne = (changes: readonly Change<Host>[]): Change<Host> => unfolded(foldOf(changes), parts)

const carriedOut = (now: Host, { before, after }: Change<Host>, touched: Iterable<string>): Host => {
  const names = new Set(touched)
  assert.deepEqual(sorted(now.filter(({ name }) => names.has(name))), before ?? [])
  return [...now.filter(({ name }) => !names.has(name)), ...(after ?? [])]
}

describe('The fold of changes', () => {
  it('of one change is that change', () => {
    fc.assert(
      fc.property(host, wishes, (start, all) => {
        const [[change]] = changesFrom(start, all.slice(0, 1))
        if (!change) return
        const { before, after } = asOne([change])
        assert.deepEqual(
          [sorted(before ?? []), sorted(after ?? [])],
          [sorted(change.before ?? []), sorted(change.after ?? [])],
        )
      }),
    )
  })

  it('of two series is the fold of their folds', () => {
    fc.assert(
      fc.property(host, wishes, wishes, (start, first, second) => {
        const [a, between] = changesFrom(start, first)
        const [b] = changesFrom(between, second)
        const whole = unfolded(foldOf(b, foldOf(a)), parts)
        assert.deepEqual(whole, asOne([...a, ...b]))
      }),
    )
  })

  it('takes a host from before the first change to after the last, and back, and touches nothing else', () => {
    fc.assert(
      fc.property(host, wishes, (start, all) => {
        const [changes, end] = changesFrom(start, all)
        const names = [...foldOf(changes).keys()]
        const { before, after } = asOne(changes)
        assert.deepEqual(sorted(carriedOut(start, { before, after }, names)), sorted(end))
        assert.deepEqual(sorted(carriedOut(end, { before: after, after: before }, names)), sorted(start))
      }),
    )
  })

  it('is the same again after it was written and read', () => {
    fc.assert(
      fc.property(host, wishes, (start, all) => {
        const [changes] = changesFrom(start, all)
        const written = JSON.stringify(asOne(changes))
        const read = folded(new Map(), JSON.parse(written) as Change<Host>, parts)
        assert.equal(JSON.stringify(unfolded(read, parts)), written)
      }),
    )
  })
})
