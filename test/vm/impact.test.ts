// What an impact foretells of open connections over a tunnel, held against what becomes of twenty real ones whose
// destination speaks: the rows about links of decisions.md, I2.
import assert from 'node:assert/strict'
import type { ImpactAnswer, Impact } from '@panel/shared/api/impact/impact.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { startLab, type Lab, type Running } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, ON_DISK, Panel, wholeMachine, type Place } from './panel/panel.ts'

const [RELAY, NEAR_END, FAR_END] = ['198.51.100.1', '192.0.2.1', '192.0.2.2']
const CONNECTIONS = 20
const [MASQUERADED, SNAT] = [4443, 4444]

const CABLES = [
  ...['netns add client', 'netns add far'],
  'link add to-client type veth peer name eth0 netns client',
  'link add to-far type veth peer name eth0 netns far',
  ...[`address add ${RELAY}/24 dev to-client`, `address add ${NEAR_END}/24 dev to-far`],
  ...['link set to-client up', 'link set to-far up'],
]
const CLIENT = ['link set lo up', 'address add 198.51.100.2/24 dev eth0', 'link set eth0 up']
const FAR = [
  ...['link set lo up', `address add ${FAR_END}/24 dev eth0`, 'link set eth0 up'],
  `link add relayed type gre local ${FAR_END} remote ${NEAR_END} key 7`,
  ...['address add 172.17.1.2/24 dev relayed', 'link set relayed up'],
]

/** Speaks to whoever is connected, five times a second, and never listens. */
const SPEAKER = `require('node:net').createServer((socket) => {
  const timer = setInterval(() => socket.write('x'), 200)
  socket.on('error', () => undefined).on('close', () => clearInterval(timer)).resume()
}).listen(9000, '172.17.1.2', () => console.log('listening'))`

/** Of each port so many; for each line that comes it tells after a while how many have heard anything since. */
const LISTENER = `
const ports = [${MASQUERADED}, ${SNAT}]
let heard = new Set(), all = [], opened = 0
const open = (port, at) => {
  const socket = require('node:net').connect(port, '${RELAY}')
  let isNew = true
  socket.on('error', () => undefined).on('data', () => {
    heard.add(port + ' ' + at)
    if (isNew) { isNew = false; if (++opened === ${2 * CONNECTIONS}) console.log('open') }
  })
  all.push(socket)
}
const count = (port) => [...heard].filter((one) => one.startsWith(String(port))).length
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'anew') {
    for (const socket of all) socket.destroy()
    all = []; opened = 0
    for (const port of ports) for (let at = 0; at < ${CONNECTIONS}; at += 1) open(port, at)
  } else {
    heard = new Set()
    setTimeout(() => console.log('heard ' + line + ' ' + ports.map(count).join(' ')), 8000)
  }
})
console.log('ready')`

type Asked = readonly [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object]
type Fates = readonly [masqueraded: string, snat: string]

const ROWS: readonly (readonly [what: string, asked: Asked, fates: Fates])[] = [
  ['a smaller MTU', ['PATCH', '', { mtu: 1300 }], ['survive', 'survive']],
  ['one more address', ['POST', '/addresses', { address: '172.18.1.1', prefix_length: 24 }], ['survive', 'survive']],
  ['a restart', ['POST', '/restart', {}], ['at_risk', 'survive']],
  ['a recreate', ['PATCH', '', { ttl: 99, confirm_recreate: true }], ['at_risk', 'survive']],
  ['taken down', ['POST', '/down', {}], ['end', 'end']],
]

describe('The impact that is foretold of a tunnel, and real connections over it', function () {
  this.timeout(600_000)
  let lab: Lab
  let panel: Panel<Place>
  let listener: Running
  let path: string

  const batch = (where: readonly string[], commands: readonly string[]): Promise<string> =>
    lab.run('ip', [...where, '-batch', '-'], { stdin: `${commands.join('\n')}\n` })

  async function furnish(): Promise<void> {
    const ends = { local_endpoint: NEAR_END, remote_endpoint: FAR_END, ikey: 7, okey: 7 }
    const inside = { addresses: [{ address: '172.17.1.1', prefix_length: 24 }], persistence_type_id: 30 }
    const made = await panel.operator.post<CreateTunnelAnswer>('/tunnels', { ...ends, ...inside })
    path = `/tunnels/${expect(made, 201).tunnel.tunnel_id}`
    const destination = { destination_address: '172.17.1.2', destination_port: 9000, bind_address: RELAY }
    for (const body of [{ bind_port: MASQUERADED }, { bind_port: SNAT, nat_mode_id: 20, snat_address: '172.17.1.1' }])
      expect(await panel.operator.post('/routes', { ...destination, ...body }), 201)
  }

  before(async () => {
    lab = await startLab()
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    await putPanel(lab)
    await panel.startHelper()
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await panel.setUp()
    await batch([], CABLES)
    await Promise.all([batch(['-netns', 'client'], CLIENT), batch(['-netns', 'far'], FAR)])
    await furnish()
    const speaker = lab.spawn('ip', ['netns', 'exec', 'far', 'node', '-e', SPEAKER])
    await speaker.says(/listening/, 60_000)
    listener = lab.spawn('ip', ['netns', 'exec', 'client', 'node', '-e', LISTENER])
    await listener.says(/ready/, 60_000)
  })
  after(() => lab?.stop())

  const foretold = async ([method, below, body]: Asked): Promise<Impact> =>
    expect(
      await panel.operator.post<ImpactAnswer>('/impact', { method, path: `${path}${below}`, body, with_sources: true }),
      200,
    ).impact
  const opened = async (turn: number): Promise<void> => {
    await listener.write('anew\n')
    await listener.says(new RegExp(`(open\\n[^]*){${turn}}`), 60_000)
  }
  const alive = async (turn: number): Promise<number[]> => {
    await listener.write(`${turn}\n`)
    await listener.says(new RegExp(`heard ${turn} `), 60_000)
    const [, ...counts] = new RegExp(`heard ${turn} (\\d+) (\\d+)`).exec(listener.text('stdout')) ?? []
    return counts.map(Number)
  }

  for (const [at, [what, asked, fates]] of ROWS.entries())
    it(`agree for ${what}`, async () => {
      await opened(at + 1)
      const { rules, connections } = await foretold(asked)
      assert.deepEqual(
        rules.map(({ fate }) => fate),
        fates,
        JSON.stringify(connections),
      )
      const [method, below, body] = asked
      const done = await panel.operator.api(method, `${path}${below}`, body)
      assert.equal(done.status, 200, done.text)
      const left = await alive(at + 1)
      for (const [index, fate] of fates.entries()) {
        if (fate === 'survive') assert.equal(left[index], CONNECTIONS, `${what}: ${left.join(' ')}`)
        if (fate === 'end') assert.equal(left[index], 0, `${what}: ${left.join(' ')}`)
      }
      console.log(`      ${left.join(' and ')} of ${CONNECTIONS} are left, behind a masquerade and behind SNAT`)
    })
})
