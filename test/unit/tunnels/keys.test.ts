// The GRE keys of a tunnel (decisions.md, T12, R9, R15).
import assert from 'node:assert/strict'
import { draftEnds } from '@panel/web-daemon/features/tunnels/draft/ends.ts'
import { draftKeys } from '@panel/web-daemon/features/tunnels/draft/keys.ts'
import { neighbour, problemsOf, sketch, warningsOf } from './draft-context.ts'

const drawing =
  (...keys: number[]) =>
  (): number =>
    keys.shift() ?? assert.fail('drew too often')
const keysOf = (request: ReturnType<typeof sketch>, ...drawn: number[]) =>
  draftKeys(request, draftEnds(request), drawing(...drawn))

describe('The keys of a tunnel', () => {
  it('are one and the same, drawn, where none is given', () => {
    const draft = sketch()
    assert.deepEqual(keysOf(draft, 4711), { ikey: 4711, okey: 4711 })
    assert.deepEqual(warningsOf(draft), [])
  })

  it('are drawn from 1 to 2^32-1', () => {
    for (let n = 0; n < 200; n += 1) {
      const { ikey } = draftKeys(sketch(), draftEnds(sketch()))
      assert(ikey !== null && ikey >= 1 && ikey <= 0xffff_ffff)
    }
  })

  it('are drawn again where a tunnel between the same endpoints has them', () => {
    assert.deepEqual(keysOf(sketch({}, { existing: [neighbour({ ikey: 5, okey: 6 })] }), 5, 6, 8), {
      ikey: 8,
      okey: 8,
    })
  })

  it('are none where null is given, with a warning', () => {
    for (const body of [{ ikey: null, okey: null }, { ikey: null }, { okey: null }]) {
      const draft = sketch(body)
      assert.deepEqual(keysOf(draft), { ikey: null, okey: null })
      assert.deepEqual(warningsOf(draft), ['ikey NO_GRE_KEY'])
    }
  })

  it('stay one-sided where only one is given, with a warning', () => {
    const draft = sketch({ okey: 9 })
    assert.deepEqual(keysOf(draft), { ikey: null, okey: 9 })
    assert.deepEqual(warningsOf(draft), ['ikey GRE_KEY_ASYMMETRIC'])
  })

  it('must not make two tunnels of one kind between the same endpoints alike', () => {
    const twins = { existing: [neighbour({ ikey: 7 })] }
    const alike = sketch({ ikey: 7, okey: 1 }, twins)
    keysOf(alike)
    assert.deepEqual(problemsOf(alike), ['remote_endpoint TUNNEL_ENDPOINT_CONFLICT'])
    for (const body of [
      { ikey: 8, okey: 7 },
      { ikey: 7, okey: 7, remote_endpoint: '198.51.100.8' },
      { ikey: 7, okey: 7, tunnel_type_id: 20 },
    ]) {
      const other = sketch(body, twins)
      keysOf(other)
      assert.deepEqual(problemsOf(other), [], JSON.stringify(body))
    }
  })

  it('may be those of a tunnel elsewhere, with a warning', () => {
    const draft = sketch({ ikey: 7, okey: 7 }, { existing: [neighbour({ remote_endpoint: '198.51.100.8' })] })
    keysOf(draft)
    assert.deepEqual(warningsOf(draft), ['ikey GRE_KEY_REUSED'])
  })
})
