// Two servers of the lab with the panel, and clients of A that the provider of B knows nothing of: it drops whatever B
// sends under any other address than its own.
import { becomes } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

const CLIENT = { 4: '203.0.113.5', 6: '2001:db8:c::5' } as const
export const FRONT = { 4: '203.0.113.1', 6: '2001:db8:c::1' } as const
export const NAT_NONE = 30
export const BOTH_PROTOCOLS = 30

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

export interface AnswersLab {
  readonly lab: Lab
  readonly a: Panel
  readonly b: Panel
}

export async function openAnswersLab(kind: 'user-mode' | 'emulated' = 'user-mode'): Promise<AnswersLab> {
  const lab = await startLab({ kind })
  const servers = await lab.twoServers()
  await putPanel(lab)
  const [a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
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
  return { lab, a, b }
}

/** Reads what a client of A is answered over TCP and UDP. */
export const ask = async ({ lab }: AnswersLab, family: 4 | 6): Promise<string> =>
  (await lab.run('ip', ['netns', 'exec', 'c', 'node', '-e', ASK, FRONT[family]])).trim()

/** Resolves soon: this machine is slow, and a program may still be starting. */
export async function isAnswered(opened: AnswersLab): Promise<void> {
  for (const family of [4, 6] as const)
    await becomes(
      () => ask(opened, family),
      (seen) => seen === `${CLIENT[family]} ${CLIENT[family]}`,
      (seen) => `the client is answered, and not ${seen}`,
    )
}
