// What a probe finds of the relay rules. Who reads them again and again is not sent what has not changed.
import { randomBytes } from 'node:crypto'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import type { Rulesets } from '../../kernel/relay-facilities.ts'
import { byId, page } from './page.ts'

const LISTED_MAX = 1000

export class RulesetProbe {
  readonly #rulesets: Pick<Rulesets, 'read'>
  #last: { readonly revision: string; readonly rules: readonly RelayRule[]; readonly rest: string } | null = null

  constructor(rulesets: Pick<Rulesets, 'read'>) {
    this.#rulesets = rulesets
  }

  async probe(params: Params<'ruleset.probe'>): Promise<Result<'ruleset.probe'>> {
    const { boot_rules: _, boot_trouble: __, trouble: ___, rules, ...held } = await this.#rulesets.read()
    const { damaged, unmanaged } = held
    const rest = { ...held, damaged: damaged.slice(0, LISTED_MAX), unmanaged: unmanaged.slice(0, LISTED_MAX) }
    const revision = this.#revisionOf(rules, JSON.stringify(rest))
    if (revision === params.known) return { ...rest, revision, is_unchanged: true, rules: [], next_id: null }
    const { items, next_id } = page([...rules].sort(byId), params)
    return { ...rest, revision, is_unchanged: false, rules: items, next_id }
  }

  /** Rules that are as they were are the very list of the last time. */
  #revisionOf(rules: readonly RelayRule[], rest: string): string {
    const last = this.#last
    if (last?.rules === rules && last.rest === rest) return last.revision
    this.#last = { revision: randomBytes(16).toString('hex'), rules, rest }
    return this.#last.revision
  }
}
