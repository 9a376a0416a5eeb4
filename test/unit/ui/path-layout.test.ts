// Where the hops of paths stand in a picture.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  HOP,
  layOut,
  mirrored,
  type Hop,
  type Path,
  type Picture,
} from '../../../ui/src/components/path/path-layout.ts'
import { layOutNarrow } from '../../../ui/src/components/path/path-narrow.ts'
import { fitting, labelPlace } from '../../../ui/src/components/path/path-lines.ts'

const hop = (key: string, stage: number): Hop => ({
  key,
  stage,
  label: key,
  detail: '',
  condition: { state: 'up', label: 'OK' },
})
const path = (...hops: Hop[]): Path => ({
  title: hops.map(({ key }) => key).join(),
  hops,
  legs: hops.slice(1).map(() => ({ label: '', text: '', state: 'up' as const })),
})
/** Rules of some tunnels with some destinations each. */
const anyPaths = fc
  .array(fc.record({ rule: fc.nat(9), tunnel: fc.option(fc.nat(4)), destination: fc.nat(12) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((all) =>
    all.map(({ rule, tunnel, destination }) =>
      path(
        hop('clients', 0),
        hop(`rule ${rule}`, 1),
        hop('server', 2),
        ...(tunnel === null ? [] : [hop(`tunnel ${tunnel}`, 3)]),
        hop(`destination ${destination}`, 5),
      ),
    ),
  )
const apart = (one: { x: number; y: number }, other: { x: number; y: number }): boolean =>
  Math.abs(one.x - other.x) >= HOP.width || Math.abs(one.y - other.y) >= HOP.height

describe('A picture of paths', () => {
  it('has what paths share once, and no hop on another, from side to side and from top to bottom', () => {
    fc.assert(
      fc.property(anyPaths, fc.boolean(), (paths, isDown) => {
        const { hops, width, height } = layOut(paths, isDown)
        assert.equal(hops.length, new Set(paths.flatMap((one) => one.hops.map(({ key }) => key))).size)
        for (const [at, one] of hops.entries()) {
          for (const other of hops.slice(at + 1)) assert.ok(apart(one, other), `${one.key} and ${other.key}`)
          assert.ok(one.x >= 0 && one.x + HOP.width <= width && one.y >= 0 && one.y + HOP.height <= height)
        }
      }),
    )
  })

  it('joins each hop to the next of its path, over stages that the path leaves out', () => {
    const { edges } = layOut([path(hop('a', 0), hop('b', 2)), path(hop('a', 0), hop('c', 1), hop('b', 2))], false)
    assert.deepEqual(edges.map(({ key }) => key).sort(), ['a b', 'a c', 'c b'])
  })

  it('leads past the hops of the stages that a path leaves out', () => {
    fc.assert(
      fc.property(anyPaths, fc.boolean(), (paths, isDown) => {
        const { hops, edges } = layOut(paths, isDown)
        for (const { via, key } of edges)
          for (const place of via) for (const one of hops) assert.ok(apart(place, one), `${key} and ${one.key}`)
      }),
    )
    const [through, past] = [path(hop('a', 0), hop('t', 1), hop('b', 2)), path(hop('a', 0), hop('b', 2))]
    assert.deepEqual(
      layOut([through, past], false).edges.map(({ key, via }) => [key, via.length]),
      [
        ['a t', 0],
        ['t b', 0],
        ['a b', 1],
      ],
    )
  })

  it('is never wider than its place, where some stand below others, and still has every leg of every path', () => {
    fc.assert(
      fc.property(anyPaths, fc.integer({ min: HOP.width, max: 900 }), (paths, room) => {
        const { hops, edges, width, height } = layOutNarrow(paths, room)
        assert.ok(width <= room)
        for (const [at, one] of hops.entries()) {
          for (const other of hops.slice(at + 1)) assert.ok(apart(one, other), `${one.key} and ${other.key}`)
          assert.ok(one.x >= 0 && one.x + HOP.width <= width && one.y >= 0 && one.y + HOP.height <= height)
        }
        assert.equal(new Set([...hops, ...edges].map(({ key }) => key)).size, hops.length + edges.length)
        const drawn = new Set(edges.map(({ from, to }) => `${from.label} ${to.label}`))
        for (const { hops: own } of paths)
          for (const [at, to] of own.slice(1).entries()) assert.ok(drawn.has(`${own[at]?.label ?? ''} ${to.label}`))
      }),
    )
  })

  it('cuts a text that is wider than a hop, by the width of its letters', () => {
    assert.equal(fitting('TCP · Web', 12), 'TCP · Web')
    assert.equal(fitting('TCP · Shadowed by the web shop', 12), 'TCP · Shadowed b…')
    assert.equal(fitting('三台邮件服务器的转发规则', 12), '三台邮件服务器的转…')
  })

  it('has the words of a branch beside its curve, on the side away from it', () => {
    const branches = [path(hop('server', 0), hop('left', 1)), path(hop('server', 0), hop('right', 1))]
    const joins = [path(hop('left', 0), hop('server', 1)), path(hop('right', 0), hop('server', 1))]
    for (const { edges } of [branches, joins].map((paths) => layOut(paths, true)))
      for (const edge of edges) {
        const isLeft = [edge.from.key, edge.to.key].includes('left')
        const [outer] = [edge.from.x, edge.to.x].sort((a, b) => (isLeft ? a - b : b - a))
        const { x, anchor } = labelPlace(edge, true)
        const middle = (outer ?? 0) + HOP.width / 2
        assert.deepEqual([anchor, x], isLeft ? ['end', middle - 8] : ['start', middle + 8], edge.key)
      }
  })

  it('has all words between two stages at the end where lines lie apart, whichever meet there', () => {
    const rules = [0, 1, 2].map((n) => path(hop(n === 1 ? 'few' : 'any', 0), hop(`rule ${n}`, 1), hop('server', 2)))
    assert.deepEqual(
      layOut(rules, false).edges.map(({ from, straightAt }) => `${from.key}: ${straightAt}`),
      ['any: to', 'rule 0: from', 'few: to', 'rule 1: from', 'any: to', 'rule 2: from'],
    )
  })

  it('shows the worst of the paths that share a leg', () => {
    const broken = path(hop('a', 0), hop('b', 1))
    const paths = [broken, { ...broken, legs: [{ label: '', text: '', state: 'down' as const }] }]
    assert.deepEqual(
      layOut(paths, false).edges.map(({ state }) => state),
      ['down'],
    )
  })

  it('is the same from right to left', () => {
    fc.assert(
      fc.property(anyPaths, (paths) => {
        const picture: Picture = layOut(paths, false)
        assert.deepEqual(mirrored(mirrored(picture)), picture)
      }),
    )
  })

  it('is empty without paths', () => {
    assert.deepEqual(layOut([], false), { hops: [], edges: [], width: 0, height: 0 })
  })
})
