// What stands on the lines of a picture of paths, and what lies over it.
import type { Page } from 'playwright-core'

type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** The labels that a line of the picture runs through, or that stand on a hop or on another label. */
export async function coveredLabels(page: Page): Promise<string[]> {
  const labels = page.locator('figure svg .on-edge')
  const boxes = await labels.evaluateAll(boxesOf)
  const others = [
    ...(await page.locator('figure svg path.line').evaluateAll(pointsOf)),
    ...(await page.locator('figure svg .hop rect').evaluateAll(boxesOf)),
  ]
  const texts = await labels.allTextContents()
  return texts.filter((_, at) => {
    const box = boxes[at]
    return box && [...others, ...boxes.filter((one) => one !== box)].some((one) => meet(box, one))
  })
}

const meet = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Runs in the browser. */
const boxesOf = (all: Element[]): Box[] => all.map((one) => one.getBoundingClientRect().toJSON() as Box)

/** Runs in the browser: points along lines, each as a box without a size. */
const pointsOf = (lines: Element[]): Box[] =>
  (lines as SVGPathElement[]).flatMap((line) =>
    Array.from({ length: Math.ceil(line.getTotalLength()) + 1 }, (_, at) => {
      const { x, y } = line.getPointAtLength(at).matrixTransform(line.getScreenCTM() ?? undefined)
      return { left: x, right: x, top: y, bottom: y }
    }),
  )
