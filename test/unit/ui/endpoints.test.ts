// The page covers the whole interface, so that an operator never needs another client. That it calls no endpoint that
// is not there, and each as it is,
// is for the compiler: its client takes the names of endpoints alone (shared/api/endpoints.ts). What remains is that it
// calls every one.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import type { EndpointName } from '@panel/shared/api/endpoints.ts'
import { startPanel } from '../../api/support/panel.ts'

const PAGE = fileURLToPath(new URL('../../../ui/src', import.meta.url))

/** What the page says and does without these. */
const OTHERWISE: Readonly<Partial<Record<EndpointName, string>>> = {
  'POST /desired': 'a file is applied where it is kept, by the command line',
  'GET /desired/export': 'a file is made by the command line',
  'GET /routes/traffic/summary': 'the stream of the metrics and the list of rules tell all of it',
  'GET /routes/{id}/destinations': 'the rule has them',
  'POST /routes/{id}/destinations': 'the editor sends the list with the rule',
  'DELETE /routes/{id}/destinations': 'the editor sends the list with the rule',
  'GET /routes/{id}/allowed-sources': 'the rule has them',
  'POST /routes/{id}/allowed-sources': 'the editor sends the list with the rule',
  'DELETE /routes/{id}/allowed-sources': 'the editor sends the list with the rule',
  'GET /tunnels/{id}/addresses': 'the tunnel has them',
}

/** The files in which a request leaves the page. */
const CLIENT = ['core/api.ts', 'core/stream.svelte.ts']
const SENDERS = ['fetch', 'EventSource', 'XMLHttpRequest', 'WebSocket', 'sendBeacon']

describe('The sources of the page', () => {
  const sources = filesIn(PAGE).map(sourceOf)

  it('call every endpoint of the interface, but for those that they do without, and name none that is not there', async () => {
    const panel = await startPanel()
    const served = panel.endpoints.map(({ route }): string => route)
    await panel.close()
    const called = new Set(sources.flatMap(({ texts }) => texts).filter((text) => /^[A-Z]+ \//.test(text)))
    assert.deepEqual([...called].filter((route) => !served.includes(route)).sort(), [], 'there is no such endpoint')
    assert.deepEqual(served.filter((route) => !called.has(route)).sort(), Object.keys(OTHERWISE).sort())
  })

  it('send nothing but through the client that the table of endpoints types', () => {
    const senders = sources.filter(({ names }) => SENDERS.some((sender) => names.has(sender)))
    assert.deepEqual(senders.map(({ file }) => file).sort(), CLIENT)
  })
})

interface Source {
  readonly file: string
  readonly texts: readonly string[]
  /** The names of functions and classes, whether of this file or not. */
  readonly names: ReadonlySet<string>
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => join(folder, name))
}

function sourceOf(path: string): Source {
  const source = readFileSync(path, 'utf8')
  const found = path.endsWith('.svelte') ? inComponent(source) : inModule(source)
  return { file: relative(PAGE, path), ...found }
}

function inModule(source: string): Omit<Source, 'file'> {
  const [texts, names] = [[] as string[], new Set<string>()]
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) texts.push(node.text)
    if (ts.isIdentifier(node)) names.add(node.text)
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('page.ts', source, ts.ScriptTarget.Latest))
  return { texts, names }
}

/** Script and markup alike: both are ESTree. */
function inComponent(source: string): Omit<Source, 'file'> {
  const [texts, names] = [[] as string[], new Set<string>()]
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value, name } = node as Readonly<Record<string, unknown>>
    if (type === 'Literal' && typeof value === 'string') texts.push(value)
    if (type === 'Identifier' && typeof name === 'string') names.add(name)
    Object.values(node).forEach(visit)
  }
  visit(parse(source, { modern: true }))
  return { texts, names }
}
