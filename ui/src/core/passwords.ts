// The rule for passwords as a sentence that follows what is typed, and fields that were left empty.
import { MIN_PASSWORD_CHARACTERS } from '@panel/shared/api/passwords.ts'
import { t } from './i18n.svelte.ts'

/** Counted as the server counts: by character, not by UTF-16 unit. */
export const passwordRule = (password: string): string => {
  const count = [...password].length
  return count < MIN_PASSWORD_CHARACTERS
    ? t('core.account.rule_short', { least: MIN_PASSWORD_CHARACTERS, count })
    : t('core.account.rule_met', { count })
}

/** A sentence for each of these that is empty. */
export const missing = (
  values: Readonly<Record<string, string>>,
  sentences: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(Object.entries(sentences).filter(([name]) => values[name] === ''))
