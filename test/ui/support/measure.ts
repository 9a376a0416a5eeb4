// How quick the page is, by Chromium's own account: over a slow line, on a slow processor, and how long it keeps the
// processor to itself.
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

/** Slower by `times`. */
export const slowProcessor = async (page: Page, times: number): Promise<void> => {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Emulation.setCPUThrottlingRate', { rate: times })
}

export const slowLine = async (page: Page, { latency, kbps }: { latency: number; kbps: number }): Promise<void> => {
  const debug = await enclosingNetwork(page)
  const bytes = (kbps * 1000) / 8
  await debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  })
}

interface Bytes {
  /** The bytes that came from each address. */
  readonly of: ReadonlyMap<string, number>
  /** Resolves when nothing new has been requested, or come, for a while. */
  readonly settled: () => Promise<void>
}

const QUIET_MS = 1500
/** Matches what comes seconds after the first screen with its words, by a timer that a slow machine lives to see. */
const LATER = /\/assets\/(SafeApply|safe_apply|own-access-consent|lost-response|Trial|turn-trial)[^/]*$/
/** Matches the start of a history, which moves on with each minute. */
const MINUTE = /\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\dZ/g

/**
 * What came over the wire from now on, of whatever is whole; an event stream never is. What is requested again, be it
 * because a minute has passed, is not counted again, so that a slow machine finds the same.
 */
export const countBytes = async (page: Page): Promise<Bytes> => {
  const debug = await enclosingNetwork(page)
  const urls = new Map<string, string>()
  const counted = new Map<string, number>()
  let changedAt = performance.now()
  const bytes: Bytes = {
    of: counted,
    settled: async () => {
      while (performance.now() - changedAt < QUIET_MS) await page.waitForTimeout(100)
    },
  }
  debug.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (LATER.test(request.url)) return
    const url = request.url.replace(MINUTE, '')
    if (![...urls.values()].includes(url)) changedAt = performance.now()
    urls.set(requestId, url)
  })
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId)
    if (url === undefined || counted.has(url)) return
    counted.set(url, encodedDataLength)
    changedAt = performance.now()
  })
  return bytes
}

const enclosingNetwork = async (page: Page): Promise<CDPSession> => {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Network.enable')
  return debug
}

/** The page of an operator who is signed in and whose browser holds nothing else of the panel. */
export const coldPage = async (browser: Browser, signedIn: BrowserContext): Promise<Page> => {
  const context = await browser.newContext({ storageState: await signedIn.storageState(), reducedMotion: 'reduce' })
  return context.newPage()
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds on the processor, which a busy machine does not stretch as it does wall time. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * The longest that one task of the page kept its main thread, in milliseconds on the processor, while `work` was done.
 */
export const longestTask = async (browser: Browser, page: Page, work: () => Promise<void>): Promise<number> => {
  await browser.startTracing(page, {
    categories: ['__metadata', 'toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = traceEvents.filter(
    (event) =>
      event.ph === 'X' && event.name.endsWith('RunTask') && event.tdur !== undefined && mains.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('the trace tells of no task: this browser spells them otherwise')
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1000
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
