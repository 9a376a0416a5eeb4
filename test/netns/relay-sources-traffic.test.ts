// What is masqueraded over a link that stands for a tunnel, by each backend: it has the link's address as its source,
// and outlives a restart of the link. Real tunnels are in test/vm/impact.test.ts.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT_TOO, RELAY, RELAY_FAR, RelayRig, ruleOfRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const CONNECTIONS = 20
/** More addresses of the link: one by which the kernel would not masquerade, and one by which it would. */
const [SECOND, SECOND6] = ['10.9.0.77', 'fd09::77']
const FAR = { interface_name: 'far0', address: RELAY_FAR }
const tcp = (port: number, address = RELAY): Place => ({ protocol: 'tcp', address, port })
const to = (address: string): RelayRule['destinations'] => [
  { address, port: 80, port_range_end: null, weight: 1, ...IN_ROTATION },
]

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'])
  describe(`What is masqueraded over a tunnel by ${backend}`, function () {
    const rig = new RelayRig()
    let host: KernelNamespace
    before(async () => {
      await rig.open()
      // The helper of the rig follows links too, and would take the sources out of the table again.
      rig.relay.child.kill('SIGSTOP')
      host = new KernelNamespace({ PANEL_RULE_BACKEND: backend }, rig.relay.netns)
      await Promise.all([
        rig.servers.calls.listen(tcp(80, ONE)),
        rig.servers.calls.listen(tcp(80, 'fd09::2')),
        rig.client.calls.listen(tcp(80, CLIENT_TOO)),
      ])
      await host.kernel.rulesets.submit([], [ruleOfRig(1), ruleOfRig(2, { destinations: to(CLIENT_TOO) }), SIX])
    })
    after(async () => {
      await host.close()
      await rig.close()
    })
    const SIX = ruleOfRig(3, { bind_address: 'fd01::1', destinations: to('fd09::2') })

    const sourceSeen = async (place: Place): Promise<string | undefined> =>
      (await rig.client.calls.talk(place))?.seen.split(' ')[0]
    const answering = async (): Promise<number> => {
      await rig.servers.calls.speak()
      return rig.client.calls.answering(CONNECTIONS)
    }

    it('goes on after the link has been down, and after it has been made again', async () => {
      await host.kernel.rulesets.followSources([FAR])
      assert.equal(await rig.client.calls.gather(CONNECTIONS, tcp(1001)), CONNECTIONS)
      rig.relay.batch('link set far0 down', 'link set far0 up')
      assert.equal(await answering(), CONNECTIONS)
      rig.relay.batch('link delete far0')
      await host.kernel.rulesets.followSources([])
      rig.relay.batch(
        `link add far0 mtu 1400 type veth peer name eth0 mtu 1400 netns ${rig.servers.child.pid}`,
        ...[`addr add ${RELAY_FAR}/24 dev far0`, 'addr add fd09::1/64 dev far0 nodad', 'link set far0 up'],
      )
      rig.servers.batch(
        ...SERVERS.map((address) => `addr add ${address}/24 dev eth0`),
        ...['addr add fd09::2/64 dev eth0 nodad', 'link set eth0 up'],
        ...[`route add default via ${RELAY_FAR}`, 'route add ::/0 via fd09::1'],
      )
      await host.kernel.rulesets.followSources([FAR])
      assert.equal(await answering(), CONNECTIONS)
      await rig.client.calls.disperse()
    })

    it('has the address that the tunnel has now as its source', async () => {
      rig.relay.batch(`addr add ${SECOND}/24 dev far0`, `addr add ${SECOND6}/64 dev far0 nodad`)
      for (const [four, six] of [
        [SECOND, SECOND6],
        [RELAY_FAR, 'fd09::1'],
      ] as const) {
        await host.kernel.rulesets.followSources([four, six].map((address) => ({ ...FAR, address })))
        assert.deepEqual([await sourceSeen(tcp(1001)), await sourceSeen(tcp(1003, 'fd01::1'))], [four, six])
      }
    })

    it('is masqueraded as the kernel does it where it leaves by another link, or by a tunnel without a source', async () => {
      await host.kernel.rulesets.followSources([{ ...FAR, address: SECOND }])
      assert.equal(await sourceSeen(tcp(1002)), RELAY)
      await host.kernel.rulesets.followSources([{ interface_name: 'gre-a-1', address: SECOND }])
      assert.equal(await sourceSeen(tcp(1001)), RELAY_FAR)
    })
  })
