// Where the hops of paths stand in a picture: one column a stage, and what paths share once.
import { worse, type State, type StateLabel } from '../state.ts'

export interface Hop {
  /** Hops of one key are one, whichever paths they are on. */
  readonly key: string
  /** The number of its column, from 0. A path may leave out stages. */
  readonly stage: number
  readonly label: string
  /** "": the word of its state stands there. */
  readonly detail: string
  /** The detail is the name of an interface. */
  readonly isDetailCode?: true
  readonly condition: StateLabel
  /** Figures can stand on the lines into it, which are longer then. */
  readonly hasFigures?: boolean
  /** The page about it. */
  readonly to?: string
}

/** A line between two hops. */
export interface Leg {
  /** Some ten characters, for the picture; "" is nothing. */
  readonly label: string
  /** The same in words. */
  readonly text: string
  readonly state: State
}

export interface Path {
  readonly title: string
  readonly hops: readonly Hop[]
  /** One fewer than hops. */
  readonly legs: readonly Leg[]
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Placed extends Hop {
  /** The upper left corner is at x and y. */
  readonly x: number
  readonly y: number
}

export type Place = Pick<Placed, 'x' | 'y'>

export interface Edge extends Leg {
  readonly key: string
  readonly from: Placed
  /** Places as large as hops, where the line leads past the stages that its paths leave out. */
  readonly via: readonly Place[]
  readonly to: Placed
  /** The end at which its first part is straight and its label stands: the one where lines lie apart. */
  readonly straightAt: 'from' | 'to'
}

export interface Picture extends Size {
  readonly hops: readonly Placed[]
  readonly edges: readonly Edge[]
}

export const HOP: Size = { width: 134, height: 50 }
/** Between stages and between lanes, in the picture's own units. */
const BETWEEN = { stages: { across: 46, figures: 96, down: 34 }, lanes: 14 }

/** `isDown`: stages stand under each other, for a narrow place; else side by side, from left to right. */
export function layOut(paths: readonly Path[], isDown: boolean): Picture {
  const across = (isDown ? HOP.width : HOP.height) + BETWEEN.lanes
  const stages = [...new Set(paths.flatMap(({ hops }) => hops.map(({ stage }) => stage)))].sort((a, b) => a - b)
  const placed = new Map<string, Placed>()
  const passing = new Map<string, Place>()
  let after = 0
  for (const [column, stage] of stages.entries()) {
    const here = lanesOf(paths, stage)
    const main = column === 0 ? 0 : after + gapBefore(here, isDown)
    after = main + (isDown ? HOP.height : HOP.width)
    for (const { hop, key, lane } of here) {
      const cross = lane * across
      const place = { x: isDown ? cross : main, y: isDown ? main : cross }
      if (hop) placed.set(key, { ...hop, ...place })
      else passing.set(key, place)
    }
  }
  const hops = [...placed.values()]
  return {
    hops,
    edges: edgesOf(paths, { placed, passing, stages }),
    width: Math.max(0, ...hops.map(({ x }) => x + HOP.width)),
    height: Math.max(0, ...hops.map(({ y }) => y + HOP.height)),
  }
}

function gapBefore(stage: readonly { hop: Hop | null }[], isDown: boolean): number {
  const { across, figures, down } = BETWEEN.stages
  if (isDown) return down
  return stage.some(({ hop }) => hop?.hasFigures) ? figures : across
}

/** What a path has at a stage: a hop, or room to lead past it; nothing before its first and after its last. */
function standsAt({ hops }: Path, stage: number): { key: string; hop: Hop | null } | null {
  const hop = hops.find((one) => one.stage === stage)
  if (hop) return { key: hop.key, hop }
  const next = hops.findIndex((one) => one.stage > stage)
  const [before, after] = [hops[next - 1], hops[next]]
  return before && after ? { key: passKey(before, after, stage), hop: null } : null
}

const passKey = (from: Hop, to: Hop, stage: number): string => `${from.key} ${to.key} ${stage}`

/** Each path has a lane; what paths share stands amid theirs, and nothing stands on another. */
function lanesOf(paths: readonly Path[], stage: number): { key: string; hop: Hop | null; lane: number }[] {
  const found = new Map<string, { key: string; hop: Hop | null; lanes: number[] }>()
  for (const [lane, path] of paths.entries()) {
    const here = standsAt(path, stage)
    if (here) found.set(here.key, { ...here, lanes: [...(found.get(here.key)?.lanes ?? []), lane] })
  }
  const wanted = [...found.values()]
    .map(({ lanes, ...here }) => ({ ...here, lane: lanes.reduce((sum, lane) => sum + lane, 0) / lanes.length }))
    .sort((one, other) => one.lane - other.lane)
  let free = 0
  return wanted.map((here) => {
    const lane = Math.max(here.lane, free)
    free = lane + 1
    return { ...here, lane }
  })
}

interface Places {
  readonly placed: ReadonlyMap<string, Placed>
  readonly passing: ReadonlyMap<string, Place>
  readonly stages: readonly number[]
}

function edgesOf(paths: readonly Path[], { placed, passing, stages }: Places): Edge[] {
  const edges = new Map<string, Omit<Edge, 'straightAt'>>()
  for (const { hops, legs } of paths)
    for (const [at, leg] of legs.entries()) {
      const [from, to] = [placed.get(hops[at]?.key ?? ''), placed.get(hops[at + 1]?.key ?? '')]
      if (!from || !to) throw new RangeError('A path has more legs than it has hops to join')
      const key = `${from.key} ${to.key}`
      const before = edges.get(key)
      const via = stages.flatMap((stage) => passing.get(passKey(from, to, stage)) ?? [])
      edges.set(key, before ? { ...before, state: worse(before.state, leg.state) } : { ...leg, key, from, via, to })
    }
  return straightened([...edges.values()])
}

/** Between two stages, lines lie apart on the side of more hops. */
function straightened(edges: readonly Omit<Edge, 'straightAt'>[]): Edge[] {
  const sides = new Map<number, { from: Set<string>; to: Set<string> }>()
  for (const { from, via, to, key } of edges) {
    const gap = sides.get(from.stage) ?? { from: new Set(), to: new Set() }
    gap.from.add(from.key)
    gap.to.add(via.length > 0 ? key : to.key)
    sides.set(from.stage, gap)
  }
  return edges.map((edge) => {
    const { from, to } = sides.get(edge.from.stage) ?? { from: new Set(), to: new Set() }
    return { ...edge, straightAt: edge.via.length > 0 || to.size > from.size ? 'to' : 'from' }
  })
}

/** For a page that is read from right to left. */
export const mirrored = ({ hops, edges, ...size }: Picture): Picture => {
  const turn = <P extends Place>(place: P): P => ({ ...place, x: size.width - place.x - HOP.width })
  return {
    ...size,
    hops: hops.map((hop) => turn(hop)),
    edges: edges.map((edge) => ({
      ...edge,
      from: turn(edge.from),
      via: edge.via.map((place) => turn(place)),
      to: turn(edge.to),
    })),
  }
}
