// What relay rules never touch: connections to another program's address, and the operator's ways into the host.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import { exampleTunnel } from '../support/example.ts'
import { exampleRule } from '../support/example-rule.ts'
import type { Place } from './relay-peer.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { CLIENT, RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const NOBODY = 65_534
const [ONE, TWO, THREE] = SERVERS
const to = (address: string, port: number): RelayDestination => ({
  address,
  port,
  port_range_end: null,
  weight: 1,
  ...IN_ROTATION,
})
const rule = (route_rule_id: number, fields: Partial<RelayRule>): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_address: RELAY, destinations: [to(ONE, 80)], ...fields })
const place = (protocol: Place['protocol'], address: string, port: number): Place => ({ protocol, address, port })

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`Connections to another address, with relay rules by ${backend}`, function () {
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

    it('is not caught by a rule that is bound to its address, whatever the sender', async () => {
      await rig.become(...bound(TWO))
      assert.deepEqual([fromRelay(TWO, 81), await fromClient('tcp', TWO, 81)], [`${TWO} 81`, `${TWO} 81`])
      await rig.become(...bound(THREE))
      assert.deepEqual([fromRelay(THREE, 80), await fromClient('udp', THREE, 81)], [`${THREE} 80`, `${THREE} 81`])
    })

    it('is relayed as soon as the address is this host’s, and no longer than that, with no change of rules', async () => {
      const later = '10.1.0.77'
      rig.client.batch(`route add ${later}/32 via ${RELAY}`)
      await rig.become(rule(1, { bind_address: later, bind_port: 81 }))
      const reached: (string | undefined)[] = [await fromClient('tcp', later, 81)]
      for (const way of ['add', 'del']) {
        rig.relay.batch(`addr ${way} ${later}/32 dev near0`)
        reached.push(await fromClient('tcp', later, 81))
      }
      assert.deepEqual(reached, [undefined, `${ONE} 80`, undefined])
    })

    it('and what others mark is relayed and counted all the same', async () => {
      await rig.become(rule(1, { bind_port: 81, is_include_local_originated: true }))
      rig.relay.nft(`table inet marks {
 chain early { type filter hook prerouting priority mangle; ct state new ct mark set 0x1; }
 chain sent { type filter hook output priority mangle; ct state new ct mark set 0x1; }
}
`)
      assert.deepEqual([await fromClient('tcp', RELAY, 81), fromRelay(RELAY, 81)], [`${ONE} 80`, `${ONE} 80`])
      rig.relay.run('nft', ['delete', 'table', 'inet', 'marks'])
      const { tx_packets, rx_packets } = await rig.counted(1)
      assert.ok(tx_packets >= 8 && rx_packets >= 6, `${tx_packets} there, ${rx_packets} back`)
    })
  })

describe('A port that lets the operator in', function () {
  const rig = new RelayRig({ PANEL_HELPER_GROUP: `${NOBODY}`, PANEL_LISTEN_PORT: '9443' })
  const started: ChildProcess[] = []
  const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  const start = (...command: string[]): void =>
    void started.push(spawn('nsenter', [`--net=/proc/${rig.relay.child.pid}/ns/net`, ...command], { stdio: 'ignore' }))

  before(async () => {
    chmodSync(rig.folder, 0o755)
    await rig.open()
    copyFileSync('/usr/bin/socat', join(rig.folder, 'sshd'))
    chmodSync(join(rig.folder, 'sshd'), 0o755)
    start(join(rig.folder, 'sshd'), 'TCP-LISTEN:2222,fork', 'SYSTEM:echo SSH; exec cat')
    start(...asNobody, 'socat', 'TCP6-LISTEN:8480,fork', 'PIPE')
    start('socat', 'TCP-LISTEN:8080,fork', 'PIPE')
    const probe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'host.probe', params: { parts: [] } })
    rig.relay.run('sh', ['-c', `echo '${probe}' | ${asNobody.join(' ')} socat -t 5 - UNIX-CONNECT:${rig.socket}`])
    await listening(3)
  })
  const listening = async (many: number): Promise<void> => {
    await eventually(async () => {
      const { listeners } = await askOnce(rig.socket, 'host.probe', { parts: ['listeners'] })
      return listeners?.length === many
    }, `${many} programs listen`)
  }
  after(async () => {
    for (const child of started) child.kill('SIGKILL')
    await rig.close()
  })

  const taking = (fields: Partial<RelayRule>): Promise<string> =>
    rig.apply([], [rule(1, { bind_address: '0.0.0.0', ...fields })]).then(
      ({ outcome }) => outcome,
      (error: Error) => error.message,
    )

  for (const [who, bind_port, output] of [
    ['sshd', 2222, /Port 2222 is protected by sshd/],
    ['the panel, whose user speaks to the helper,', 8480, /Port 8480 is protected by panel/],
    ['the panel by its configuration, though nobody listens there now,', 9443, /Port 9443 is protected by panel/],
  ] as const)
    it(`is refused by root itself where it is that of ${who} alone, within a range, and on one address`, async () => {
      const range = { bind_port: bind_port - 1, bind_port_range_end: bind_port + 1 }
      assert.match(await taking({ bind_port }), output)
      assert.match(await taking({ bind_port, bind_address: RELAY, protocol: 'both' }), output)
      assert.match(await taking({ ...range, destinations: [to(ONE, bind_port - 1)] }), output)
      assert.deepEqual((await rig.held()).rules, [])
    })

  it('may be taken for UDP, and so may the port of anybody else', async () => {
    assert.equal(await taking({ bind_port: 2222, protocol: 'udp' }), 'applied')
    await rig.become()
    assert.equal(await taking({ bind_port: 8080 }), 'applied')
    await rig.become()
  })

  it('keeps the way to clients that are connected there: no tunnel draws it to itself, not even at the next boot', async () => {
    const drawing = {
      ...exampleTunnel({ addresses: [{ address: CLIENT, peer_address: '', prefix_length: 32 }] }),
      link: null,
    }
    const draw = (): Promise<string> =>
      askOnce(rig.socket, 'tunnel.apply', { before: null, after: drawing }).then(
        ({ outcome }) => outcome,
        (error: Error) => error.message,
      )
    await rig.client.calls.hold('operator', place('tcp', RELAY, 2222))
    assert.match(await draw(), /contains 10\.1\.0\.2, from where somebody is connected to sshd or to the panel/)
    await rig.client.calls.release()
    await eventually(async () => (await draw()) === 'applied')
    assert.match(await draw(), /does not hold the state/)
  })

  it('stays with a rule that had it before another program came to listen there', async () => {
    const early = rule(1, { bind_port: 2022 })
    await rig.become(early)
    start(join(rig.folder, 'sshd'), 'TCP-LISTEN:2022,fork', 'PIPE')
    await listening(4)
    assert.equal((await rig.apply([early], [{ ...early, is_logging_enabled: true }])).outcome, 'applied')
  })
})
