// How the page looks and is used: without colour, on a phone, in the dark, by keyboard.
import assert from 'node:assert/strict'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { giveTunnels, seen, signedIn, startHost, type Host } from './support/host.ts'

describe('The look of the page', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => {
    host = await startHost()
    await giveTunnels(host, await host.setUp())
  })
  afterEach(() => host.close())

  const visitSignedIn = async (look: Look = {}): Promise<Visit> => signedIn(await visit(host, look))

  it('tells states apart by shape and word, not by colour alone', async () => {
    const { page } = await visitSignedIn()
    const marks = await page.locator('#tunnels .mark').evaluateAll((all) => all.map((one) => [one.textContent, one.querySelector('path')?.getAttribute('d')]))
    assert.deepEqual(new Set(marks.map(([word]) => word)), new Set(['up (GRE reports no carrier)', 'missing', 'down']))
    assert.equal(new Set(marks.map(([, outline]) => outline)).size, 3)
  })

  it('has no sideways scroll on a phone, and targets that a thumb hits', async () => {
    const { page } = await visitSignedIn({ viewport: PHONE })
    for (const width of [PHONE.width, 320]) {
      await page.setViewportSize({ ...PHONE, width })
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
    }
    const heights = await page.getByRole('button').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    for (const height of heights) assert.ok(height >= 44, `a button is ${height} px high`)
  })

  it('is dark where the operator\'s machine is', async () => {
    const { page } = await visitSignedIn({ colorScheme: 'dark' })
    const colours = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color])
    const [paper, ink] = colours.map((colour) => Math.max(...(colour.match(/\d+/g) ?? []).map(Number)))
    assert.ok(Number(paper) < 60 && Number(ink) > 200, `${colours}`)
  })

  it('shows where the keyboard is', async () => {
    const { page } = await visit(host)
    await seen(page, 'Sign in')
    const stops: string[] = []
    for (let n = 0; n < 6; n++) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate(focused))
    }
    assert.deepEqual(stops, ['Skip to content', 'Refresh', 'Username', 'Password', 'Show the password', 'Sign in'].map((name) => `${name}, outlined 3px`))
  })
})

/** Runs in the browser: what the keyboard is on, by its label or text, and how thick the line around it is. */
const focused = (): string => {
  const at = document.activeElement as HTMLInputElement
  const name = at.labels?.[0]?.textContent ?? at.textContent ?? ''
  return `${name.trim()}, outlined ${getComputedStyle(at).outlineWidth}`
}
