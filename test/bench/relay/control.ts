// One rule changed, and the counters read, at each size: the shipped daemons beside nft with the same text.
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import type { Answer, Job, Rounds } from '../driver/jobs.ts'
import { driven, type Programs } from '../programs.ts'
import { ms, timed, type Aim, type Section } from '../table.ts'
import { WEB_URL, type Panel } from './panel.ts'
import { rulesOf } from './rules.ts'
import { seedRules } from './seed.ts'
import type { Stage } from './stage.ts'

/** Milliseconds of a change that one batch of netlink carries out. */
const AIMS: Readonly<Record<number, { readonly patch: number; readonly helper: number }>> = {
  100: { patch: 15, helper: 3 },
  1000: { patch: 20, helper: 4 },
  10_000: { patch: 60, helper: 15 },
}
const aimOf = (below_ms: number | undefined): Aim | undefined =>
  below_ms === undefined ? undefined : { says: `< ${ms(below_ms)}`, below_ms }

const roundsOf = (count: number): Rounds => ({
  warm_up: count < 10_000 ? 15 : 3,
  rounds: 15,
  budget_ms: 15_000,
  fewest: 1,
})

export async function controlSection(stage: Stage, panel: Panel, programs: Programs, count: number): Promise<Section> {
  const { relay, socket } = panel
  const rules = rulesOf(relay, count)
  const bare = await stage.relay()
  await bare.nft(rulesetText(null, rules))
  await seedRules(panel.store, rules)
  await panel.startWeb()
  const [program, words] = bare.network.inside([])
  const job: Job<'relay'> = {
    panel: { url: WEB_URL, socket },
    between: { address: relay.address, server: relay.server },
    count,
    bare: [program, ...words],
    rounds: roundsOf(count),
  }
  return sectionOf(count, await driven(programs, relay.network, 'relay', job))
}

function sectionOf(count: number, took: Answer<'relay'>): Section {
  const { own_text, nft_counters } = took
  const aims = AIMS[count]
  return {
    title: `rules: one of ${count.toLocaleString('en')} rules changed, and the counters of all read; ${took.patch.length} rounds`,
    rows: [
      timed('nft -f of the change, nothing read back', own_text),
      timed('nft -f of the whole table recreated, nothing read back', took.whole_text, own_text),
      timed('helper alone, verified, right after other programs', took.socket, own_text),
      timed('helper alone, verified, right after another change', took.socket_again, own_text, aimOf(aims?.helper)),
      timed('PATCH /routes/{id}, verified, stored', took.patch, own_text, aimOf(aims?.patch)),
      timed('POST /routes, verified, stored', took.post, own_text),
      timed('DELETE /routes/{id}, verified, stored', took.remove, own_text),
      timed('nft -j list counters', nft_counters),
      timed('helper alone, ruleset.counters', took.counters, nft_counters),
    ],
  }
}
