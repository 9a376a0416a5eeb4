// Which rules can be on the fast path, where established flows go past the chains (decisions.md, F33). Pure.
import { message } from '../messages/message.ts'
import { line, strict, Type, type Static } from '../schema.ts'
import type { RelayRule } from './model.ts'

/** What a rule has whose packets the chains have to see, or a person wants to follow. */
export const SLOW_FIELDS = [
  'max_connections_per_source',
  'connection_rate_limit',
  'is_logging_enabled',
  'fwmark',
] as const
export type SlowField = (typeof SLOW_FIELDS)[number]

/** Null where nothing keeps the rule off the fast path. */
export function slowField(rule: Pick<RelayRule, SlowField>): SlowField | null {
  return SLOW_FIELDS.find((field) => rule[field] !== null && rule[field] !== false) ?? null
}

/** The field that a canonical rule has only where it is on the fast path. */
export const fastPathOf = (rule: RelayRule): Pick<RelayRule, 'is_fast_path'> =>
  rule.is_fast_path === true && slowField(rule) === null ? { is_fast_path: true } : {}

/** Whether this host can, and why not. */
export const FastPathFound = strict({ is_able: Type.Boolean(), detail: line(300) })
export type FastPathFound = Static<typeof FastPathFound>

/** Without nftables there is no flowtable. */
export const NO_FAST_PATH: FastPathFound = { is_able: false, detail: message('root.fast_path_backend').message }
