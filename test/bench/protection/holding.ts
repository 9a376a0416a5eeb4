// What the table costs that holds connections while ours is gone: two relays with the same rules, of which one has it,
// measured in turns.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../figures.ts'
import type { Programs } from '../programs.ts'
import type { Lane } from '../relay/layouts.ts'
import { Load, type Kind, type Seen } from '../relay/load.ts'
import { applied, Panel } from '../relay/panel.ts'
import { portOf, rulesOf } from '../relay/rules.ts'
import type { Stage } from '../relay/stage.ts'
import { measureAll, perSecond, type Measured } from '../relay/traffic.ts'
import type { Row, Section } from '../table.ts'

const RULES = 100
const WINDOW_MS = 250
const ROUNDS = { warm_up: 2, rounds: 40, budget_ms: 60_000 }
/** The aim, as a share of what the same relay carries without it: less than the rounds differ by. */
const AIM = 0.98
const KINDS: readonly Kind[] = ['connections', 'datagrams', 'stream']
const laneOf = (key: string, what: string): Lane => ({
  ...{ key, what, kinds: KINDS },
  place: { address: '', port: portOf(RULES) },
})
const WITHOUT = laneOf('without', 'without it')
const WITH = laneOf('with', 'with it')

export async function measureHolding(
  stage: Stage,
  folder: string,
  programs: Programs,
  tell: (section: Section) => void,
): Promise<void> {
  const lanes: Lane[] = []
  for (const lane of [WITHOUT, WITH]) {
    const relay = await stage.relay()
    const own = join(folder, lane.key)
    mkdirSync(own)
    const helper = await new Panel(relay, own, programs).startHelper()
    await applied(helper, [], rulesOf(relay, RULES))
    if (lane === WITH) {
      const { result } = await helper.request('ruleset.protect', { wanted: true })
      if (result.how !== 'held') throw new Error(`The table is ${result.how}: ${result.detail}`)
    }
    lanes.push({ ...lane, place: { ...lane.place, address: relay.address } })
  }
  const load = await Load.open(folder, stage)
  const measured = (kind: Kind): Promise<Measured> => measureAll(load, lanes, kind, WINDOW_MS, ROUNDS)
  const [connections, datagrams, stream] = [
    await measured('connections'),
    await measured('datagrams'),
    await measured('stream'),
  ]
  tell({
    title: `protection: what the held table costs, ${RULES} rules; ${ROUNDS.rounds} rounds or fewer, in turns`,
    rows: [
      ...rowsOf('new connections a second', connections, perSecond, 'least'),
      ...rowsOf('processor time of a new connection, us', connections, perConnection, 'most'),
      ...rowsOf('datagrams a second of one flow', datagrams, perSecond, 'least'),
      ...rowsOf('Mbit/s of one TCP connection', stream, megabits, 'least'),
    ],
  })
}

const perConnection = ({ used_ms, done }: Seen): number => (used_ms * 1000) / done
const megabits = ({ done, ms }: Seen): number => (done * 8) / ms / 1000

function rowsOf(what: string, measured: Measured, figure: (seen: Seen) => number, is: 'least' | 'most'): Row[] {
  const middle = ({ key }: Lane): string => Math.round(median(measured.of(key, figure))).toLocaleString('en')
  const ratio = measured.ratio(WITH.key, WITHOUT.key, figure)
  return [
    { what: `${what}, ${WITHOUT.what}`, median: middle(WITHOUT), ratio: 'reference' },
    {
      what: `${what}, ${WITH.what}`,
      median: middle(WITH),
      ratio: `× ${ratio.toFixed(3)}`,
      aim: is === 'least' ? `≥ ${AIM}` : `≤ ${(1 / AIM).toFixed(2)}`,
      isMet: is === 'least' ? ratio >= AIM : ratio <= 1 / AIM,
    },
  ]
}
