// The settings in the words of the page: each has a name and an explanation, and the English one says what the API
// says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { SETTING_CATEGORIES } from '@panel/shared/api/settings.ts'
import { DEFAULT_DISPLAY } from '../../../ui/src/core/format.ts'
import { SETTINGS } from '@panel/web-daemon/features/settings/definitions.ts'

const WORDS = JSON.parse(
  readFileSync(new URL('../../../ui/src/locales/en/settings.json', import.meta.url), 'utf8'),
) as Record<string, string>
const definitions = Object.entries(SETTINGS)

describe('The settings of the page', () => {
  it('have the defaults of the daemon, which sends it what differs from them', () => {
    const defaults = definitions.filter(([key]) => key.startsWith('display.')).map(([key, one]) => [key, one.default])
    assert.deepEqual(DEFAULT_DISPLAY, Object.fromEntries(defaults))
  })
})

describe('The settings in the words of the page', () => {
  it('have a name each, and each category and unit has', () => {
    const wanted = [
      ...definitions.map(([key]) => `key.${key}`),
      ...SETTING_CATEGORIES.map((category) => `category.${category}`),
      ...definitions.flatMap(([, { unit }]) => (unit === '' ? [] : [`unit.${unit}`])),
    ]
    assert.deepEqual(
      wanted.filter((key) => WORDS[`settings.${key}`] === undefined),
      [],
    )
  })

  /**
   * Matches what only clients of the API use: a key of another setting, a value that only JSON has, or a field of a
   * request.
   */
  const SPEAKS_TO_CLIENTS = /\b(tunnel|keepalive)\.[a-z_]+|\bNull\b|"(force|system|all)"|request names/
  it('are explained as the API does, but where that speaks to its clients, and none that is gone still is', () => {
    const reported = Object.entries(WORDS).filter(([key]) => key.startsWith('settings.about.'))
    assert.deepEqual(
      reported.filter(([, text]) => SPEAKS_TO_CLIENTS.test(text)),
      [],
    )
    assert.deepEqual(
      Object.fromEntries(reported),
      Object.fromEntries(
        definitions.map(([key, { description }]) => {
          const own = WORDS[`settings.about.${key}`]
          return [`settings.about.${key}`, SPEAKS_TO_CLIENTS.test(description) ? own : description]
        }),
      ),
    )
  })
})
