// What the eye gets of a piece of the page, pixel by pixel.
import type { Locator, Page } from 'playwright-core'

/** Rows of pixels, each red, green and blue from 0 to 255. */
export type Picture = readonly (readonly (readonly [number, number, number])[])[]

export const pictureOf = async (piece: Locator): Promise<Picture> => {
  const png = await piece.screenshot()
  // The page itself may draw nothing that its policy does not know; a blank one beside it has no policy.
  const context = piece.page().context()
  const blank = context.pages().find((page) => page.url() === 'about:blank') ?? (await context.newPage())
  const { width, height, reported } = await blank.evaluate(decode, png.toString('base64'))
  const values = reported.split(' ').map(Number)
  const pixel = (at: number): [number, number, number] => [values[at] ?? 0, values[at + 1] ?? 0, values[at + 2] ?? 0]
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => pixel(4 * (y * width + x))))
}

/** Decodes an image into one string, which leaves the browser a hundred times as quickly as so many numbers. */
const decode = async (base64: string): Promise<{ width: number; height: number; reported: string }> => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
  const canvas = new OffscreenCanvas(image.width, image.height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw')
  context.drawImage(image, 0, 0)
  return {
    width: image.width,
    height: image.height,
    reported: context.getImageData(0, 0, image.width, image.height).data.join(' '),
  }
}

/** Whether any pixel is more than a shade of grey. */
export const isColoured = (picture: Picture): boolean =>
  picture.flat().some((pixel) => Math.max(...pixel) - Math.min(...pixel) > 8)

/** How light each pixel is, from 0 to 255. */
export const lightOf = (picture: Picture): number[][] =>
  picture.map((row) => row.map(([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue))

/**
 * What is drawn as against the ground, which the corner above shows: pixels nearer to the strongest than to the ground.
 */
export const inkOf = (picture: Picture): boolean[][] => {
  const light = lightOf(picture)
  const ground = light[0]?.[0] ?? 0
  const strength = Math.max(...light.flat().map((one) => Math.abs(one - ground)))
  return light.map((row) => row.map((one) => strength > 0 && Math.abs(one - ground) > strength / 2))
}

/** Shows the page without colours. */
export const withoutColours = async (page: Page): Promise<void> => {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' })
}
