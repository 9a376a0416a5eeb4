// The words of the page: no language lacks a key or a placeholder of another, and every page finds the words that it
// uses.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { formatMessage, isolate, placeholderNames, pluralForms } from '@panel/shared/messages/format.ts'
import { ROUTES } from '../../../ui/src/core/routes.ts'
import { joinUnits } from '../../../ui/src/locales/en/units.ts'

const PAGE = fileURLToPath(new URL('../../../ui/src', import.meta.url))
const read = (language: string, area: string): Record<string, string> =>
  JSON.parse(readFileSync(join(PAGE, 'locales', language, `${area}.json`), 'utf8')) as Record<string, string>
const AREAS = readdirSync(join(PAGE, 'locales/en'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''))
const TRANSLATED = readdirSync(join(PAGE, 'locales'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'en')
  .map(({ name }) => name)
const filling = { language: 'en', number: String, isolate: (text: string) => text }

/** The forms that a language tells apart. */
const categoriesOf = (language: string): string[] => [
  ...new Intl.PluralRules(language).resolvedOptions().pluralCategories,
]

describe('The words of the page', () => {
  it('are there in four languages', () => assert.deepEqual(TRANSLATED.sort(), ['fa', 'ru', 'zh-CN']))

  for (const area of AREAS) {
    it(`of ${area} begin with its name`, () =>
      assert.deepEqual(
        Object.keys(read('en', area)).filter((key) => !key.startsWith(`${area}.`)),
        [],
      ))

    for (const language of TRANSLATED) {
      it(`of ${area} have the same keys and placeholders in ${language}, and something to say`, () => {
        const [english, other] = [read('en', area), read(language, area)]
        assert.deepEqual(Object.keys(other).sort(), Object.keys(english).sort())
        for (const [key, sentence] of Object.entries(other)) {
          assert.ok(sentence.trim() !== '', key)
          assert.deepEqual(placeholderNames(sentence), placeholderNames(english[key] ?? ''), key)
          for (const [, forms = ''] of sentence.matchAll(/,\s*plural\s*,((?:[^{}]|\{[^{}]*\})*)\}/g))
            assert.ok(
              'other' in pluralForms(forms) &&
                Object.keys(pluralForms(forms)).every(
                  (form) => categoriesOf(language).includes(form) || form.startsWith('='),
                ),
              key,
            )
        }
      })
    }
  }

  it('keep a figure and its unit on one line', () => {
    for (const language of ['en', 'ru'])
      for (const area of AREAS)
        for (const [key, sentence] of Object.entries(read(language, area)))
          assert.doesNotMatch(
            sentence,
            /\{(seconds|limit|typical|worst)\} (m?s|м?с)(?![\p{L}])/u,
            `${key}, ${language}`,
          )
    const english = Object.fromEntries(Object.entries(CATALOGUE).map(([id, sentence]) => [id, joinUnits(sentence)]))
    for (const language of ['en', ...TRANSLATED]) {
      const measured = Object.entries({ ...english, ...read(language, 'messages/monitor') })
      for (const [key, sentence] of measured.filter(([id]) => id.startsWith('monitor.')))
        assert.doesNotMatch(sentence, /\{(percent|limit|time)(, number)?\} (%|ms|мс|میلی‌ثانیه)/, `${key}, ${language}`)
    }
  })

  it('have the digits that numbers have by default, so that no sentence mixes two kinds', () => {
    const folder = join(PAGE, 'locales/fa')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
    const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    assert.deepEqual(
      lines.filter((line) => /[۰-۹]/.test(line) && !line.includes('settings.option.persian')),
      [],
    )
  })

  it('begin from right to left in Persian, even where the first word is Latin and they stand in another sentence', () => {
    const folder = join(PAGE, 'locales/fa')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
    for (const name of files)
      for (const [key, sentence] of Object.entries(read('fa', name.replace('.json', ''))))
        assert.doesNotMatch(sentence, /^[«(]*[A-Za-z].*\p{Script=Arabic}/su, key)
  })

  it('of a search are words alone, whose filters are offered beneath it', () => {
    const searches = AREAS.flatMap((area) =>
      ['en', ...TRANSLATED].flatMap((language) =>
        Object.entries(read(language, area)).filter(([key]) => /\.search(_|$)/.test(key)),
      ),
    )
    assert.ok(searches.length >= 28)
    assert.deepEqual(
      searches.filter(([, text]) => /\w:\w|:/.test(text) || text.length > 34),
      [],
    )
  })

  it('are fetched by each route whose files use them', () => {
    const wrong = ROUTES.flatMap(({ page, areas }) =>
      [...areasUsedBy(join(PAGE, 'features', `${page}.svelte`))]
        .filter((area) => area !== 'core' && !(areas as readonly string[]).includes(area))
        .map((area) => `${page} uses ${area}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('are written with values, plural forms and numbers of their language', () => {
    assert.equal(formatMessage('{a} of {b}', { a: 1, b: 'x' }, filling), '1 of x')
    const sentence = '{count, plural, =0 {none} one {# tunnel} other {# tunnels of {name}}}'
    assert.deepEqual(
      [0, 1, 2].map((count) => formatMessage(sentence, { count, name: 'n' }, filling)),
      ['none', '1 tunnel', '2 tunnels of n'],
    )
    const russian = '{count, plural, one {# туннель} few {# туннеля} many {# туннелей} other {# туннеля}}'
    assert.deepEqual(
      [1, 3, 11, 21].map((count) => formatMessage(russian, { count }, { ...filling, language: 'ru' })),
      ['1 туннель', '3 туннеля', '11 туннелей', '21 туннель'],
    )
    assert.equal(formatMessage('به {to}', { to: '192.0.2.1' }, { ...filling, isolate }), 'به \u2068192.0.2.1\u2069')
    assert.throws(() => formatMessage('{missing}', {}, filling), /wants \{missing\}/)
  })
})

/**
 * The areas that a component and its parts use in its own and other features; what lies in core, shell and components
 * keeps to the area core.
 */
function areasUsedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return new Set()
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const own = [...text.matchAll(/\bt\(\s*[`']([a-z_]+)\./g)].map((match) => String(match[1]))
  const parts = [...text.matchAll(/(?:from '|import\('(?=.*\.svelte))(\.[^']+)'/g)]
    .map((match) => join(file, '..', String(match[1])))
    .filter((path) => path.includes('/features/'))
  // What comes into view later may fetch its words itself, before it shows anything.
  const fetched = [...text.matchAll(/messages\.load\(\[([^\]]*)\]\)/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/'([a-z_]+)'/g)].map((match) => String(match[1])),
  )
  const used = [...own, ...parts.flatMap((path) => [...areasUsedBy(path, seen)])]
  return new Set(used.filter((area) => !fetched.includes(area)))
}
