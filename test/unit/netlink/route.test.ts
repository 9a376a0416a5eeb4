// Routes in the kernel's bytes: what is sent for one with several hops reads back as the same, and whose a route is.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { routesThrough } from '@panel/root-helper/kernel/link/routes.ts'
import { hopsThatCarry, shapeOf, withoutHops } from '@panel/root-helper/kernel/our-routes.ts'
import { decodeEvents } from '@panel/root-helper/netlink/events.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import type { Message } from '@panel/root-helper/netlink/message.ts'
import { decodeRoute, deleteRoute, newRoute, replaceRoute, type NewRoute } from '@panel/root-helper/netlink/route.ts'

const asMessage = (route: NewRoute): Message => ({
  ...{ type: k.RTM_NEWROUTE, flags: 0, sequence: 0, port: 0 },
  body: Buffer.concat(newRoute('gre-a-1', route).parts),
})

const routeOf = (family: 4 | 6): fc.Arbitrary<NewRoute> => {
  const gateways = family === 4 ? ['', '172.17.1.1', 'fe80::54'] : ['', 'fd17::1', 'fe80::54']
  const hop = fc.record({
    index: fc.integer({ min: 1, max: 1000 }),
    gateway: fc.constantFrom(...gateways),
    weight: fc.integer({ min: 1, max: 255 }),
    isOnlink: fc.boolean(),
  })
  return fc.record({
    destination: fc.constantFrom(...(family === 4 ? ['10.50.0.0', '0.0.0.0'] : ['fd50::', '::'])),
    prefix_length: fc.constantFrom(0, 16, 32),
    source: fc.constantFrom('', family === 4 ? '10.66.0.1' : 'fd66::1'),
    table: fc.constantFrom(k.RT_TABLE_MAIN, 0x5400_ffff),
    protocol: fc.constantFrom(4, 84),
    metric: fc.integer({ min: 1, max: 0xffff_ffff }),
    scope: fc.constant(k.RT_SCOPE_UNIVERSE),
    hops: fc.uniqueArray(hop, { minLength: 1, maxLength: 16, selector: ({ index }) => index }),
  })
}
const route = fc.oneof(routeOf(4), routeOf(6))

describe('A route', () => {
  it('reads back as it was sent, with each hop and its weight', () => {
    fc.assert(
      fc.property(route, (sent) => {
        const found = decodeRoute(asMessage(sent))
        assert.ok(found)
        assert.equal(shapeOf(found), shapeOf(sent))
        assert.equal(found.protocol, sent.protocol)
        const weights = sent.hops.length === 1 ? [1] : sent.hops.map(({ weight }) => weight)
        assert.deepEqual(
          found.hops.map(({ weight, isDead }) => [weight, isDead]),
          weights.map((weight) => [weight, false]),
        )
      }),
    )
  })

  it('has no hop that is dead, and none alone that has a weight, where it is compared', () => {
    const hop = { gateway: '', weight: 7, isDead: false }
    const [alive, dead] = [
      { ...hop, index: 2 },
      { ...hop, index: 1, isDead: true },
    ]
    assert.deepEqual(hopsThatCarry([alive, dead]), [{ index: 2, gateway: '', weight: 1 }])
  })

  it('is removed by its only hop, and with any hops where it has several', () => {
    fc.assert(
      fc.property(route, (sent) => {
        const found = decodeRoute(asMessage(sent))
        assert.ok(found)
        const removal = decodeRoute({ ...asMessage(sent), body: Buffer.concat(deleteRoute(withoutHops(found)).parts) })
        assert.equal(removal?.index, sent.hops.length > 1 ? 0 : sent.hops[0]?.index)
        assert.equal(replaceRoute('', sent).flags, k.NLM_F_CREATE | k.NLM_F_REPLACE)
      }),
    )
  })

  it('is foreign on its way through a link unless the kernel or root adds it again by itself', () => {
    fc.assert(
      fc.property(routeOf(4), (sent) => {
        assert.equal(routesThrough([asMessage(sent)]).length, sent.protocol === 84 ? 0 : 1)
      }),
    )
  })

  it('is reported to a listener for default routes alone if it leads everywhere', () => {
    fc.assert(
      fc.property(route, (sent) => {
        const message = asMessage(sent)
        const header = Buffer.alloc(16)
        header.writeUInt32LE(16 + message.body.length, 0)
        header.writeUInt16LE(message.type, 4)
        const datagram = Buffer.concat([header, message.body])
        assert.equal(decodeEvents(datagram, 'paths').length, 1)
        assert.equal(decodeEvents(datagram, 'defaults').length, sent.prefix_length === 0 ? 1 : 0)
      }),
    )
  })
})
