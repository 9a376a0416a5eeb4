// The page covers the whole interface, so that an operator never needs another client: every endpoint is asked for by its sources, and they ask for no other.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPanel } from '../../api/support/panel.ts'

const PAGE = fileURLToPath(new URL('../../../ui/src', import.meta.url))

/** What the page says and does without these. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'GET /routes/traffic/summary': 'the stream of the metrics and the list of rules tell all of it',
  'GET /routes/{}/traffic': 'the rule itself and the stream of the metrics tell it',
  'GET /routes/{}/destinations': 'the rule has them',
  'POST /routes/{}/destinations': 'the editor sends the list with the rule',
  'DELETE /routes/{}/destinations': 'the editor sends the list with the rule',
  'GET /routes/{}/allowed-sources': 'the rule has them',
  'POST /routes/{}/allowed-sources': 'the editor sends the list with the rule',
  'DELETE /routes/{}/allowed-sources': 'the editor sends the list with the rule',
  'GET /tunnels/{}/addresses': 'the tunnel has them',
}

/** Where the last part of a path is an argument: the words that its callers give. */
const BY_ARGUMENT: Readonly<Record<string, RegExp>> = { 'features/tunnels/life.ts': /\bsend\(tunnel, '(\w+)'\)/g }

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  asked: 'GET',
  LiveStream: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  remove: 'DELETE',
}
const ASKING =
  /\b(?:(get|asked|LiveStream|post|put|patch|remove)|askPlainly|askWith|request|mindingOwnAccess)(?:<[\w\s|[\]]+>)?\(\s*(?:'([A-Z]+)', )?(?=['`]|path\b)/g

describe('The sources of the page', () => {
  it('ask for every endpoint of the interface, but for those that it does without, and for none that is not there', async () => {
    const panel = await startPanel()
    const served = panel.endpoints.map(({ route }) => route.replaceAll(/\{\w+\}/g, '{}'))
    await panel.close()
    const asked = new Set(filesIn(PAGE).flatMap(askedIn))
    assert.deepEqual([...asked].filter((one) => !served.includes(one)).sort(), [], 'there is no such endpoint')
    assert.deepEqual(served.filter((one) => !asked.has(one)).sort(), Object.keys(OTHERWISE).sort())
  })
})

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => join(folder, name))

/** As `POST /tunnels/{}/down`. */
function askedIn(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '')
  const last = BY_ARGUMENT[relative(PAGE, file)]
  return [...text.matchAll(ASKING)].flatMap((match) => {
    const method = match[2] ?? METHODS[match[1] ?? ''] ?? ''
    // A search of the address has a `get` too, of a name.
    const paths = spellings(literalAt(text, match.index + match[0].length), text).filter((path) => path.startsWith('/'))
    return paths
      .flatMap((path) =>
        last && path.endsWith('/{}/{}')
          ? [...text.matchAll(last)].map(([, word]) => path.replace(/\{\}$/, String(word)))
          : [path],
      )
      .map((path) => `${method} ${path}`)
  })
}

/** What stands between the quotes that begin there; a name is looked up in the file. */
function literalAt(text: string, from: number): string {
  const quote = text[from]
  if (quote !== "'" && quote !== '`') {
    const [found] = [...text.matchAll(/\bconst path = (?:\$derived\()?(?=`)/g)]
    return found ? literalAt(text, found.index + found[0].length) : ''
  }
  for (let at = from + 1, depth = 0; at < text.length; at++) {
    if (text.startsWith('${', at)) depth++
    else if (text[at] === '}' && depth > 0) depth--
    else if (text[at] === quote && depth === 0) return text.slice(from + 1, at)
  }
  return ''
}

/** The paths that a literal may stand for, without a query: each value is {}, a choice of two words is both of them. */
function spellings(literal: string, text: string): string[] {
  const open = literal.indexOf('${')
  if (open < 0) return literal === '' ? [] : [literal.replace(/\?.*$/, '')]
  const close = closing(literal, open)
  const [inside, rest] = [literal.slice(open + 2, close), spellings(literal.slice(close + 1), text)]
  const choice = /\? '([^']*)' : '([^']*)'$/.exec(inside)
  const middle =
    inside === 'path' ? spellings(literalAt(text, -1), text) : choice ? [String(choice[1]), String(choice[2])] : ['{}']
  const before = literal.slice(0, open)
  return before.includes('?')
    ? [before.replace(/\?.*$/, '')]
    : middle.flatMap((one) =>
        (rest.length === 0 ? [''] : rest).map((end) => `${before}${one}${end}`.replace(/\?.*$/, '')),
      )
}

const closing = (literal: string, open: number): number => {
  for (let at = open + 2, depth = 1; at < literal.length; at++) {
    if (literal[at] === '{') depth++
    if (literal[at] === '}' && --depth === 0) return at
  }
  throw new Error(`a brace is not closed in ${literal}`)
}
