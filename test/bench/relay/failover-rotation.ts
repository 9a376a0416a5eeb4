// A destination that goes out of rotation and comes back, of one rule among many and of many rules at once.
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import {
  IN_ROTATION,
  RULES_PER_CHANGE_MAX,
  type RelayDestination,
  type RelayRule,
} from '@panel/shared/ruleset/model.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { ms, timed, type Section } from '../table.ts'
import { applied, type Panel } from './panel.ts'
import { rulesOf, SERVER_PORT } from './rules.ts'
import type { Relay } from './stage.ts'

const ROUNDS = 20
const AIM_MS = 150
/** The number of rules that may rotate in one change. */
const AT_ONCE = RULES_PER_CHANGE_MAX / 2

/** Every second rule has a backup, the others draw one of three in turn. */
function rulesWith(relay: Relay, count: number): RelayRule[] {
  const end = (last: number): RelayDestination => ({
    ...{ address: relay.server.replace(/[0-9]+$/, `${last}`), port: SERVER_PORT, port_range_end: null, weight: 1 },
    ...IN_ROTATION,
  })
  return rulesOf(relay, count).map((rule, at) =>
    canonicalRule(
      at % 2 === 0
        ? { ...rule, destinations: [end(2), { ...end(3), is_backup: true }] }
        : { ...rule, balance: 'round_robin', destinations: [end(2), end(3), end(4)] },
    ),
  )
}

const without = (rule: RelayRule): RelayRule =>
  canonicalRule({
    ...rule,
    destinations: rule.destinations.map((one, at) => (at === 0 ? { ...one, rotation: 'out' } : one)),
  })

/** nft moves it port by port. */
export async function rangeSection(panel: Panel): Promise<Section> {
  const { relay } = panel
  const [first, last, shift] = [1000, 60_999, 1000]
  const end = { port: first + shift, port_range_end: last + shift, weight: 1, ...IN_ROTATION }
  const rule = exampleRule({
    ...{ bind_address: relay.address, bind_port: first, bind_port_range_end: last },
    destinations: [
      { ...end, address: relay.server },
      { ...end, address: relay.server.replace(/2$/, '3'), is_backup: true },
    ],
  })
  const helper = await panel.startHelper()
  await applied(helper, [], [rule])
  const times: number[] = []
  for (let round = 0; round < 5; round += 1)
    times.push(await applied(helper, [rule], [without(rule)]), await applied(helper, [without(rule)], [rule]))
  return {
    title: `failover: a destination out of rotation and back, of a range of ${(last - first + 1).toLocaleString('en')} ports that is shifted`,
    rows: [timed('helper alone, verified', times)],
  }
}

export async function rotationSection(panel: Panel, bare: Relay, count: number): Promise<Section> {
  const rules = rulesWith(panel.relay, count)
  const helper = await panel.startHelper()
  await applied(helper, [], rules)
  await bare.nft(rulesetText(null, rules))
  const [plain, three] = [rules.slice(count - 2, count - 1), rules.slice(count - 1)]
  const many = rules.slice(0, Math.min(AT_ONCE, count))
  const took = { nft: [] as number[], plain: [] as number[], three: [] as number[], many: [] as number[] }
  const turned = async (some: readonly RelayRule[], times: number[]): Promise<void> => {
    const out = some.map(without)
    times.push(await applied(helper, some, out), await applied(helper, out, some))
  }
  const byNft = async (): Promise<void> => {
    const out = [...rules.slice(0, -1), ...three.map(without)]
    for (const text of [rulesetText(rules, out), rulesetText(out, rules)]) {
      const started = performance.now()
      await bare.nft(text)
      took.nft.push(performance.now() - started)
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await byNft()
    await turned(plain, took.plain)
    await turned(three, took.three)
    if (round < ROUNDS / 4) await turned(many, took.many)
  }
  const aim = { says: `< ${ms(AIM_MS)}`, below_ms: AIM_MS }
  return {
    title: `failover: a destination out of rotation and back, of one of ${count.toLocaleString('en')} rules; ${ROUNDS} rounds`,
    rows: [
      timed('nft -f of the change, nothing read back', took.nft),
      timed('helper alone, verified: a rule with a backup', took.plain, took.nft, aim),
      timed('helper alone, verified: a rule that draws one of three', took.three, took.nft, aim),
      timed(`helper alone, verified: ${many.length.toLocaleString('en')} rules at once`, took.many, took.nft),
    ],
  }
}
