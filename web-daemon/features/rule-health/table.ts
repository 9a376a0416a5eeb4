// The table of what was proven of rules, as Kysely sees it.
import type { StoredProof } from './proof-store.ts'

export interface RouteProofTable {
  route_rule_id: number
  proven_date: string
  proven_by: StoredProof['by']
  /** What it was proven of: a digest of the rule, its path and the links on it. */
  proven_of: string | null
}

export interface RuleHealthTables {
  route_proof: RouteProofTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends RuleHealthTables {}
}
