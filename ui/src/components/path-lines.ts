// What is drawn of a picture of paths beside its hops: the lines between them, what stands on a line, and as much of a text
// as fits a hop.
import { HOP, type Edge, type Place } from './path-layout.ts'

type Point = readonly [x: number, y: number]
type Line = Pick<Edge, 'from' | 'via' | 'to'>

const isForward = ({ from, to }: Line): boolean => from.x < to.x

/** Where lines enter and leave a place. */
function doors({ x, y }: Place, line: Line, isDown: boolean): { into: Point; out: Point } {
  if (isDown) return { into: [x + HOP.width / 2, y], out: [x + HOP.width / 2, y + HOP.height] }
  const [left, right]: [Point, Point] = [
    [x, y + HOP.height / 2],
    [x + HOP.width, y + HOP.height / 2],
  ]
  return isForward(line) ? { into: left, out: right } : { into: right, out: left }
}

function bend([x, y]: Point, [endX, endY]: Point, isDown: boolean): string {
  const [middleX, middleY] = [(x + endX) / 2, (y + endY) / 2]
  return isDown
    ? `C${x} ${middleY} ${endX} ${middleY} ${endX} ${endY}`
    : `C${middleX} ${y} ${middleX} ${endY} ${endX} ${endY}`
}

/** From the end of one hop to the beginning of the next: curved between stages, and straight past those left out. */
export function curve(line: Line, isDown: boolean): string {
  const places = [line.from, ...line.via, line.to].map((place) => doors(place, line, isDown))
  return places
    .slice(1)
    .map(({ into }, at) => {
      const start = places[at]?.out ?? into
      return `${at === 0 ? 'M' : 'L'}${start.join(' ')}${bend(start, into, isDown)}`
    })
    .join('')
}

interface LabelPlace extends Place {
  readonly anchor: 'start' | 'middle' | 'end'
}

/**
 * Of what stands on a line: in the gap beside the hop that has fewer of them, where lines lie apart, and there on the
 * side away from the curve.
 */
export function labelPlace(edge: Edge, edges: readonly Edge[], isDown: boolean): LabelPlace {
  const leaving = edges.filter(({ from }) => from.key === edge.from.key).length
  const arriving = edges.filter(({ to }) => to.key === edge.to.key).length
  const [first, last] = [doors(edge.from, edge, isDown).out, doors(edge.via[0] ?? edge.to, edge, isDown).into]
  const [x, y] = [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2]
  const [nearX, nearY] = leaving === arriving ? [x, y] : leaving < arriving ? first : last
  if (!isDown) return { x, y: nearY - 6, anchor: 'middle' }
  return nearX < x ? { x: nearX - 8, y: y + 4, anchor: 'end' } : { x: nearX + 8, y: y + 4, anchor: 'start' }
}

const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]/
const widthOf = (letter: string): number => (WIDE.test(letter) ? 1 : 0.61)
const MARGIN = 8

/** As much of a text of this size as a hop has room for. */
export function fitting(text: string, size: number): string {
  const room = (HOP.width - MARGIN) / size
  const letters = [...text]
  if (letters.reduce((sum, letter) => sum + widthOf(letter), 0) <= room) return text
  let [taken, width] = ['', widthOf('…')]
  for (const letter of letters) {
    width += widthOf(letter)
    if (width > room) break
    taken += letter
  }
  return `${taken}…`
}
