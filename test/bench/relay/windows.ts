// What a window costs a change, and how long it takes to be put back: the shipped helper alone, at each size.
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import { askOnce } from '../../../packaging/run/ask-once.ts'
import { median } from '../figures.ts'
import { ms, timed, type Section } from '../table.ts'
import type { Panel } from './panel.ts'

const WINDOW = { window_id: 'b'.repeat(32), seconds: 3600 }

interface Aims {
  readonly rounds: number
  /** What a window may add to a change of one rule. */
  readonly more_ms: number
  /** From the request to the last rule read back, with all rules changed. */
  readonly back_ms: number
}
const AIMS: Readonly<Record<number, Aims>> = {
  1: { rounds: 20, more_ms: 10, back_ms: 300 },
  100: { rounds: 20, more_ms: 10, back_ms: 500 },
  1000: { rounds: 10, more_ms: 50, back_ms: 500 },
  10_000: { rounds: 3, more_ms: 400, back_ms: 2000 },
}

export async function windowSection({ socket }: Panel, count: number): Promise<Section> {
  const { rounds, more_ms, back_ms } = AIMS[count] ?? { rounds: 3, more_ms: 400, back_ms: 2000 }
  const ask: Ask = (method, params) => askOnce(socket, method, params)
  const [plain, kept, there, back] = [[] as number[], [] as number[], [] as number[], [] as number[]]
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await took(() => toggle(ask, 1)))
    await ask('window.open', WINDOW)
    kept.push(await took(() => toggle(ask, 1)))
    await ask('window.confirm', { window_id: WINDOW.window_id })
    const before = JSON.stringify(await rulesOf(ask, count))
    await ask('window.open', WINDOW)
    there.push(await took(() => toggle(ask, count)))
    back.push(await took(() => ask('window.cancel', { window_id: WINDOW.window_id })))
    await ask('window.forget', { window_id: WINDOW.window_id })
    if (JSON.stringify(await rulesOf(ask, count)) !== before) throw new Error('The window was not put back')
  }
  const aim = (below_ms: number) => ({ says: `< ${ms(below_ms)}`, below_ms })
  return {
    title: `relay: changes in a window, ${count.toLocaleString('en')} rules; ${rounds} rounds`,
    rows: [
      timed('one rule changed by the helper', plain),
      timed('the same in a window, its way back rehearsed', kept, plain, aim(median(plain) + more_ms)),
      timed('all rules changed in a window', there),
      timed('all of them put back and read back', back, there, aim(back_ms)),
    ],
  }
}

type Ask = <M extends Parameters<typeof askOnce>[1]>(
  method: M,
  params: Parameters<typeof askOnce<M>>[2],
) => ReturnType<typeof askOnce<M>>

/** So many, in the order of their ids. */
async function rulesOf(ask: Ask, count: number): Promise<RelayRule[]> {
  const rules: RelayRule[] = []
  for (let from: number | null = 0; from !== null && rules.length < count;) {
    const page: Awaited<ReturnType<typeof askOnce<'ruleset.probe'>>> = await ask('ruleset.probe', {
      route_rule_ids: [],
      from_id: from,
    })
    rules.push(...page.rules)
    from = page.next_id
  }
  return rules.slice(0, count)
}

/** Gives the first rules another port of the destination, or the first one again. */
async function toggle(ask: Ask, count: number): Promise<void> {
  const rules = await rulesOf(ask, count)
  for (let at = 0; at < rules.length; at += RULES_PER_CHANGE_MAX) {
    const before = rules.slice(at, at + RULES_PER_CHANGE_MAX)
    const after = before.map((rule) => ({
      ...rule,
      destinations: rule.destinations.map((one) => ({ ...one, port: one.port === 80 ? 81 : 80 })),
    }))
    const { outcome, failure } = await ask('ruleset.apply', { before, after })
    if (outcome !== 'applied') throw new Error(failure?.message ?? outcome)
  }
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
