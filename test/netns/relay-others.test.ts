// What relay rules never touch: what goes to an address of somebody else, and the ways in for whoever runs the host.
import assert from 'node:assert/strict'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from '../support/example-rule.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO, THREE] = SERVERS
const to = (address: string, port: number): RelayDestination => ({ address, port, port_range_end: null, weight: 1 })
const rule = (route_rule_id: number, fields: Partial<RelayRule>): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_address: RELAY, destinations: [to(ONE, 80)], ...fields })
const place = (protocol: Place['protocol'], address: string, port: number): Place => ({ protocol, address, port })

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`What goes to somebody else, with relay rules by ${backend}`, function () {
    this.timeout(120_000)
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    before(async () => {
      await rig.open()
      const places = [place('tcp', ONE, 80), place('tcp', TWO, 81), place('tcp', THREE, 80), place('udp', THREE, 81)]
      await Promise.all(places.map((one) => rig.servers.calls.listen(one)))
    })
    after(() => rig.close())

    const fromRelay = (address: string, port: number): string | undefined =>
      rig.relay.run('sh', ['-c', `timeout 1 socat -u TCP:${address}:${port} - 2>/dev/null || true`]).split('|')[0]
    const fromClient = async (...where: Parameters<typeof place>): Promise<string | undefined> =>
      (await rig.client.calls.talk(place(...where)))?.server
    const bound = (address: string): RelayRule[] => [
      rule(1, { bind_address: address, bind_port: 81, is_include_local_originated: true }),
      rule(2, {
        bind_address: address,
        bind_port: 1,
        bind_port_range_end: 65_535,
        protocol: 'both',
        is_include_local_originated: true,
        destinations: [to(ONE, 1)],
      }),
    ]

    it('is not caught by a rule that is bound to its address, whoever sent it', async () => {
      await rig.become(...bound(TWO))
      assert.deepEqual([fromRelay(TWO, 81), await fromClient('tcp', TWO, 81)], [`${TWO} 81`, `${TWO} 81`])
      await rig.become(...bound(THREE))
      assert.deepEqual([fromRelay(THREE, 80), await fromClient('udp', THREE, 81)], [`${THREE} 80`, `${THREE} 81`])
    })

    it('is not caught either when a helper starts over chains that an earlier version wrote', async () => {
      await rig.become(rule(1, {}), ...bound(THREE).slice(1))
      takeGuardAway()
      assert.deepEqual([fromRelay(THREE, 80), (await rig.held()).damaged.length], [`${ONE} 80`, 2])
      await rig.restartHelper({ PANEL_RULE_BACKEND: backend })
      assert.deepEqual(
        [fromRelay(THREE, 80), (await rig.held()).damaged, (await rig.held()).rules.length],
        [`${THREE} 80`, [], 2],
      )
    })

    /** Leaves what earlier versions wrote. */
    function takeGuardAway(): void {
      for (const way of ['in', 'out'])
        if (backend === 'nftables') {
          const [, handle] =
            /type != local return # handle ([0-9]+)/.exec(
              rig.relay.run('nft', ['-a', 'list', 'chain', 'inet', 'panel', `relay_${way}`]),
            ) ?? []
          rig.relay.nft(`delete rule inet panel relay_${way} handle ${handle}\n`)
        } else {
          const line = [
            '-D',
            `PANEL-${way.toUpperCase()}`,
            '-m',
            'addrtype',
            '!',
            '--dst-type',
            'LOCAL',
            '-j',
            'RETURN',
          ]
          rig.relay.run(backend.replace('_', '-'), ['-t', 'nat', ...line])
        }
    }
  })
