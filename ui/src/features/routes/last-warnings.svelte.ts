// Warnings of the last change, shown on the rule's page.
import type { Warning } from '@panel/shared/api/base/errors.ts'

class LastWarnings {
  of = $state.raw<{ readonly route_rule_id: number; readonly warnings: readonly Warning[] } | null>(null)
}

export const lastWarnings = new LastWarnings()
