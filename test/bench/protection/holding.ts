// What the table costs that holds connections while ours is gone: two relays with the same rules, of which one has it,
// measured in turns.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Programs } from '../programs.ts'
import type { Lane } from '../relay/layouts.ts'
import { Load, type Kind } from '../relay/load.ts'
import { applied, Panel } from '../relay/panel.ts'
import { portOf, rulesOf } from '../relay/rules.ts'
import type { Stage } from '../relay/stage.ts'
import { laneRows, measureKinds } from '../relay/twins.ts'
import type { Section } from '../table.ts'

const RULES = 100
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
  const through = async (lane: Lane): Promise<Lane> => {
    const relay = await stage.relay()
    const own = join(folder, lane.key)
    mkdirSync(own)
    const helper = await new Panel(relay, own, programs).startHelper()
    await applied(helper, [], rulesOf(relay, RULES))
    if (lane === WITH) {
      const { result } = await helper.request('ruleset.protect', { wanted: true })
      if (result.how !== 'held') throw new Error(`The table is ${result.how}: ${result.detail}`)
    }
    return { ...lane, place: { ...lane.place, address: relay.address } }
  }
  const lanes = [await through(WITHOUT), await through(WITH)] as const
  const measured = await measureKinds(await Load.open(folder, stage), lanes, ROUNDS)
  tell({
    title: `protection: what the held table costs, ${RULES} rules; ${ROUNDS.rounds} rounds or fewer, in turns`,
    rows: laneRows(lanes, measured, AIM),
  })
}
