// The places of rules in a new order: they say that order, and few of them change.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newPlaces, type Placed } from '@panel/web-daemon/features/routes/places.ts'

const U32_MAX = 0xffff_ffff
const inOrder = (a: Placed, b: Placed): number => a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id
const ids = (rules: readonly Placed[]): number[] => rules.map(({ route_rule_id }) => route_rule_id)

/** The list as it stands once it was given the order. */
function ordered(wanted: readonly Placed[]): { list: Placed[]; changed: number } {
  const places = new Map(newPlaces(wanted).map((one) => [one.route_rule_id, one]))
  return { list: wanted.map((one) => places.get(one.route_rule_id) ?? one).sort(inOrder), changed: places.size }
}
const spaced = (count: number): Placed[] =>
  Array.from({ length: count }, (_, at) => ({ route_rule_id: at + 1, sort_order: (at + 1) * 10 }))
const moved = (list: readonly Placed[], from: number, to: number): Placed[] => {
  const rest = list.filter((_, at) => at !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

describe('The places of rules in a new order', () => {
  it('say that order, whatever they were before, within what the kernel can hold', () => {
    const place = fc.oneof(fc.nat(20), fc.nat(U32_MAX), fc.constantFrom(0, U32_MAX, U32_MAX - 1))
    fc.assert(
      fc.property(
        fc.array(place, { maxLength: 40 }).chain((places) =>
          fc.shuffledSubarray(
            places.map((sort_order, at) => ({ route_rule_id: at + 1, sort_order })),
            { minLength: places.length },
          ),
        ),
        (wanted) => {
          const { list } = ordered(wanted)
          assert.deepEqual(ids(list), ids(wanted))
          assert.ok(
            list.every(({ sort_order }) => Number.isInteger(sort_order) && sort_order >= 0 && sort_order <= U32_MAX),
          )
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('are what they were where the order is', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10)), (places) => {
        const list = places.map((sort_order, at) => ({ route_rule_id: at + 1, sort_order })).sort(inOrder)
        assert.deepEqual(newPlaces(list), [])
      }),
    )
  })

  it('change for the one rule that is moved, wherever it comes from and goes to', () => {
    const list = spaced(10_000)
    for (const [from, to] of [
      [9999, 0],
      [0, 9999],
      [5000, 10],
      [3, 4],
    ] as const)
      assert.equal(ordered(moved(list, from, to)).changed, 1, `${from} to ${to}`)
  })

  it('change for few more where the room between two is used up again and again', () => {
    for (const to of [0, 500]) {
      let [list, changed] = [spaced(1000), 0]
      for (let turn = 0; turn < 1000; turn += 1) {
        const next = ordered(moved(list, 999, to))
        list = next.list
        changed += next.changed
      }
      assert.ok(changed / 1000 < 20, `to ${to}: ${changed / 1000} each`)
    }
  })
})
