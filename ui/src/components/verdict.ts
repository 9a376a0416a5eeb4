// Whether an analysis proves anything.
import type { Severity } from '@panel/shared/api/base/severity.ts'

interface Concluded {
  readonly verdict: string
  readonly severity: Severity
}

/** Nothing wrong was found, and nothing proves that it works. */
export const isUnproven = ({ verdict, severity }: Concluded): boolean => verdict === 'HEALTHY' && severity !== 'ok'
