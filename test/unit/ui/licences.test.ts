// What the page says of third-party work: every package that is delivered, under the licence that it names itself.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { LICENCES } from '../../../ui/src/features/system/licences.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string): { dependencies?: Record<string, string>; license?: string } =>
  JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as { dependencies?: Record<string, string>; license?: string }

/** The packages of the page that end up in it; the rest builds it. */
const IN_THE_PAGE = ['svelte', 'uplot', 'uqr', '@fontsource-variable/vazirmatn']

describe('The licences on the page', () => {
  it('are of every package that is delivered, and of no other', () => {
    const ofDaemons = ['shared', 'root-helper', 'web-daemon']
      .flatMap((room) => Object.keys(read(`${room}/package.json`).dependencies ?? {}))
      .filter((name) => !name.startsWith('@panel/'))
    assert.deepEqual(LICENCES.map(([name]) => name).sort(), [...new Set([...IN_THE_PAGE, ...ofDaemons])].sort())
  })

  it('are those that each package says itself', () => {
    for (const [name, , licence] of LICENCES)
      assert.equal(read(`node_modules/${name}/package.json`).license, licence, name)
  })
})
