// Draws every page and every dialog for people to look at, into .build/screenshots, in each language, light and dark,
// on a desktop and on a phone: npx tsx test/ui/screenshots.ts [scene or part of its name …] [fa] [dark] [phone] …
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { writeSetting } from '@panel/web-daemon/features/settings/store.ts'
import { OPERATOR } from '../api/support/panel.ts'
import { choose, fileName, VIEWPORTS, type Language, type Look } from './screenshots/looks.ts'
import type { Scene } from './screenshots/scene.ts'
import { SCENES } from './screenshots/scenes.ts'
import { sayIn } from './screenshots/words.ts'
import { startWorld, type World } from './screenshots/world.ts'
import { DESKTOP, launch, visitWith } from './support/browser.ts'
import { spacedPunctuation } from './support/punctuation.ts'

const FOLDER = '.build/screenshots'
/** A scene that does not come about so soon is reported, and the next one drawn. */
const PATIENCE_MS = 30_000
const { looks, isChosen } = choose(
  process.argv.slice(2),
  SCENES.map(({ name }) => name),
)
const chosen = SCENES.filter(({ name }) => isChosen(name))
const browser = await launch()
let failures = 0

/** Signs in wherever the page wants it, as after a scene that ended the session. */
async function open(page: Page, { host }: World, { path }: Scene): Promise<void> {
  if (path === undefined) await page.context().clearCookies()
  await page.goto(host.base + (path ?? ''))
  if (path === undefined) return
  const password = page.locator('input[name=password]')
  await page.locator('nav').or(password).first().waitFor({ state: 'attached' })
  if ((await page.locator('nav').count()) > 0) return
  await page.locator('input[name=username]').fill(OPERATOR.username)
  await password.fill(OPERATOR.password)
  await page.keyboard.press('Enter')
  await page.locator('nav').first().waitFor({ state: 'attached' })
  await page.goto(host.base + path)
}

/** Not through the API, whose audit log is a picture too. */
async function setLanguage({ host }: World, language: Language): Promise<void> {
  await writeSetting(host.db, 'display.language', language, new Date().toISOString())
  await host.settings.reload()
}

/** In a tab of its own, since what was typed stays in the tab. */
async function draw(context: BrowserContext, world: World, scene: Scene, look: Look): Promise<void> {
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
  /**
   * Takes a picture of the window alone: for a page that has grown beyond it, Playwright takes the finger of a phone
   * for a mouse.
   */
  const take = (name: string) => page.screenshot({ path: join(FOLDER, fileName(name, look)) })
  try {
    await page.emulateMedia({ colorScheme: look.theme, reducedMotion: 'reduce' })
    await open(page, world, scene)
    await page.waitForLoadState('networkidle', { timeout: 800 }).catch(() => undefined)
    await scene.arrive?.({ page, say: sayIn(look.language) })
    if (scene.shows !== undefined) await page.locator('dialog:modal, [popover]:popover-open').first().waitFor()
    if (scene.isWindow) await page.waitForTimeout(300)
    else await showAll(page)
    await take(scene.name)
    // Not of innerWidth, which grows on a phone with what is too wide for it.
    const sideways = (await page.evaluate(() => document.documentElement.scrollWidth)) - VIEWPORTS[look.device].width
    if (sideways > 0) throw new Error(`can be scrolled sideways, by ${sideways} px`)
    const spaced = look.language === 'zh-CN' ? await spacedPunctuation(page) : []
    if (spaced.length > 0) throw new Error(`has a space after full-width punctuation: ${spaced.join(' | ')}`)
  } catch (failure) {
    failures += 1
    console.log(`${fileName(scene.name, look)}: ${String(failure).split('\n')[0] ?? ''}`)
    await showAll(page)
    await take(`failed-${scene.name}`)
  } finally {
    await page.close()
  }
}

/** In a window as high as the page, where charts are in view and bars at its end cover nothing. */
async function showAll(page: Page): Promise<void> {
  const { width = DESKTOP.width, height = 0 } = page.viewportSize() ?? {}
  // What comes into view can be higher than its place was.
  for (const _ of ['what is there', 'what came']) {
    const whole = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ width, height: Math.max(height, whole) })
    await page.waitForTimeout(400)
  }
}

/** On one server, which the scenes leave as it is or have for themselves. */
async function drawThere(of: readonly Look[], server: Scene['server'], scenes: readonly Scene[]): Promise<void> {
  if (scenes.length === 0) return
  const world = await startWorld(server ?? 'full')
  const { client } = world
  for (const { alone } of scenes) if (client) await alone?.({ ...world, client })
  for (const device of ['desktop', 'phone'] as const) {
    const { page, context } = await visitWith(browser, world.host, {
      viewport: VIEWPORTS[device],
      patience_ms: PATIENCE_MS,
    })
    await page.close()
    for (const look of of.filter((one) => one.device === device)) {
      await setLanguage(world, look.language)
      for (const scene of scenes.filter(({ devices = [device] }) => devices.includes(device)))
        await draw(context, world, scene, look)
    }
    await context.close()
  }
  await world.close()
}

async function drawLanguage(of: readonly Look[]): Promise<void> {
  for (const server of [undefined, 'empty', 'new'] as const)
    await drawThere(
      of,
      server,
      chosen.filter((scene) => !scene.alone && scene.server === server),
    )
  for (const scene of chosen.filter(({ alone }) => alone)) await drawThere(of, scene.server, [scene])
}

mkdirSync(FOLDER, { recursive: true })
const languages = [...new Set(looks.map(({ language }) => language))]
await Promise.all(languages.map((one) => drawLanguage(looks.filter(({ language }) => language === one))))
await browser.close()
console.log(`wrote pictures to ${FOLDER}${failures > 0 ? `, but for ${failures}` : ''}`)
process.exit(failures > 0 ? 1 : 0)
