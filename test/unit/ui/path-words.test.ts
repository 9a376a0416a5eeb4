// The words for a hop of the path, in the width that it is drawn in.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fitting } from '../../../ui/src/components/path/path-lines.ts'

const LOCALES = new URL('../../../ui/src/locales/', import.meta.url)
const OF_A_HOP = /^path\.(stage\.|anybody|forwards|takes|out|drained|fails_checks|standby|destination_down|not_checked)/

describe('The words of a hop', () => {
  for (const language of ['en', 'fa', 'ru', 'zh-CN'])
    it(`are shown whole in ${language}`, () => {
      const texts = JSON.parse(readFileSync(new URL(`${language}/path.json`, LOCALES), 'utf8')) as Record<
        string,
        string
      >
      const shown = Object.entries(texts).filter(([key]) => OF_A_HOP.test(key))
      assert.ok(shown.length >= 10)
      assert.deepEqual(
        shown.filter(([, text]) => fitting(text, 12) !== text),
        [],
      )
    })
})
