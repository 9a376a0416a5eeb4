// What it costs to be answered through a tunnel, and how many clients at once see one port of it under their own addresses.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { answerMark, ANSWER_MASK, renderAnswers } from '@panel/shared/ruleset/nft/answers.ts'
import { hex } from '@panel/shared/ruleset/mark.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import type { Namespace } from '../host/namespace.ts'
import type { Lane } from '../relay/layouts.ts'
import { Load } from '../relay/load.ts'
import { onStage } from '../relay/part.ts'
import { portOf, rulesOf, SERVER_PORT } from '../relay/rules.ts'
import type { Relay, Stage } from '../relay/stage.ts'
import { laneRows, measureKinds } from '../relay/twins.ts'
import type { Row, Section } from '../table.ts'

const RULES = 100
const ROUNDS = { warm_up: 2, rounds: 40, budget_ms: 60_000 }
/** The aim, as a share of what the same relay carries without it. */
const AIM = 0.99
const FLOWS = 200_000
const NUMBER = 1
const TABLE = answerMark(NUMBER)

export const answersPart = (tell: (section: Section) => void): Promise<void> =>
  onStage(tell, async (stage, folder) => {
    tell(await costSection(stage, folder))
    tell(await flowsSection(stage, folder))
  })

/** What root puts into a kernel for a tunnel of this name and address that is answered through. */
async function answerThrough(host: Namespace, name: string, address: string, via: string): Promise<void> {
  const one = { interface_names: [name], number: NUMBER, address, own: null }
  await host.run(['nft', '-f', '-'], renderAnswers({ addresses: [one], rules: [] }))
  await host.run(['ip', 'route', 'add', 'default', ...via.split(' '), 'dev', name, 'table', String(TABLE)])
  const selector = ['fwmark', `${hex(TABLE)}/${hex(ANSWER_MASK)}`, 'priority', '19995']
  await host.run(['ip', 'rule', 'add', ...selector, 'lookup', String(TABLE)])
}

async function costSection(stage: Stage, folder: string): Promise<Section> {
  const [without, withIt] = [await stage.relay(), await stage.relay()]
  for (const relay of [without, withIt]) await relay.nft(rulesetText(null, rulesOf(relay, RULES)))
  await answerThrough(withIt.network, 'near', withIt.address, 'scope link')
  const lanes: readonly [Lane, Lane] = [
    laneOf('without', 'by the default route', without),
    laneOf('with', 'through the tunnel', withIt),
  ]
  const measured = await measureKinds(await Load.open(folder, stage), lanes, ROUNDS)
  return {
    title: `answers: what it costs to lead them, ${RULES} rules; ${ROUNDS.rounds} rounds or fewer, in turns`,
    rows: laneRows(lanes, measured, AIM),
  }
}

const laneOf = (key: string, what: string, { address }: Relay): Lane => ({
  ...{ key, what, kinds: ['connections', 'datagrams', 'stream'] },
  place: { address, port: portOf(RULES) },
})

/** A relays to B as they are the packets of clients of several addresses; B has no other way back than the tunnel. */
async function flowsSection(stage: Stage, folder: string): Promise<Section> {
  const own = join(folder, 'flows')
  mkdirSync(own)
  const program = join(own, 'flows')
  await promisify(execFile)('cc', ['-O2', '-o', program, fileURLToPath(new URL('flows.c', import.meta.url))])
  const relay = await stage.relay()
  const [rule] = rulesOf(relay, 1)
  if (!rule) throw new Error('There is no rule')
  const [link, first] = [`relay${relay.number}`, `10.1.${relay.number}.10`]
  const { client, server } = stage
  for (let at = 0; at < 5; at += 1)
    await client.run(['ip', 'address', 'add', `10.1.${relay.number}.${10 + at}/24`, 'dev', link])
  await client.run(['nft', '-f', '-'], QUIET)
  // The way that the stage gives every server; and one that packets without a mark would take.
  await server.run(['ip', 'route', 'del', `10.1.${relay.number}.0/24`])
  await server.run([
    'sh',
    '-c',
    'ip link add elsewhere type veth peer name nowhere && ip link set nowhere up && ip link set elsewhere up',
  ])
  await server.run(['ip', 'route', 'add', 'default', 'dev', 'elsewhere'])
  await answerThrough(server, link, relay.server, `via 10.9.${relay.number}.1`)
  await server.start([program, 'serve', relay.server, String(SERVER_PORT + 1)], {}, /serving/)
  await relay.nft(rulesetText(null, [{ ...rule, nat_mode: 'none', destinations: toFlows(rule.destinations) }]))
  const began = performance.now()
  const { answered } = JSON.parse(
    await client.run([program, first, relay.address, String(rule.bind_port), String(FLOWS)]),
  ) as { answered: number }
  const took = performance.now() - began
  const tracked = Number(await relay.network.run(['cat', '/proc/sys/net/netfilter/nf_conntrack_count']))
  return { title: 'answers: one port, clients with their own addresses', rows: flowRows({ answered, tracked, took }) }
}

const toFlows = <T extends { readonly port: number }>(destinations: readonly T[]): T[] =>
  destinations.map((one) => ({ ...one, port: SERVER_PORT + 1 }))

/** A client has no socket for any of its flows, and would say so. */
const QUIET = `table ip quiet { chain out { type filter hook output priority 0; icmp type destination-unreachable drop; }; }
`

const flowRows = ({ answered, tracked, took }: { answered: number; tracked: number; took: number }): Row[] => [
  {
    what: `flows answered to the client's own address, of ${FLOWS.toLocaleString('en')}`,
    median: answered.toLocaleString('en'),
    aim: FLOWS.toLocaleString('en'),
    isMet: answered === FLOWS,
  },
  {
    what: 'flows that the relay tracks at once afterwards',
    median: tracked.toLocaleString('en'),
    aim: `≥ ${FLOWS.toLocaleString('en')}`,
    isMet: tracked >= FLOWS,
  },
  { what: 'until the last was answered', median: `${(took / 1000).toFixed(1)} s` },
]
