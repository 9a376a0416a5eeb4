// A destination that fails: how long until the first connection reaches the backup.
import { join } from 'node:path'
import type { Job } from '../driver/jobs.ts'
import type { Programs } from '../programs.ts'
import { timed, type Aim, type Section } from '../table.ts'
import type { Panel } from './panel.ts'
import { portOf, SERVER_PORT } from './rules.ts'
import { seedRules } from './seed.ts'
import type { Relay, Stage } from './stage.ts'

const URL = 'http://127.0.0.1:8480'
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

/** Says which of its addresses was reached. */
const SERVER = `require('node:net').createServer((socket) => socket.on('error', () => undefined).end(socket.localAddress))
  .listen(${SERVER_PORT}, '0.0.0.0', () => console.log('listening'))`

/** Prints the time at which the address that it waits for has answered; a new connection every 10 ms. */
const CLIENT = `const { connect } = require('node:net')
const { address, port, wanted } = JSON.parse(process.argv[1])
setInterval(() => {
  const socket = connect({ host: address, port, timeout: 5000 })
  socket.on('error', () => undefined).on('timeout', () => socket.destroy())
  socket.on('data', (data) => {
    if (data.toString() === wanted) process.stdout.write(String(Date.now()), () => process.exit(0))
  })
}, 10)`

async function answered(stage: Stage, { address }: Relay, port: number, wanted: string): Promise<number> {
  const job = JSON.stringify({ address, port, wanted })
  return Number(await stage.client.run([process.execPath, '-e', CLIENT, job]))
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How long the backup takes to answer, in milliseconds. */
async function failed(stage: Stage, relay: Relay, port: number, how: Failure): Promise<number> {
  await answered(stage, relay, port, relay.server)
  const served = answered(stage, relay, port, backupOf(relay))
  // Checks are made at any moment of their interval.
  await pause(500 + Math.random() * CHECK.interval_ms)
  const began = Date.now()
  await stage.server.run(
    ['nft', '-f', '-'],
    `add table inet bench
add chain inet bench input { type filter hook input priority 0; }
add rule inet bench input ip daddr ${relay.server} ${FAILURES[how]}
`,
  )
  const took = (await served) - began
  await stage.server.run(['nft', 'delete', 'table', 'inet', 'bench'])
  if (took < 0) throw new Error(`The backup answered ${-took} ms before anything had failed`)
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

export async function backupSections(stage: Stage, panel: Panel, programs: Programs): Promise<Section[]> {
  const { relay } = panel
  await stage.server.run(['ip', 'address', 'add', `${backupOf(relay)}/24`, 'dev', `relay${relay.number}`])
  await stage.server.start([process.execPath, '-e', SERVER], {}, /listening/)
  await seedRules(panel.store, [])
  await panel.startHelper()
  await panel.startWeb()
  const aim: Aim = { says: `< ${AIM_MS / 1000} s`, below_ms: AIM_MS }
  const sections: Section[] = []
  let port = portOf(1)
  for (const how of Object.keys(FAILURES) as Failure[]) {
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await checkedRule(panel, programs, (port += 1))
      took.push(await failed(stage, relay, port, how))
    }
    sections.push({
      title: `failover: from a destination that ${how} to the first connection on its backup; checks every ${CHECK.interval_ms} ms, fall ${CHECK.fall}, ${ROUNDS} rounds`,
      rows: [timed('this panel', took, undefined, aim)],
    })
  }
  return sections
}
