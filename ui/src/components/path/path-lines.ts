// What is drawn of a picture of paths beside its hops: the lines between them, what stands on a line, and as much of a
// text as fits a hop.
import { HOP, type Edge, type Place } from './path-layout.ts'

type Point = readonly [x: number, y: number]
type Line = Pick<Edge, 'from' | 'via' | 'to' | 'straightAt'>
/** So much of the way between two stages is curved. */
const BEND = { across: 24, down: 16 }

const isForward = ({ from, to }: Line): boolean => from.x < to.x

/** The points where lines enter and leave a place. */
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

/**
 * The line from the end of one hop to the beginning of the next: straight past stages left out, and curved only near
 * the end where lines meet, so that none runs through what stands on another.
 */
export function curve(line: Line, isDown: boolean): string {
  const places = [line.from, ...line.via, line.to].map((place) => doors(place, line, isDown))
  return places
    .slice(1)
    .map(({ into }, at) => {
      const start = places[at]?.out ?? into
      const isAtEnd = at > 0 || line.straightAt === 'from'
      const knee = isAtEnd ? before(into, start, isDown) : before(start, into, isDown)
      return `${at === 0 ? 'M' : 'L'}${start.join(' ')}${
        isAtEnd ? `L${knee.join(' ')}${bend(knee, into, isDown)}` : `${bend(start, knee, isDown)}L${into.join(' ')}`
      }`
    })
    .join('')
}

/** The point as far from one end of a line as the line is curved there, at the height of the other end. */
function before([x, y]: Point, [otherX, otherY]: Point, isDown: boolean): Point {
  return isDown ? [otherX, y + Math.sign(otherY - y) * BEND.down] : [x + Math.sign(otherX - x) * BEND.across, otherY]
}

interface LabelPlace extends Place {
  readonly anchor: 'start' | 'middle' | 'end'
}

/** The place of a label: where the line is straight, above it or beside it, there on the side away from the curve. */
export function labelPlace(edge: Edge, isDown: boolean): LabelPlace {
  const [first, last] = [doors(edge.from, edge, isDown).out, doors(edge.via[0] ?? edge.to, edge, isDown).into]
  const [near, far] = edge.straightAt === 'from' ? [first, last] : [last, first]
  const [kneeX, kneeY] = before(far, near, isDown)
  if (!isDown) return { x: (near[0] + kneeX) / 2, y: near[1] - 6, anchor: 'middle' }
  const y = (near[1] + kneeY) / 2 + 4
  return near[0] < far[0] ? { x: near[0] - 8, y, anchor: 'end' } : { x: near[0] + 8, y, anchor: 'start' }
}

const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]/
const widthOf = (letter: string): number => (WIDE.test(letter) ? 1 : 0.61)
const MARGIN = 8

/** The part of a text of this size that a hop has room for. */
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
