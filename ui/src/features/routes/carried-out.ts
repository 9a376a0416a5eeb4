// How masquerade is carried out, for people; "" where that is not known, or a rule does not masquerade.
import { t } from '../../core/i18n.svelte.ts'

const SNAT = 'snat '

export const isSnat = (as: string | null): boolean => as?.startsWith(SNAT) === true

export function describeCarriedOut(as: string | null): string {
  if (as === null) return ''
  return isSnat(as) ? t('path.carried_out.snat', { address: as.slice(SNAT.length) }) : t('path.carried_out.masquerade')
}
