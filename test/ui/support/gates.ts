// What every page must keep to whatever a test is about: its policy, a quiet console, its own origin, no long
// standstill, and accessibility.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'
import type { AxeResults } from 'axe-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/**
 * Wall time, of which a busy machine makes ten times as much: what is less is for npm run budgets, which counts time on
 * the processor.
 */
const STANDSTILL_MS = 2000
const WCAG_2_2_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface Gates {
  /**
   * The test wants this answer (0: none), of which the browser complains on the console; that it never comes is a
   * finding too.
   */
  readonly expectAnswer: (status: number, path: string) => void
  /** A line on the console, with the path of what it is about, that is the browser's own business in this test. */
  readonly allowConsole: (line: RegExp) => void
  /** What has been found so far, and what axe says of the page as it is now. */
  readonly findings: () => Promise<string[]>
}

/** Before the page is opened. */
export const watch = async (context: BrowserContext, page: Page, origin: string): Promise<Gates> => {
  const found: string[] = []
  const expected: string[] = []
  const allowed: RegExp[] = []
  const take = (answer: string): boolean =>
    expected.includes(answer) && expected.splice(expected.indexOf(answer), 1).length === 1
  await context.exposeFunction('reportFinding', (what: string) => void found.push(what))
  await context.addInitScript(reportViolations)
  await context.addInitScript(reportStandstills, STANDSTILL_MS)
  page.on('pageerror', (error) => void found.push(`page error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const { url } = message.location()
    const line = `${message.text()} ${URL.canParse(url) ? new URL(url).pathname : ''}`
    if (!take(answerIn(message.text(), url)) && !allowed.some((pattern) => pattern.test(line)))
      found.push(`console ${message.type()}: ${message.text()} (${url})`)
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin) found.push(`request off-origin: ${url.href}`)
  })
  return {
    expectAnswer: (status, path) => void expected.push(`${status} ${path}`),
    allowConsole: (line) => void allowed.push(line),
    findings: async () => {
      const accessibility = await axe(page)
      return [
        ...found,
        ...accessibility,
        ...expected.map((answer) => `expected an answer that did not come: ${answer}`),
      ]
    },
  }
}

interface Watched {
  readonly reportFinding: (what: string) => void
  /** The page's own clock, whatever a test puts in its place. */
  readonly trueNow: () => number
  /** When the gates themselves kept the page busy. */
  readonly judged: { readonly from: number; to: number }[]
}

/** Runs in the browser, before anything of the page. */
const reportViolations = (): void => {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
    const { reportFinding } = window as unknown as Watched
    reportFinding(`CSP violation: ${effectiveDirective} ${blockedURI} ${sample}`)
  })
}

/** Likewise. What the page does until it is loaded is the matter of the budgets alone. */
const reportStandstills = (most: number): void => {
  const parts: Omit<Watched, 'reportFinding'> = { trueNow: performance.now.bind(performance), judged: [] }
  const { trueNow, judged } = Object.assign(window, parts)
  let loaded = Infinity
  addEventListener('load', () => (loaded = trueNow()))
  new PerformanceObserver((list) => {
    const { reportFinding } = window as unknown as Watched
    for (const { startTime, duration } of list.getEntries()) {
      const isOurs = judged.some(({ from, to }) => startTime < to && startTime + duration > from)
      if (startTime > loaded && duration > most && !isOurs)
        reportFinding(
          `standstill of ${Math.round(duration)} ms, ${Math.round(startTime - loaded)} ms after the page was loaded`,
        )
    }
  }).observe({ type: 'longtask' })
}

/** The answer, such as `401 /auth/login`, with 0 for no answer at all; "" if the line is about something else. */
const answerIn = (text: string, url: string): string => {
  const [failed, status = '0'] =
    /^Failed to load resource: (?:the server responded with a status of (\d+)|net::ERR_CONNECTION_REFUSED)/.exec(
      text,
    ) ?? []
  return failed === undefined ? '' : `${status} ${new URL(url).pathname.replace(/^.*\/api\/v1/, '')}`
}

/** The debugger's own way in: no policy of the page stands against it, and none has to be loosened for it. */
const axe = async (page: Page): Promise<string[]> => {
  // What lies half under the header while the page scrolls would count as a target that is too small.
  await page.evaluate(() => scrollTo(0, 0))
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: 'judged.push({ from: trueNow(), to: Infinity })' })
  await debug.send('Runtime.evaluate', { expression: AXE })
  // A test may have taken the server away, where axe would fetch the style sheets a second time to look into them.
  const options = { runOnly: WCAG_2_2_AA, resultTypes: ['violations'], preload: false }
  const { result } = await debug.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)})`,
    awaitPromise: true,
    returnByValue: true,
  })
  await debug.send('Runtime.evaluate', { expression: 'judged.at(-1).to = trueNow()' })
  await debug.detach()
  const { violations } = result.value as AxeResults
  return violations.map(
    ({ id, help, nodes }) =>
      `axe ${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`).join('; ')}`,
  )
}
