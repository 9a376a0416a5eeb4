// The page's own texts, by which a picture's buttons are found in any language.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatMessage, isolate } from '@panel/shared/messages/format.ts'
import type { Language } from './looks.ts'

export type Say = (key: string, values?: Readonly<Record<string, string>>) => string

const LOCALES = fileURLToPath(new URL('../../../ui/src/locales', import.meta.url))

const wordsOf = (language: Language): Record<string, string> =>
  Object.assign(
    {},
    ...readdirSync(join(LOCALES, language))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(LOCALES, language, name), 'utf8')) as object),
  ) as Record<string, string>

export function sayIn(language: Language): Say {
  const words = wordsOf(language)
  const options = { language, number: String, isolate: language === 'fa' ? isolate : (text: string) => text }
  return (key, values = {}) => {
    const text = words[key]
    if (text === undefined) throw new Error(`no text of the page is called ${key}`)
    return formatMessage(text, values, options)
  }
}
