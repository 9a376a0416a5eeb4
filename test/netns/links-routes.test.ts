// Foreign routes through a link of a real kernel, with `ip` as the oracle: each is put back unchanged, or named as one
// that cannot be.
import assert from 'node:assert/strict'
import { LinksNamespace } from './links-namespace.ts'

const LASTING = [
  'route add 10.1.0.0/16 dev ve0',
  'route add 10.2.0.0/16 via 10.0.0.2',
  'route add 10.3.0.0/16 via 10.0.0.2 proto static metric 7 src 10.0.0.1',
  'route add 10.4.0.0/16 via 10.0.0.2 table 1234567',
  'route add 10.5.0.1/32 via 192.0.2.77 dev ve0 onlink',
  'route add default via 10.0.0.2 metric 50',
  'route add 2001:db8:1::/48 dev ve0',
  'route add 2001:db8:2::/48 via 2001:db8::2 proto static metric 9',
  'route add 2001:db8:3::/48 via fe80::1 dev ve0',
  'route add default via 2001:db8::2 table 1000',
]
const UNMODELLED: Readonly<Record<string, string>> = {
  'route add 10.20.0.0/16 via 10.0.0.2 mtu 1400': 'metrics',
  'route add 10.21.0.0/16 nexthop via 10.0.0.2 nexthop via 10.0.0.3': 'several next hops',
  'route add 10.22.0.0/16 via inet6 2001:db8::9 dev ve0': 'a gateway of the other family',
  'route add 10.23.0.0/16 via 10.0.0.2 tos 0x10': 'tos',
  'route add 10.24.0.0/16 via 10.0.0.2 realms 5': 'realms',
  'route add 2001:db8:20::/48 via 2001:db8::2 pref high': 'pref',
  'route add 2001:db8:21::/48 via 2001:db8::2 expires 300': 'expires',
  'route add 2001:db8:22::/48 from 2001:db8:9::/48 via 2001:db8::2': 'from',
}

describe('foreign routes through a link', function () {
  let host: LinksNamespace
  const shown = (): string[] =>
    [4, 6].flatMap((family) =>
      host
        .ip(`-${family} -d -N route show table all dev ve0`)
        .split('\n')
        .filter((line) => !/proto 2 |^$/.test(line))
        .map((line) => line.trim())
        .sort(),
    )
  const bringUp = (): void =>
    host.batch('link set ve0 up', 'addr replace 2001:db8::1/64 dev ve0 nodad', 'link set ve1 up')

  beforeEach(() => {
    host = new LinksNamespace()
    host.batch('link add ve0 type veth peer name ve1', 'addr add 10.0.0.1/24 dev ve0')
    bringUp()
  })
  afterEach(() => host.close())

  it('are put back one by one just as they were, once the kernel has dropped them with the link', async () => {
    host.batch(...LASTING)
    const before = shown()
    const routes = await host.links.routesThrough('ve0')
    assert.deepEqual(
      routes.map(({ unmodelled }) => unmodelled),
      LASTING.map(() => []),
    )
    assert.deepEqual(before.length, LASTING.length)
    host.batch('link set ve0 down')
    assert.deepEqual(shown(), [])
    bringUp()
    for (const route of [...routes, ...routes]) await host.links.addRoute('ve0', route)
    assert.deepEqual(shown(), before)
    assert.deepEqual(await host.links.routesThrough('ve0'), routes)
  })

  for (const [command, what] of Object.entries(UNMODELLED))
    it(`are reported as not put back if they have more: ${what}`, async () => {
      host.batch(command)
      const [route, ...others] = await host.links.routesThrough('ve0')
      assert.deepEqual([route?.unmodelled, others], [[what], []])
    })

  it('are not those over other links, those that lead nowhere, or those of the kernel', async () => {
    host.batch('addr add 10.9.0.1/24 dev ve1', 'route add 10.30.0.0/16 dev ve1', 'route add blackhole 10.31.0.0/16')
    assert.deepEqual(await host.links.routesThrough('ve0'), [])
    assert.deepEqual(await host.links.routesThrough('no-such'), [])
  })
})
