// The password rule as live feedback, and required fields.
import { MIN_PASSWORD_CHARACTERS } from '@panel/shared/api/passwords.ts'
import { t } from './i18n.svelte.ts'

/** The rule for a password, by character like the server's, not by UTF-16 unit. */
export const passwordRule = (password: string): string => {
  const count = [...password].length
  return count < MIN_PASSWORD_CHARACTERS
    ? t('core.account.rule_short', { least: MIN_PASSWORD_CHARACTERS, count })
    : t('core.account.rule_met', { count })
}

/** An error for each empty field. */
export const missing = (
  values: Readonly<Record<string, string>>,
  sentences: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(Object.entries(sentences).filter(([name]) => values[name] === ''))
