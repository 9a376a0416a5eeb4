// What a probe finds of the relay rules. Who reads them again and again is not sent what has not changed.
import { madeOnce } from '@panel/shared/made-once.ts'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import { UPLINKS_MAX } from '@panel/shared/ruleset/found.ts'
import type { Answers } from '../../kernel/facilities.ts'
import type { Rulesets } from '../../kernel/relay-facilities.ts'
import { newRevision } from '../../revision.ts'
import { byId, page } from './page.ts'

const LISTED_MAX = 1000

/** Rules that are as they were are the very list of the last time. */
const revisions = madeOnce<string>()

interface ProbeKernel {
  readonly rulesets: Pick<Rulesets, 'read'>
  readonly answers: Pick<Answers, 'uplinks'>
}

export async function probeRuleset(
  { rulesets, answers }: ProbeKernel,
  params: Params<'ruleset.probe'>,
): Promise<Result<'ruleset.probe'>> {
  const { boot_rules: _, boot_trouble: __, trouble: ___, rules, ...held } = await rulesets.read()
  const { damaged, unmanaged } = held
  const rest = {
    ...held,
    damaged: damaged.slice(0, LISTED_MAX),
    unmanaged: unmanaged.slice(0, LISTED_MAX),
    uplinks: (await answers.uplinks()).slice(0, UPLINKS_MAX),
  }
  const revision = revisions('all', [rules, JSON.stringify(rest)], newRevision)
  if (revision === params.known) return { ...rest, revision, is_unchanged: true, rules: [], next_id: null }
  const { items, next_id } = page([...rules].sort(byId), params)
  return { ...rest, revision, is_unchanged: false, rules: items, next_id }
}
