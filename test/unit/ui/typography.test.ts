// What a machine sees of good writing in the catalogues of a language, those of the API’s sentences included.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { joinUnits } from '../../../ui/src/locales/en/units.ts'

const LOCALES = fileURLToPath(new URL('../../../ui/src/locales', import.meta.url))
const LINE = /^\s*("[^"]+"): (".*"),?$/

/** Keys and sentences line by line, so that one that is there twice is seen. */
const linesOf = (language: string): [file: string, key: string, sentence: string][] =>
  readdirSync(join(LOCALES, language), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      readFileSync(join(LOCALES, language, file), 'utf8')
        .split('\n')
        .flatMap((line): [string, string, string][] => {
          const [, key, sentence] = LINE.exec(line) ?? []
          return key && sentence ? [[file, String(JSON.parse(key)), String(JSON.parse(sentence))]] : []
        }),
    )
const matching = (language: string, pattern: RegExp, area = ''): string[] =>
  linesOf(language).flatMap(([, key, sentence]) =>
    key.startsWith(area) && pattern.test(sentence) ? [`${key}: ${sentence}`] : [],
  )

describe('The writing of the page', () => {
  for (const language of ['en', 'fa', 'ru', 'zh-CN'])
    it(`has each key once in ${language}`, () => {
      const keys = linesOf(language).map(([file, key]) => `${file} ${key}`)
      assert.ok(keys.length > 1000)
      assert.deepEqual(
        keys.filter((key, at) => keys.indexOf(key) !== at),
        [],
      )
    })

  it('keeps a figure and its unit on one line in Russian and Chinese, in what the API says too', () => {
    assert.deepEqual(matching('ru', /[}#\d] (мс|с|%|мин\.?|байт|МиБ)(?=[\s.,;:)—])(?! (адрес|теми|MTU|момент|\{))/), [])
    assert.deepEqual(matching('zh-CN', /[}#\d] (毫秒|秒|字节|%)/), [])
  })

  it('keeps a figure and its unit on one line in what the API says in English, which has a plain blank there', () => {
    const apart = Object.values(CATALOGUE).filter((sentence) => /[}#\d] (ms|s|%|MiB)(?!\w)/.test(sentence))
    assert.ok(apart.length > 5)
    assert.deepEqual(
      apart.map(joinUnits).filter((sentence) => /[}#\d] (ms|s|%|MiB)(?!\w)/.test(sentence)),
      [],
    )
    assert.equal(joinUnits('{percent} % of {count} probes'), '{percent}\u00a0% of {count} probes')
  })

  it('has a form for each number where a Russian noun follows it', () => {
    const bare =
      /(?<!(больше|более|меньше|длиннее|короче|из|из последних|среди первых|начиная с|до) )\{\w+(, number)?\} /
    const nouns =
      /(соединени|порт|назначени|источник|адрес|элемент|провер|поток|правил|нов|таки|туннел|узл|пакет|символ)(й|ов|ей|ок|ых|х)(?![а-яё])/
    assert.deepEqual(matching('ru', new RegExp(bare.source + nouns.source)), [])
  })

  it('has the number in the Russian form of one, which is that of 21 too, where the other forms have it', () => {
    assert.deepEqual(matching('ru', /plural, one \{[^#}]*\} few \{[^}]*#/), [])
  })

  it('names what was done by nouns in the Russian audit log, and without 已 in the Chinese one', () => {
    const participles = /(ён|ена|ено|ены|ан|ана|аны|ано|ыт|ыта|ыты)$/
    assert.deepEqual(matching('ru', participles, 'audit.action.'), [])
    assert.deepEqual(matching('zh-CN', /^已|结束$/, 'audit.action.'), [])
  })

  it('has full-width brackets and stops between Chinese words', () =>
    assert.deepEqual(matching('zh-CN', /\p{Script=Han} ?[(),;!?]|[),;!?] ?\p{Script=Han}/u), []))

  it('parts Chinese words from Latin ones and digits by a space', () =>
    assert.deepEqual(matching('zh-CN', /\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Script=Han}/u), []))
})
