// npm run picture: draws the imports between the folders of the repository into .build/imports.txt and
// .build/imports.svg, from the bottom layer up.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../packaging/build/build.ts'
import { findCycle, graphOf, layersOf, readImports, webDaemonFolder, type Graph } from './import-graph.ts'

const ROOMS = ['shared', 'root-helper', 'web-daemon', 'ui']

/** A folder of a room; its loose files together are a node with the name of the room. */
function folderOf(path: string): string {
  const inWeb = webDaemonFolder(path)
  if (inWeb !== null) return `web-daemon/${inWeb.replace(/^platform\/.*\.ts$/, 'platform')}`
  const [room = '', ...rest] = path.replace('/src/', '/').split('/')
  return rest.length > 1 ? `${room}/${rest[0]}` : room
}

function asText(graph: Graph, layers: readonly string[][]): string {
  const cycle = findCycle(graph)
  const lines = layers.flatMap((layer, at) => [
    `layer ${at}`,
    ...layer.map((node) => `  ${node}${importsOf(graph, node)}`),
    '',
  ])
  return [...lines, cycle ? `cycle: ${cycle.join(' -> ')}` : 'no cycle', ''].join('\n')
}

const importsOf = (graph: Graph, node: string): string => {
  const imported = [...(graph.get(node) ?? [])].sort()
  return imported.length === 0 ? '' : ` -> ${imported.join(', ')}`
}

const [BOX_WIDTH, BOX_HEIGHT, GAP, LAYER_HEIGHT] = [170, 24, 16, 110]

/** Boxes in rows, the bottom layer last; a line goes from the importer down to what it imports. */
function asSvg(graph: Graph, layers: readonly string[][]): string {
  const width = Math.max(...layers.map((layer) => layer.length)) * (BOX_WIDTH + GAP) + GAP
  const height = layers.length * LAYER_HEIGHT
  const places = new Map(
    layers.flatMap((layer, row) =>
      layer.map((node, column) => {
        const left = (width - layer.length * (BOX_WIDTH + GAP) + GAP) / 2
        return [node, { x: left + column * (BOX_WIDTH + GAP), y: height - (row + 1) * LAYER_HEIGHT + GAP }] as const
      }),
    ),
  )
  const lines = [...graph].flatMap(([importer, imported]) =>
    [...imported].flatMap((node) => {
      const [from, to] = [places.get(importer), places.get(node)]
      if (!from || !to) return []
      return `<line x1="${from.x + BOX_WIDTH / 2}" y1="${from.y + BOX_HEIGHT}" x2="${to.x + BOX_WIDTH / 2}" y2="${to.y}"/>`
    }),
  )
  const boxes = [...places].map(
    ([node, { x, y }]) =>
      `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="4"/><text x="${x + BOX_WIDTH / 2}" y="${y + 16}">${node}</text>`,
  )
  const style = 'line{stroke:#8888} rect{fill:#fff;stroke:#333} text{font:11px sans-serif;text-anchor:middle}'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><style>${style}</style>${lines.join('')}${boxes.join('')}</svg>\n`
}

const graph = graphOf(await readImports(...ROOMS), folderOf)
const layers = layersOf(graph)
mkdirSync(join(ROOT, '.build'), { recursive: true })
writeFileSync(join(ROOT, '.build/imports.txt'), asText(graph, layers))
writeFileSync(join(ROOT, '.build/imports.svg'), asSvg(graph, layers))
console.log('Written: .build/imports.txt and .build/imports.svg')
