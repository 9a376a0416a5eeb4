// The folders of shared and of root-helper import one another in one direction: their graph has no cycle.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** A file that stands directly in its room is a node of its own, and so is each folder. */
function nodeOf(path: string): string {
  const folder = dirname(path)
  return folder.includes('/') ? folder : path
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const specifiers = [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gms)]
  return specifiers.flatMap(([, from, bare]) => {
    const specifier = from ?? bare ?? ''
    if (specifier.startsWith('.')) return [relative(ROOT, resolve(ROOT, dirname(path), specifier))]
    const [, room, inner] = /^@panel\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
    return room === undefined || inner === undefined ? [] : [`${room}/${inner}`]
  })
}

function graphOf(rooms: readonly string[]): Map<string, Set<string>> {
  const files = rooms.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => `${room}/${name}`),
  )
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const from = nodeOf(file)
    const to = graph.get(from) ?? new Set()
    graph.set(from, to)
    for (const imported of importsOf(file)) if (nodeOf(imported) !== from) to.add(nodeOf(imported))
  }
  return graph
}

/** The nodes of a cycle in their order, the first one at the end again; empty where there is none. */
function cycleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return []
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next)
      if (cycle.length > 0) return cycle
    }
    path.pop()
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const cycle = visit(node)
    if (cycle.length > 0) return cycle
  }
  return []
}

describe('The graph of the folders', () => {
  for (const room of ['shared', 'root-helper'])
    it(`of ${room} has no cycle`, () => {
      const graph = graphOf([room])
      assert.ok(graph.size > 5)
      assert.equal(cycleIn(graph).join(' -> '), '')
    })

  it('would show a cycle', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['b'])],
    ])
    assert.deepEqual(cycleIn(graph), ['b', 'c', 'b'])
  })
})
