// Which paths of a network carry, for any paths and whichever of them are out.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { verbatim } from '@panel/shared/messages/message.ts'
import { judgePaths, type Out, type Path } from '@panel/web-daemon/features/networks/carrying.ts'

const anOut = fc
  .constantFrom('good', 'poor', 'none')
  .map((chance: Out['chance']): Out => ({ why: verbatim('x'), chance, since: null }))
const aPath = fc.record({
  preference: fc.integer({ min: 1, max: 4 }),
  weight: fc.integer({ min: 1, max: 255 }),
  out: fc.option(anOut),
})
const paths = fc.array(aPath, { minLength: 1, maxLength: 16 }).map((all) => ({
  paths: all.map(({ preference, weight }, at): Path => ({ tunnel_id: at + 1, preference, weight })),
  out: new Map(all.flatMap(({ out }, at) => (out ? [[at + 1, out] as const] : []))),
}))

const holds = (law: (given: { paths: Path[]; out: Map<number, Out> }) => void): void =>
  fc.assert(fc.property(paths, law))

describe('Of the paths of a network', () => {
  it('some carry, whichever are out', () =>
    holds(({ paths, out }) => assert.ok(judgePaths(paths, out).some(({ state }) => state === 'carries'))))

  it('each is judged, in its place, and has a weight towards root just if it carries: its own', () =>
    holds(({ paths, out }) => {
      const all = judgePaths(paths, out)
      assert.deepEqual(
        all.map(({ path }) => path),
        paths,
      )
      for (const { path, state, carried_weight } of all)
        assert.equal(carried_weight, state === 'carries' ? path.weight : 0)
    }))

  it('those that carry have one preference, and no usable one has a lower', () =>
    holds(({ paths, out }) => {
      const all = judgePaths(paths, out)
      const carried = all.filter(({ state }) => state === 'carries').map(({ path }) => path)
      assert.equal(new Set(carried.map(({ preference }) => preference)).size, 1)
      const usable = paths.filter(({ tunnel_id }) => !out.has(tunnel_id))
      if (usable.length === 0) return
      const lowest = Math.min(...usable.map(({ preference }) => preference))
      assert.deepEqual(
        carried,
        usable.filter(({ preference }) => preference === lowest),
      )
    }))

  it('all being out, those with the best chance carry: by hand, then silent, then without a link', () =>
    holds(({ paths, out }) => {
      const allOut = new Map(paths.map(({ tunnel_id }) => [tunnel_id, out.get(tunnel_id) ?? OUT]))
      const withChance = (chance: Out['chance']) => paths.filter((one) => allOut.get(one.tunnel_id)?.chance === chance)
      const good = withChance('good')
      const poor = withChance('poor')
      const candidates = good.length > 0 ? good : poor.length > 0 ? poor : paths
      const lowest = Math.min(...candidates.map(({ preference }) => preference))
      assert.deepEqual(
        judgePaths(paths, allOut)
          .filter(({ state }) => state === 'carries')
          .map(({ path }) => path),
        candidates.filter(({ preference }) => preference === lowest),
      )
    }))

  it('one that goes out leaves the others as they were, unless it carried', () =>
    holds(({ paths, out }) => {
      const before = judgePaths(paths, out)
      const gone = before.find(({ state }) => state === 'standby')
      if (!gone) return
      const after = judgePaths(paths, new Map([...out, [gone.path.tunnel_id, OUT]]))
      assert.deepEqual(
        after.map(({ carried_weight }) => carried_weight),
        before.map(({ carried_weight }) => carried_weight),
      )
    }))

  it('the state says which: out with its reason, standby without', () =>
    holds(({ paths, out }) => {
      for (const { path, state, out: isOut } of judgePaths(paths, out)) {
        assert.equal(isOut, out.get(path.tunnel_id) ?? null)
        if (state !== 'carries') assert.equal(state, isOut ? 'out' : 'standby')
      }
    }))

  it('the order in which they are given decides nothing', () =>
    holds(({ paths, out }) => {
      const byId = (all: readonly Path[]) =>
        new Map(judgePaths(all, out).map(({ path, state }) => [path.tunnel_id, state]))
      assert.deepEqual([...byId([...paths].reverse())].sort(), [...byId(paths)].sort())
    }))
})

const OUT: Out = { why: verbatim('x'), chance: 'good', since: null }
