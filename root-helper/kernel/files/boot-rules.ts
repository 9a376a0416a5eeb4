// The relay rules that were last accepted, in one file: what boot brings back. A long list is not written again for
// each change: changes are lines after it.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { RefusedError } from '../../refused.ts'
import { messageOf, oneLine } from '../../text.ts'
import type { HeldForBoot, RuleSwap } from '../facilities.ts'
import { readWritten, setAside, unlikeOurs, type StateFolder } from './state-folder.ts'

export interface BootRules {
  /** In the order in which packets meet them. */
  held(): HeldForBoot
  /** Rules of the ids in `gone` leave, those in `put` come or are replaced, and all others stay. */
  change(gone: readonly number[], put: readonly RelayRule[]): Promise<void>
}

const NAME = 'ruleset.json'
/** A shorter list is written as quickly as a line. */
const LONG_BYTES = 64 * 1024

export function bootRulesIn(folder: StateFolder): BootRules {
  let rules: readonly RelayRule[] | null = null
  /** How much may be appended before the whole list is written again; 0 where it is to be written now. */
  let room = 0
  /** A file that cannot be read is tried again each time, since somebody may have set it aside. */
  const held = (): HeldForBoot => {
    try {
      rules ??= readWritten(folder.read(NAME), parse) ?? [] // and its first change is written with the whole list
      return { boot_rules: rules, boot_trouble: null }
    } catch (error) {
      return { boot_rules: [], boot_trouble: damaged(oneLine(messageOf(error))) }
    }
  }
  return {
    held,
    async change(gone, put) {
      const { boot_rules, boot_trouble } = held()
      if (boot_trouble !== null) throw new RefusedError('state_unusable', verbatim(boot_trouble))
      const next = swapped(boot_rules, { gone, put })
      const line = `\n${JSON.stringify({ gone, put })}\n`
      const roomAfter = room - line.length
      room = 0 // a line that is cut short must not be appended to
      if (roomAfter > 0) {
        await folder.append(NAME, line)
        room = roomAfter
      } else {
        const text = JSON.stringify({ rules: next })
        await folder.write(NAME, text)
        room = text.length < LONG_BYTES ? 0 : text.length / 4
      }
      rules = next
    },
  }
}

/** Those in `put` are canonical. */
export function swapped(rules: readonly RelayRule[], { gone, put }: RuleSwap): RelayRule[] {
  const left = new Set([...gone, ...put.map(({ route_rule_id }) => route_rule_id)])
  return [...rules.filter(({ route_rule_id }) => !left.has(route_rule_id)), ...put].sort(inOrder)
}

const damaged = (why: string): string =>
  message('root.rules_damaged', { file: NAME, why, remedy: setAside(NAME) }).message

function parse(text: string): readonly RelayRule[] {
  const [list = '', ...lines] = text.split('\n')
  const { rules } = JSON.parse(list) as { rules?: unknown }
  if (!areRules(rules)) throw unlikeOurs()
  // What stands behind the last end of a line was cut short, as by a power cut: that change is in the journal.
  return lines
    .slice(0, -1)
    .filter((line) => line !== '')
    .reduce((held, line) => swapped(held, readChange(line)), rules)
}

function readChange(line: string): RuleSwap {
  const { gone, put } = JSON.parse(line) as Partial<RuleSwap>
  if (!Array.isArray(gone) || !gone.every(Number.isSafeInteger) || !areRules(put)) throw unlikeOurs()
  return { gone, put }
}

const areRules = (value: unknown): value is RelayRule[] => Array.isArray(value) && value.every(isRule)

const isRule = (value: unknown): value is RelayRule =>
  typeof value === 'object' &&
  value !== null &&
  Number.isSafeInteger((value as Partial<RelayRule>).route_rule_id) &&
  Array.isArray((value as Partial<RelayRule>).destinations)

interface Numbered {
  readonly route_rule_id: number
}

/** Those of the rules that boot brings back of which the kernel holds nothing, not even a piece. */
export function missingRules(
  boot: readonly RelayRule[],
  held: readonly Numbered[],
  why: (rule: RelayRule) => string,
): { route_rule_id: number; detail: string }[] {
  const ids = new Set(held.map(({ route_rule_id }) => route_rule_id))
  return boot
    .filter(({ route_rule_id }) => !ids.has(route_rule_id))
    .map((rule) => ({ route_rule_id: rule.route_rule_id, detail: why(rule) }))
}
