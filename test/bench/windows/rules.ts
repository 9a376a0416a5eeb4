// Relay rules in a window: what its rehearsal adds to a change of one, and how long all of them take to be put back.
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import { Helper } from '../driver/helper.ts'
import { median } from '../figures.ts'
import { ms, timed, type Section } from '../table.ts'

const WINDOW = { window_id: 'b'.repeat(32), seconds: 3600 }
const { window_id } = WINDOW

interface Aims {
  readonly rounds: number
  /** What a window may add to a change of one rule. */
  readonly more_ms: number
  /** The time from the request to the last rule read back, with all rules changed. */
  readonly back_ms: number
}
const LARGEST: Aims = { rounds: 3, more_ms: 400, back_ms: 2000 }
const AIMS: Readonly<Record<number, Aims>> = {
  1: { rounds: 20, more_ms: 10, back_ms: 300 },
  100: { rounds: 20, more_ms: 10, back_ms: 500 },
  1000: { rounds: 10, more_ms: 50, back_ms: 500 },
  10_000: LARGEST,
}

export async function windowedRules(socket: string, count: number): Promise<Section> {
  const { rounds, more_ms, back_ms } = AIMS[count] ?? LARGEST
  const helper = await Helper.at(socket)
  const [plain, kept, there, back] = [[] as number[], [] as number[], [] as number[], [] as number[]]
  for (let round = 0; round < rounds; round += 1) {
    const before = await heldBy(helper)
    if (before.length !== count) throw new Error(`There are ${before.length} rules and not ${count}`)
    const first = before.slice(0, 1)
    plain.push(await changed(helper, first, moved(first)))
    await helper.request('window.open', WINDOW)
    kept.push(await changed(helper, moved(first), first))
    await helper.request('window.confirm', { window_id })
    await helper.request('window.open', WINDOW)
    there.push(await changed(helper, before, moved(before)))
    const { result, ms: took } = await helper.request('window.cancel', { window_id })
    if (!result.ended) throw new Error(`The window was not put back: ${JSON.stringify(result)}`)
    back.push(took)
    await helper.request('window.forget', { window_id })
    if (JSON.stringify(await heldBy(helper)) !== JSON.stringify(before)) throw new Error('Not all was put back')
  }
  const aim = (below_ms: number) => ({ says: `< ${ms(below_ms)}`, below_ms })
  return {
    title: `windows: changes of ${count.toLocaleString('en')} rules; ${rounds} rounds`,
    rows: [
      timed('one rule changed by the helper', plain),
      timed('the same in a window, its way back rehearsed', kept, plain, aim(median(plain) + more_ms)),
      timed('all rules changed in a window', there, plain),
      timed('all of them put back and read back', back, plain, aim(back_ms)),
    ],
  }
}

async function heldBy(helper: Helper): Promise<RelayRule[]> {
  const rules: RelayRule[] = []
  for (let from_id: number | null = 0; from_id !== null;) {
    const page: Awaited<ReturnType<typeof probed>> = await probed(helper, from_id)
    rules.push(...page.rules)
    from_id = page.next_id
  }
  return rules
}

const probed = async (helper: Helper, from_id: number) =>
  (await helper.request('ruleset.probe', { route_rule_ids: [], from_id })).result

/** To another port of the destination, so that nothing of the old rule is left. */
const moved = (rules: readonly RelayRule[]): RelayRule[] =>
  rules.map((rule) => ({
    ...rule,
    destinations: rule.destinations.map((one) => ({ ...one, port: one.port === 80 ? 81 : 80 })),
  }))

/** Changes as many rules at once as one change may name; returns the milliseconds in all. */
async function changed(helper: Helper, from: readonly RelayRule[], to: readonly RelayRule[]): Promise<number> {
  let took = 0
  for (let at = 0; at < from.length; at += RULES_PER_CHANGE_MAX) {
    const [before, after] = [from, to].map((rules) => rules.slice(at, at + RULES_PER_CHANGE_MAX))
    const { result, ms: took_ms } = await helper.request('ruleset.apply', {
      before: before ?? null,
      after: after ?? null,
    })
    if (result.outcome !== 'applied') throw new Error(result.failure?.message ?? result.outcome)
    took += took_ms
  }
  return took
}
