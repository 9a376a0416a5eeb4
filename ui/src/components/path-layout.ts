// Where the hops of paths stand in a picture: one column a stage, and what paths share once.
import { worse, type State, type StateLabel } from './state.ts'

export interface Hop {
  /** Hops of one key are one, whichever paths they are on. */
  readonly key: string
  /** Its column, from 0. A path may leave out stages. */
  readonly stage: number
  readonly label: string
  /** "": the word of its state stands there. */
  readonly detail: string
  readonly condition: StateLabel
  /** The page about it. */
  readonly to?: string
}

/** From one hop to the next. */
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
  /** Its upper left corner. */
  readonly x: number
  readonly y: number
}

export interface Edge extends Leg {
  readonly key: string
  readonly from: Placed
  readonly to: Placed
}

export interface Picture extends Size {
  readonly hops: readonly Placed[]
  readonly edges: readonly Edge[]
}

export const HOP: Size = { width: 134, height: 50 }
/** Between stages and between lanes, in the picture's own units. */
const BETWEEN = { stages: { across: 54, down: 34 }, lanes: 14 }

/** `isDown`: stages stand under each other, for a narrow place; else side by side, from left to right. */
export function layOut(paths: readonly Path[], isDown: boolean): Picture {
  const along = isDown ? HOP.height + BETWEEN.stages.down : HOP.width + BETWEEN.stages.across
  const across = (isDown ? HOP.width : HOP.height) + BETWEEN.lanes
  const stages = [...new Set(paths.flatMap(({ hops }) => hops.map(({ stage }) => stage)))].sort((a, b) => a - b)
  const placed = new Map<string, Placed>()
  for (const [column, stage] of stages.entries())
    for (const { hop, lane } of lanesOf(paths, stage)) {
      const [main, cross] = [column * along, lane * across]
      placed.set(hop.key, { ...hop, x: isDown ? cross : main, y: isDown ? main : cross })
    }
  const hops = [...placed.values()]
  return {
    hops,
    edges: edgesOf(paths, placed),
    width: Math.max(0, ...hops.map(({ x }) => x + HOP.width)),
    height: Math.max(0, ...hops.map(({ y }) => y + HOP.height)),
  }
}

/** Each path has a lane; a hop that paths share stands amid theirs, and none stands on another. */
function lanesOf(paths: readonly Path[], stage: number): { hop: Hop; lane: number }[] {
  const found = new Map<string, { hop: Hop; lanes: number[] }>()
  for (const [lane, { hops }] of paths.entries())
    for (const hop of hops.filter((one) => one.stage === stage)) {
      const before = found.get(hop.key)
      if (before) before.lanes.push(lane)
      else found.set(hop.key, { hop, lanes: [lane] })
    }
  const wanted = [...found.values()]
    .map(({ hop, lanes }) => ({ hop, lane: lanes.reduce((sum, lane) => sum + lane, 0) / lanes.length }))
    .sort((one, other) => one.lane - other.lane)
  let free = 0
  return wanted.map(({ hop, lane }) => {
    const taken = Math.max(lane, free)
    free = taken + 1
    return { hop, lane: taken }
  })
}

function edgesOf(paths: readonly Path[], placed: ReadonlyMap<string, Placed>): Edge[] {
  const edges = new Map<string, Edge>()
  for (const { hops, legs } of paths)
    for (const [at, leg] of legs.entries()) {
      const [from, to] = [placed.get(hops[at]?.key ?? ''), placed.get(hops[at + 1]?.key ?? '')]
      if (!from || !to) throw new RangeError('A path has more legs than it has hops to join')
      const key = `${from.key} ${to.key}`
      const before = edges.get(key)
      edges.set(key, before ? { ...before, state: worse(before.state, leg.state) } : { ...leg, key, from, to })
    }
  return [...edges.values()]
}

/** A curve from the end of one hop to the beginning of the next. */
export function curve({ from, to }: Pick<Edge, 'from' | 'to'>, isDown: boolean): string {
  if (isDown) {
    const [x, y, endX, endY] = [from.x + HOP.width / 2, from.y + HOP.height, to.x + HOP.width / 2, to.y]
    const middle = (y + endY) / 2
    return `M${x} ${y}C${x} ${middle} ${endX} ${middle} ${endX} ${endY}`
  }
  const isForward = from.x < to.x
  const [x, y] = [from.x + (isForward ? HOP.width : 0), from.y + HOP.height / 2]
  const [endX, endY] = [to.x + (isForward ? 0 : HOP.width), to.y + HOP.height / 2]
  const middle = (x + endX) / 2
  return `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`
}

/** For a page that is read from right to left. */
export const mirrored = ({ hops, edges, ...size }: Picture): Picture => {
  const turn = (hop: Placed): Placed => ({ ...hop, x: size.width - hop.x - HOP.width })
  return {
    ...size,
    hops: hops.map(turn),
    edges: edges.map((edge) => ({ ...edge, from: turn(edge.from), to: turn(edge.to) })),
  }
}
