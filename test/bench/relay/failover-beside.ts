// A destination that fails: how long until the first connection reaches the backup, beside haproxy with the same
// interval of checks.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '../driver/jobs.ts'
import type { Programs } from '../programs.ts'
import { timed, type Aim, type Section } from '../table.ts'
import type { Panel } from './panel.ts'
import { portOf, SERVER_PORT } from './rules.ts'
import { seedRules } from './seed.ts'
import type { Relay, Stage } from './stage.ts'

const URL = 'http://127.0.0.1:8480'
/** haproxy takes the time-out of a connection for its checks where it has one for checks too. */
const CHECK = { kind: 'tcp', interval_ms: 1000, timeout_ms: 300, fall: 3, rise: 2 } as const
const AIM_MS = CHECK.fall * CHECK.interval_ms + 300
const ROUNDS = 7

/** What becomes of packets to a destination that fails. */
const FAILURES = {
  'falls silent': 'drop',
  'refuses its connections': 'meta l4proto tcp reject with tcp reset',
} as const
type Failure = keyof typeof FAILURES

const backupOf = ({ server }: Relay): string => server.replace(/2$/, '3')

const haproxy = (relay: Relay): string => `global
  maxconn 4000
defaults
  mode tcp
  timeout connect ${CHECK.timeout_ms}ms
  timeout check ${CHECK.timeout_ms}ms
  timeout client 30s
  timeout server 30s
  default-server check inter ${CHECK.interval_ms}ms fall ${CHECK.fall} rise ${CHECK.rise}
listen relay
  bind ${relay.address}:${portOf(1)} backlog 4096
  server one ${relay.server}:${SERVER_PORT}
  server two ${backupOf(relay)}:${SERVER_PORT} backup
`

/** Says which of its addresses was reached. */
const SERVER = `require('node:net').createServer((socket) => socket.on('error', () => undefined).end(socket.localAddress))
  .listen(${SERVER_PORT}, '0.0.0.0', () => console.log('listening'))`

/** For each door the time at which the address that it waits for has answered; a new connection every 10 ms. */
const CLIENT = `const { connect } = require('node:net')
const doors = JSON.parse(process.argv[1])
const until = ({ address, port, wanted }) => new Promise((resolve) => {
  const timer = setInterval(() => {
    const socket = connect({ host: address, port, timeout: 5000 })
    socket.on('error', () => undefined).on('timeout', () => socket.destroy())
    socket.on('data', (data) => {
      if (data.toString() !== wanted) return
      clearInterval(timer)
      resolve(Date.now())
    })
  }, 10)
})
Promise.all(doors.map(until)).then((times) => process.stdout.write(JSON.stringify(times), () => process.exit(0)))`

interface Door {
  readonly relay: Relay
  readonly port: number
}

async function answered(stage: Stage, doors: readonly Door[], wanted: (relay: Relay) => string): Promise<number[]> {
  const job = doors.map(({ relay, port }) => ({ address: relay.address, port, wanted: wanted(relay) }))
  return JSON.parse(await stage.client.run([process.execPath, '-e', CLIENT, JSON.stringify(job)])) as number[]
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Both relays lose their first destination at once; in milliseconds, for each. */
async function failed(stage: Stage, doors: readonly Door[], how: Failure): Promise<number[]> {
  await answered(stage, doors, ({ server }) => server)
  const served = answered(stage, doors, backupOf)
  // Checks are made at any moment of their interval.
  await pause(500 + Math.random() * CHECK.interval_ms)
  const rules = doors.map(({ relay }) => `add rule inet bench input ip daddr ${relay.server} ${FAILURES[how]}`)
  const began = Date.now()
  await stage.server.run(
    ['nft', '-f', '-'],
    `add table inet bench\nadd chain inet bench input { type filter hook input priority 0; }\n${rules.join('\n')}\n`,
  )
  const took = (await served).map((at) => at - began)
  await stage.server.run(['nft', 'delete', 'table', 'inet', 'bench'])
  if (took.some((ms) => ms < 0))
    throw new Error(`A backup answered before anything had failed: ${took.join(' and ')} ms`)
  return took
}

/** A rule of its own for each round: a destination that fails again and again is held out for longer. */
async function checkedRule({ relay }: Panel, { drivers }: Programs, port: number): Promise<void> {
  const job: Job<'checked'> = {
    url: URL,
    route: {
      ...{ bind_address: relay.address, bind_port: port },
      destinations: [
        { address: relay.server, port: SERVER_PORT },
        { address: backupOf(relay), port: SERVER_PORT, is_backup: true },
      ],
    },
    check: CHECK,
  }
  await relay.network.run([process.execPath, join(drivers, 'checked.cjs'), JSON.stringify(job)])
}

export async function besideSections(
  stage: Stage,
  panel: Panel,
  programs: Programs,
  folder: string,
): Promise<Section[]> {
  const other = await stage.relay()
  for (const relay of [other, panel.relay])
    await stage.server.run(['ip', 'address', 'add', `${backupOf(relay)}/24`, 'dev', `relay${relay.number}`])
  await stage.server.start([process.execPath, '-e', SERVER], {}, /listening/)
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, haproxy(other))
  await other.start(['haproxy', '-db', '-f', config])
  await seedRules(panel.store, [])
  await panel.startHelper()
  await panel.startWeb()
  const sections: Section[] = []
  let port = portOf(1)
  for (const how of Object.keys(FAILURES) as Failure[]) {
    const took: number[][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await checkedRule(panel, programs, (port += 1))
      const doors = [
        { relay: other, port: portOf(1) },
        { relay: panel.relay, port },
      ]
      took.push(await failed(stage, doors, how))
    }
    const aim: Aim = { says: `< ${AIM_MS / 1000} s`, below_ms: AIM_MS }
    const [theirs, ours] = [took.map(([ms = 0]) => ms), took.map(([, ms = 0]) => ms)]
    sections.push({
      title: `failover: from a destination that ${how} to the first connection on its backup; checks every ${CHECK.interval_ms} ms, fall ${CHECK.fall}, ${ROUNDS} rounds`,
      rows: [timed('haproxy', theirs), timed('this panel', ours, theirs, aim)],
    })
  }
  return sections
}
