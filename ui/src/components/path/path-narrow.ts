// A picture of paths for a narrow place: as many side by side as fit, and the next ones below them.
import { layOut, type Edge, type Path, type Picture, type Placed } from './path-layout.ts'

const BETWEEN = 36

export function layOutNarrow(paths: readonly Path[], room: number): Picture {
  const parts = fitting(paths, room).map((some) => layOut(some, true))
  let top = 0
  const moved = parts.map((part, at) => {
    const below = top
    top += part.height + BETWEEN
    return lowered(part, below, `${at} `)
  })
  return {
    hops: moved.flatMap(({ hops }) => hops),
    edges: moved.flatMap(({ edges }) => edges),
    width: Math.max(0, ...parts.map(({ width }) => width)),
    height: Math.max(0, top - BETWEEN),
  }
}

/** In their order; a path alone is as narrow as a picture can be. */
function fitting(paths: readonly Path[], room: number): Path[][] {
  const parts: Path[][] = []
  for (const path of paths) {
    const last = parts.at(-1)
    if (last && layOut([...last, path], true).width <= room) last.push(path)
    else parts.push([path])
  }
  return parts
}

function lowered({ hops, edges }: Picture, by: number, prefix: string): Pick<Picture, 'hops' | 'edges'> {
  const lower = (hop: Placed): Placed => ({ ...hop, key: prefix + hop.key, y: hop.y + by })
  return {
    hops: hops.map(lower),
    edges: edges.map((edge): Edge => ({
      ...edge,
      key: prefix + edge.key,
      from: lower(edge.from),
      via: edge.via.map(({ x, y }) => ({ x, y: y + by })),
      to: lower(edge.to),
    })),
  }
}
