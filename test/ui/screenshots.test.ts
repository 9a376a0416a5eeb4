// The command that draws the page for people to look at leaves nothing out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SCENES } from './screenshots/scenes.ts'

const PAGE = fileURLToPath(new URL('../../ui/src', import.meta.url))
const OPENED = /<(?:Dialog|Menu)\b(?:\s+(?:title|label)=\{t\('([^']+)')?|\bconfirm\(\{(?:\s*title: t\('([^']+)')?/g
/** Draws what `confirm` was given, and is pictured with each who calls it. */
const ASKED_FOR = 'Confirm'

/** The dialogs and menus that a file opens: by the key of their title, or by the component where the title varies. */
const openedIn = (file: string): string[] =>
  [...readFileSync(join(PAGE, file), 'utf8').matchAll(OPENED)].map(
    ([, drawn, requests]) => drawn ?? requests ?? basename(file, '.svelte'),
  )

describe('The pictures of the page', () => {
  it('show every dialog and every menu that the page opens', () => {
    const opened = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(svelte|ts)$/.test(file))
      .flatMap(openedIn)
      .filter((name) => name !== ASKED_FOR)
    const pictured = SCENES.map(({ shows }) => shows).filter((name) => name !== undefined)
    assert.deepEqual([...new Set(pictured)].sort(), [...new Set(opened)].sort())
  })

  it('have a name each', () => {
    const names = SCENES.map(({ name }) => name)
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
  })
})
