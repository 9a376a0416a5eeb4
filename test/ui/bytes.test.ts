// What the page weighs, against the limits of its design. Times are judged by hand: npm run budgets.
import assert from 'node:assert/strict'
import { ROUTES } from '../../ui/src/core/routes.ts'
import { launch, visitWith } from './support/browser.ts'
import { firstPages, startHostWithFew, watchRarely, type FirstPage } from './support/first-pages.ts'
import { signedIn, startHost } from './support/host.ts'
import { chartSize, firstLoad, LIMITS, routeSizes } from './support/sizes.ts'

const atMost = (measured: number, limit: number, what: string): void =>
  assert.ok(measured > 0 && measured <= limit, `${what} has ${measured.toFixed(1)} KB, and ${limit} are the most`)

describe('What the page weighs', function () {
  it('is within its limit in what every page loads first, and in the library that draws charts', () => {
    atMost(firstLoad(), LIMITS.first_load, 'the first load')
    atMost(chartSize(), LIMITS.chart, 'the library that draws charts')
  })

  it('is within its limit in the chunk of each page', () => {
    for (const { path, size } of routeSizes()) atMost(size, LIMITS.route, path)
  })

  it('is within its limit where the overview of the first hour is the first page that a browser opens', async () => {
    const browser = await launch()
    const host = await startHost()
    try {
      await watchRarely(host, await host.setUp())
      const [one] = await firstPages(browser, host, await signedIn(await visitWith(browser, host)), ['/'])
      assert.ok(one?.parts.some((part) => part.includes('/FirstHour-')) === true)
      atMost(one?.page ?? 0, LIMITS.first_page, `the overview, of which the parts are ${one?.parts.join(', ')},`)
    } finally {
      await host.close()
      await browser.close()
    }
  })

  describe('on a day with a tunnel and a rule', () => {
    let found: FirstPage[]
    before(async () => {
      const browser = await launch()
      const host = await startHostWithFew()
      try {
        found = await firstPages(browser, host, await signedIn(await visitWith(browser, host)))
      } finally {
        await host.close()
        await browser.close()
      }
    })

    for (const { path } of ROUTES)
      it(`is within its limit where ${path} is the first page that a browser opens`, () => {
        const one = found.find((candidate) => candidate.path === path)
        const limit = LIMITS.first_page + (path === '/system/api' ? LIMITS.api : 0)
        atMost(one?.page ?? 0, limit, `${path}, of which the parts are ${one?.parts.join(', ')},`)
      })
  })
})
