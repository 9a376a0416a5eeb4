// A tunnel that is answered through, over real GRE: clients of A reach a program of B under their own addresses, and the
// provider of B drops whatever B sends under any other address than its own.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'

const CLIENT = { 4: '203.0.113.5', 6: '2001:db8:c::5' } as const
const FRONT = { 4: '203.0.113.1', 6: '2001:db8:c::1' } as const
const NAT_NONE = 30
const BOTH_PROTOCOLS = 30

/** Answers everybody with the address that it sees. */
const SERVER = `const seen = (address) => address.replace('::ffff:', '')
require('node:net').createServer((one) => one.on('error', () => undefined).end(seen(one.remoteAddress))).listen(4443, '::')
const udp = require('node:dgram').createSocket('udp6')
udp.on('message', (_, from) => udp.send(seen(from.address), from.port, from.address)).bind(4443, '::', () => console.log('serving'))`

/** Prints what each protocol is answered by that very address, or "nobody". */
const ASK = `const [, address] = process.argv
const { connect } = require('node:net')
const within = (ask) => new Promise((done) => { const end = (text) => { clearTimeout(timer); done(text) }; const timer = setTimeout(end, 4000, 'nobody'); ask(end) })
const tcp = within((end) => connect(4443, address).on('error', () => undefined).on('data', (data) => end(String(data))))
const udp = within((end) => {
  const socket = require('node:dgram').createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (data, from) => from.address === address && end(String(data)))
  const send = () => socket.send('who', 4443, address)
  send(); setInterval(send, 500)
})
Promise.all([tcp, udp]).then((all) => { console.log(all.join(' ')); process.exit() })`

const KINDS = [
  { tunnel_type_id: 10, over: 4 },
  { tunnel_type_id: 20, over: 4 },
  { tunnel_type_id: 30, over: 6 },
  { tunnel_type_id: 40, over: 6 },
] as const
const LAST = 40

describe('A tunnel of real GRE that is answered through', function () {
  let lab: Lab
  let a: Panel
  let b: Panel
  let ofB: TunnelView

  before(async () => {
    lab = await startLab({ kind: 'user-mode' })
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;[a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
    await Promise.all([a.setUp(), b.setUp()])
    await lab.run('ip netns add c && ip -netns a link add cl0 type veth peer name eth0 netns c')
    await lab.run('ip', ['-netns', 'c', '-batch', '-'], {
      stdin: `link set lo up
addr add ${CLIENT[4]}/24 dev eth0
addr add ${CLIENT[6]}/64 dev eth0 nodad
link set eth0 up
`,
    })
    await servers.a.run('ip', ['-batch', '-'], {
      stdin: `addr add ${FRONT[4]}/24 dev cl0
addr add ${FRONT[6]}/64 dev cl0 nodad
link set cl0 up
`,
    })
    await servers.a.run('nft', ['-f', '-'], {
      stdin: `table inet provider {
  chain in {
    type filter hook prerouting priority -300
    iifname "eth0" ip saddr != ${servers.b.address} drop
    iifname "eth0" ip6 saddr != { ${servers.b.address6}, fe80::/10 } drop
  }
}
`,
    })
    for (const { run } of [servers.a, servers.b].map((one) => ({ run: one.run.bind(one) })))
      await run('sysctl', ['-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
    await servers.b.run(
      `ip route add default via ${servers.a.address}; ip -6 route add default via ${servers.a.address6}`,
    )
    await servers.b.spawn('node', ['-e', SERVER]).says(/serving/)
  })
  after(() => lab?.stop())

  /** What a client of A is answered over TCP and UDP. */
  const ask = async (family: 4 | 6): Promise<string> =>
    (await lab.run('ip', ['netns', 'exec', 'c', 'node', '-e', ASK, FRONT[family]])).trim()
  /** Soon: this machine is slow, and a program may still be starting. */
  const isAnswered = async (): Promise<void> => {
    for (const family of [4, 6] as const)
      await becomes(
        () => ask(family),
        (seen) => seen === `${CLIENT[family]} ${CLIENT[family]}`,
        (seen) => `the client is answered, and not ${seen}`,
      )
  }
  const patch = async (body: object): Promise<void> => {
    expect(await b.operator.patch(`/tunnels/${ofB.tunnel_id}`, body), 200)
  }

  for (const { tunnel_type_id, over } of KINDS)
    it(`answers clients of both families, each under its own address: kind ${tunnel_type_id}`, async () => {
      const key = over === 4 ? 'address' : 'address6'
      const { tunnel: ofA } = expect(
        await a.operator.post<CreateTunnelAnswer>('/tunnels', {
          tunnel_type_id,
          local_endpoint: a.server[key],
          remote_endpoint: b.server[key],
          addresses: [
            { address: `10.9.${tunnel_type_id}.1`, prefix_length: 30 },
            { address: `fd00:9:${tunnel_type_id}::1`, prefix_length: 126 },
          ],
        }),
        201,
      )
      const { pairing_code } = expect(
        await a.operator.get<PairingCodeAnswer>(`/tunnels/${ofA.tunnel_id}/pairing-code`),
        200,
      )
      const { tunnel } = expect(
        await b.operator.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code }),
        200,
      )
      ofB = expect(await b.operator.post<CreateTunnelAnswer>('/tunnels', tunnel), 201).tunnel
      assert.equal(ofB.is_answered_through, true)
      const rules = await Promise.all(
        ([4, 6] as const).map(async (family) =>
          expect(
            await a.operator.post<ChangeRouteAnswer>('/routes', {
              route_rule_title: `To B ${family}`,
              bind_address: FRONT[family],
              bind_port: 4443,
              route_protocol_id: BOTH_PROTOCOLS,
              nat_mode_id: NAT_NONE,
              destination_address: ofB.addresses[family === 4 ? 0 : 1]?.address,
              destination_port: 4443,
            }),
            201,
          ),
        ),
      )
      await isAnswered()
      await patch({ is_answered_through: false })
      for (const family of [4, 6] as const) assert.equal(await ask(family), 'nobody nobody')
      await patch({ is_answered_through: true })
      await isAnswered()
      if (tunnel_type_id === LAST) return
      for (const { route } of rules) expect(await a.operator.delete(`/routes/${route.route_rule_id}`), 200)
      expect(await b.operator.delete(`/tunnels/${ofB.tunnel_id}`), 200)
      expect(await a.operator.delete(`/tunnels/${ofA.tunnel_id}`), 200)
    })

  it('puts back by itself what others take away: rules, routes, and with a flush of nftables the table', async () => {
    const { interface_name, tunnel_id } = ofB
    expect(await b.operator.patch(`/tunnels/${tunnel_id}`, { is_self_heal: true }), 200)
    await b.server.run('ip rule flush; ip rule add lookup main priority 32766; ip -6 rule del priority 19995')
    await b.server.run('nft delete table inet panel_answers')
    await becomes(
      () => b.request('tunnel.probe', { interface_names: [interface_name] }),
      ({ tunnels }) => tunnels[0]?.state?.answers?.is_whole === true,
      'the tunnel is answered through again',
    )
    await isAnswered()
  })
})
