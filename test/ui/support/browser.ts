// Chromium for a suite: a fresh profile for every visit, and after every test the gates over each page that it opened.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import type { TestPanel } from '../../api/support/panel.ts'
import { NEVER_MS } from '../../support/eventually.ts'
import { watch, type Gates } from './gates.ts'

/** The same engine without the windows of a desktop, which would take a third of the processor's time. */
const SHELL = '/usr/bin/chromium-headless-shell'
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Leads to this host, but no browser takes it for a place of its own, as it does 127.0.0.1. */
export const PLAIN_HTTP_NAME = 'panel.test'

export const DESKTOP = { width: 1280, height: 800 } as const
export const PHONE = { width: 390, height: 844 } as const

export interface Look {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  readonly allowConsole?: RegExp
  /** How long the page may take for what a step waits for. */
  readonly patience_ms?: number
  /** Whether its certificate is one that the operator accepted. */
  readonly isCertificateUnknown?: boolean
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly gates: Gates
}

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: existsSync(SHELL) ? SHELL : '/usr/bin/chromium',
    headless: true,
    args: [...ARGS, `--host-resolver-rules=MAP ${PLAIN_HTTP_NAME} 127.0.0.1`],
  })

/** Opens a panel's page as a visitor who was never there before. */
export const visitWith = async (
  browser: Browser,
  panel: Pick<TestPanel, 'base'>,
  {
    viewport = DESKTOP,
    colorScheme = 'light',
    allowConsole,
    patience_ms = NEVER_MS,
    isCertificateUnknown = false,
  }: Look = {},
): Promise<Visit> => {
  const isPhone = viewport.width < 640
  const context = await browser.newContext({
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ignoreHTTPSErrors: isCertificateUnknown,
    hasTouch: isPhone,
    isMobile: isPhone,
  })
  context.setDefaultTimeout(patience_ms)
  const page = await context.newPage()
  const gates = await watch(context, page, new URL(panel.base).origin)
  if (allowConsole) gates.allowConsole(allowConsole)
  await page.goto(panel.base)
  return { page, context, gates }
}

export interface Browsing {
  readonly visit: (panel: Pick<TestPanel, 'base'>, look?: Look) => Promise<Visit>
  /** For a test of the gates themselves: their findings on this page are what it wants. */
  readonly forgive: (visit: Visit) => void
}

/** Called once in a suite; its gates are the suite's `afterEach`. */
export const browsing = (): Browsing => {
  let browser: Browser
  let open: Visit[] = []
  before(async () => {
    browser = await launch()
  })
  afterEach(async function () {
    const visits = open.splice(0)
    // A test that failed halfway has given its reason; a failing hook would also keep the rest of its suite from
    // running.
    const looked = this.currentTest?.state === 'failed' ? [] : visits
    const found = await Promise.all(looked.map(({ gates }) => gates.findings())).finally(() =>
      Promise.all(visits.map(({ context }) => context.close())),
    )
    assert.deepEqual(found.flat(), [])
  })
  after(() => browser.close())
  return {
    visit: async (panel, look) => {
      const visit = await visitWith(browser, panel, look)
      open.push(visit)
      return visit
    },
    forgive: (visit) => {
      open = open.filter((other) => other !== visit)
    },
  }
}
