// The imports between files of the repository, as dependency-cruiser finds them, and queries of them as a graph of
// folders.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../packaging/build/build.ts'
import { BIN, WALLS } from './tools.ts'

/** Paths from the root of the repository. */
export interface Import {
  readonly from: string
  readonly to: string
}

/** What each node imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

interface Cruise {
  readonly modules: readonly {
    readonly source: string
    readonly dependencies: readonly { readonly resolved: string }[]
  }[]
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string }
      readonly from: string
      readonly to: string
    }[]
  }
}

let cruised: Promise<Cruise> | undefined

/** Reads all rooms once: it takes ten seconds. */
const cruise = (): Promise<Cruise> => (cruised ??= cruiseAll())

async function cruiseAll(): Promise<Cruise> {
  const [depcruise, ...args] = WALLS
  const command = [...args, '--output-type', 'json']
  const { stdout } = await promisify(execFile)(join(BIN, depcruise), command, { cwd: ROOT, maxBuffer: 1 << 28 })
  return JSON.parse(stdout) as Cruise
}

/** Returns each import that the walls forbid, with the name of the wall. */
export async function readBreaches(): Promise<string[]> {
  const { summary } = await cruise()
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`)
}

/**
 * The imports, types included, of the files in these rooms and of what they import; packages and Node's own modules are
 * left out.
 */
export async function readImports(...rooms: string[]): Promise<Import[]> {
  const { modules } = await cruise()
  const importsOf = new Map(modules.map(({ source, dependencies }) => [source, dependencies]))
  const files = new Set([...importsOf.keys()].filter((path) => rooms.some((room) => path.startsWith(`${room}/`))))
  // What is added here is visited too.
  for (const path of files) for (const { resolved } of importsOf.get(path) ?? []) files.add(resolved)
  return [...files]
    .flatMap((from) => (importsOf.get(from) ?? []).map(({ resolved }) => ({ from, to: resolved })))
    .filter(({ from, to }) => importsOf.has(to) && isSource(from) && isSource(to))
}

const isSource = (path: string): boolean => /\.(ts|svelte)$/.test(path) && !path.includes('node_modules')

/** `nodeOf` gives null for a file that is no part of the graph. Imports inside one node are left out. */
export function graphOf(imports: readonly Import[], nodeOf: (path: string) => string | null): Graph {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [importer, imported] = [nodeOf(from), nodeOf(to)]
    for (const node of [importer, imported]) if (node !== null && !graph.has(node)) graph.set(node, new Set())
    if (importer !== null && imported !== null && importer !== imported) graph.get(importer)?.add(imported)
  }
  return graph
}

/**
 * The layers from the bottom up: each node imports only from layers below its own. Nodes that are part of a cycle, or
 * above one, are in none.
 */
export function layersOf(graph: Graph): string[][] {
  const layers: string[][] = []
  const placed = new Set<string>()
  for (;;) {
    const layer = [...graph.keys()].filter(
      (node) => !placed.has(node) && [...(graph.get(node) ?? [])].every((imported) => placed.has(imported)),
    )
    if (layer.length === 0) return layers
    layers.push(layer.sort())
    for (const node of layer) placed.add(node)
  }
}

/** One cycle as a path from a node back to itself, or null. */
export function findCycle(graph: Graph): string[] | null {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return null
    for (const imported of graph.get(node) ?? []) {
      const cycle = visit(imported, [...path, node])
      if (cycle) return cycle
    }
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle) return cycle
  }
  return null
}

/**
 * The folders of the web daemon as it is drawn: app, platform/*, change, features/*, cli. A file directly in platform
 * is a node of its own.
 */
export function webDaemonFolder(path: string): string | null {
  const [room, folder = '', inner = ''] = path.split('/')
  if (room !== 'web-daemon') return null
  return folder === 'features' || folder === 'platform' ? `${folder}/${inner}` : folder
}
