// What the last change of a rule was warned of: shown on the rule's page until the next change.
import type { Warning } from '@panel/shared/api/errors.ts'

class LastWarnings {
  of = $state.raw<{ readonly route_rule_id: number; readonly warnings: readonly Warning[] } | null>(null)
}

export const lastWarnings = new LastWarnings()
