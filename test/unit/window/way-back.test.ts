// Where a window would take the host back to, for a caller that only looks (root-helper.md, Windows).
import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { MAX_LINE_BYTES } from '@panel/shared/rpc/framing.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { WindowWayBack } from '@panel/shared/window/model.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, OTHER_ID, Root } from './root.ts'

const tunnel = exampleTunnel()
const changed = exampleTunnel({ ttl: 64 })
const ELSEWHERE = [{ address: '172.17.9.1', peer_address: '', prefix_length: 30 }]
const elsewhere = exampleTunnel({ remote_endpoint: '198.51.100.77', addresses: ELSEWHERE }, 'gre-b-2')
const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })

describe('The way back of a window', () => {
  quietly()
  const isOfMethod = new Ajv({ strict: false }).compile(METHODS['window.way_back'].result)
  let root: Root
  beforeEach(async () => {
    root = await new Root().start()
    await root.tunnel(null, tunnel)
    await root.rules([], [one])
    root.kernel.routesOfOthers.set('gre-a-1', [routeThrough('10.50.0.0/16')])
    await root.open()
  })
  const wayBack = async (from_id = 0): Promise<WindowWayBack> => {
    const found = await root.handlers['window.way_back']({ window_id: ID, from_id })
    assert.ok(isOfMethod(found), JSON.stringify(isOfMethod.errors))
    return found
  }

  it('is nothing before the first change', async () => {
    assert.deepEqual(await wayBack(), { tunnels: [], networks: [], rules: [], forwarding: null, next_id: null })
  })

  it('is each tunnel, rule and switch as it was before the first change, without what was made since', async () => {
    const { state } = await root.handlers['forwarding.probe']({})
    await root.tunnel(tunnel, changed)
    await root.tunnel(changed, null)
    await root.tunnel(null, elsewhere)
    await root.rules([one], [{ ...one, bind_port: 4443 }, two])
    await root.forward(true)
    const there = root.picture()
    assert.deepEqual(await wayBack(), {
      tunnels: [tunnel],
      networks: [],
      rules: [one],
      forwarding: state,
      next_id: null,
    })
    assert.equal(root.picture(), there)
  })

  it('is that of the window that is named, while it is open or being taken back', async () => {
    await root.rules([one], [])
    const other = root.handlers['window.way_back']({ window_id: OTHER_ID, from_id: 0 })
    await assert.rejects(other, { code: 'window_over' })
    await root.handlers['window.cancel']({ window_id: ID })
    await assert.rejects(wayBack(), { code: 'window_over' })
  })

  it('comes in pages of which each fits a line, in the order of the rules’ numbers', async () => {
    const all = Array.from({ length: 6000 }, (_, n) =>
      exampleRule({ route_rule_id: n + 10, bind_port: 1000 + n, sort_order: 9000 - n }),
    )
    await root.handlers['window.confirm']({ window_id: ID })
    for (let from = 0; from < all.length; from += 1000) await root.rules([], all.slice(from, from + 1000))
    await root.open()
    await root.tunnel(tunnel, changed)
    for (let from = 0; from < all.length; from += 1000) await root.rules(all.slice(from, from + 1000), [])
    const pages: WindowWayBack[] = []
    for (let next: number | null = 0; next !== null; next = pages.at(-1)?.next_id ?? null)
      pages.push(await wayBack(next))
    assert.ok(pages.length > 1)
    for (const page of pages) assert.ok(JSON.stringify(page).length < MAX_LINE_BYTES / 2)
    assert.deepEqual(
      pages.flatMap(({ rules }): RelayRule[] => rules),
      all,
    )
    assert.deepEqual(
      pages.map(({ tunnels }) => tunnels.length),
      pages.map((_, at) => (at === 0 ? 1 : 0)),
    )
  })
})
