// A file that says it all, over the end of everything else: what was exported makes the same panel and the same host
// after the package was purged and installed again (reference.md, Desired).
import assert from 'node:assert/strict'
import { Installed, HERE, SLOW, thePackage } from './package/installed.ts'
import { leavesNothing } from './package/removal.ts'
import { expect, OPERATOR } from './panel/panel.ts'

const FILE = '/root/site.yaml'

const SETTINGS = {
  'display.server_name': 'Hamburg',
  'monitor.interval_seconds': 2,
  'tunnel.default_ttl': 64,
  'security.token_ttl_minutes': 45,
}
const POOL = { address_pool_title: 'Mine', cidr: '10.77.0.0/16', prefix_length: 30, description: 'of my own' }
/** Kept by systemd, by networkd and by nothing; two of them draw numbers, keys and addresses. */
const TUNNELS = [
  { persistence_type_id: 10, keepalive_interval_seconds: 5, note: 'two\nlines', tags: ['a', 'b'] },
  { persistence_type_id: 20, pool: POOL.address_pool_title, mtu: 1400, tos: '0x10' },
  { persistence_type_id: 30, interface_name: 'by-hand', ikey: 77, okey: 78, is_enabled: false },
]
const NETWORK = {
  network_title: 'behind',
  destination: '10.50.0.0/16',
  paths: [
    { tunnel_id: 1, preference: 10, weight: 1 },
    { tunnel_id: 2, preference: 20, weight: 1 },
  ],
}
const RULES = [
  {
    route_rule_title: 'web',
    bind_port: 9000,
    tunnel_id: 1,
    destinations: [{ address: '172.17.1.2', port: 80 }],
    allowed_sources: [{ cidr: '203.0.113.0/24', description: 'office' }],
    max_connections_per_source: 9,
  },
  {
    route_rule_title: 'spread',
    route_protocol_id: 30,
    bind_port: 9100,
    destinations: [
      { address: '172.17.1.2', port: 81, weight: 3 },
      { address: '10.50.0.9', port: 82 },
    ],
  },
  { route_rule_title: 'later', bind_port: 9200, is_enabled: false, destinations: [{ address: '10.50.0.9', port: 83 }] },
]

describe('A panel that is purged and made again by its file', function () {
  const panel = new Installed()
  /** The panel and the host before the purge. */
  let before: { readonly file: string; readonly host: string }

  after(() => panel.stop())

  const setUp = async (): Promise<void> => {
    await panel.install(await thePackage())
    await panel.lab.run('tunnel-panel set-listen 0.0.0.0 --without-tls', SLOW)
    await panel.isWell()
    await panel.reach('http')
    expect(await panel.operator.post('/auth/setup', OPERATOR), 201)
  }

  /** Links with their addresses, routes, relay rules, units and switches: without what counts and what draws. */
  const hostOf = (): Promise<string> =>
    panel.lab.run(
      [
        "ip -d -o link show | sed -E 's/^[0-9]+: //' | grep -E '^(gre-a-|by-hand)' | sort",
        "ip -o address | sed -E 's/^[0-9]+: //' | grep -E '^(gre-a-|by-hand)' | grep -v ' fe80:' | sort",
        'ip route show proto 84',
        'ip rule',
        'nft --stateless list ruleset',
        "find /etc/systemd /etc/sysctl.d -type f -name '*' | sort | xargs grep -l '^# tunnel-panel: '",
        'sysctl net.ipv4.ip_forward',
      ].join('; '),
      SLOW,
    )

  const exported = (): Promise<string> => panel.lab.run('tunnel-panel export --yaml', SLOW)

  async function furnish(): Promise<void> {
    const { operator } = panel
    expect(await operator.put('/settings', SETTINGS), 200)
    const { address_pool_id } = expect(await operator.post<{ address_pool_id: number }>('/pools', POOL), 201)
    for (const [at, { pool, ...body }] of TUNNELS.entries()) {
      // Nothing answers at the other ends, and a tunnel that is down would hand its network to the next.
      const ends = { local_endpoint: HERE, remote_endpoint: `192.0.2.${at + 11}`, is_monitor_enabled: false }
      const drawn = pool === undefined ? {} : { address_pool_id }
      expect(await operator.post('/tunnels', { ...ends, ...drawn, ...body }), 201)
    }
    expect(await operator.post('/networks', NETWORK), 201)
    for (const rule of RULES) expect(await operator.post('/routes', { bind_address: HERE, ...rule }), 201)
  }

  it('exports itself to a file that it does not differ from', async () => {
    await Promise.all([panel.start(), thePackage()])
    await setUp()
    await furnish()
    await panel.lab.run(`tunnel-panel export --yaml > ${FILE}`, SLOW)
    assert.equal(await panel.lab.run(`tunnel-panel diff -f ${FILE}`, SLOW), 'Nothing was changed.\n')
    before = { file: await panel.lab.run(`cat ${FILE}`), host: await hostOf() }
    assert.match(before.host, /^gre-a-2.*mtu 1400/m)
    assert.match(before.host, /dnat/)
    assert.match(before.host, /^10\.50\.0\.0\/16/m)
  })

  it('is purged, and nothing is left on the host', async () => {
    await panel.apt('purge', 'tunnel-panel')
    await leavesNothing(panel)
    // IP forwarding stays on until the next boot, and what is on already is not the panel's to keep on at boot.
    await panel.lab.run('sysctl -qw net.ipv4.ip_forward=0')
  })

  it('is what the file says after it was installed again, to the letter', async () => {
    await setUp()
    assert.equal((await panel.lab.try(`tunnel-panel plan -f ${FILE}`, SLOW)).code, 2)
    const applied = await panel.lab.run(`tunnel-panel apply -f ${FILE}`, SLOW)
    assert.match(applied, /The panel is as the file says\.\n$/)
    assert.equal(await exported(), before.file)
    const { code, stdout } = await panel.lab.try(`tunnel-panel diff -f ${FILE} --prune all`, SLOW)
    assert.deepEqual([code, stdout], [0, 'Nothing was changed.\n'])
  })

  it('has the links, routes, relay rules and files on the host that it had', async () => {
    assert.equal(await hostOf(), before.host)
    assert.ok((await panel.statuses()).every((status) => status.endsWith(' InSync')))
  })
})
