// Draws every page and every dialog for people to look at, into .build/screenshots, in each language, light and dark, on a
// desktop and on a phone: npx tsx test/ui/screenshots.ts [scene or part of its name …] [fa] [dark] [phone] …
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatMessage, isolate } from '@panel/shared/messages/format.ts'
import { OPERATOR } from '../api/support/panel.ts'
import { choose, fileName, VIEWPORTS, type Device, type Language, type Look } from './screenshots/looks.ts'
import { SCENES, type Scene } from './screenshots/scenes.ts'
import { startWorld, type World } from './screenshots/world.ts'
import { launch, visitWith, type Visit } from './support/browser.ts'

const FOLDER = '.build/screenshots'
const LOCALES = fileURLToPath(new URL('../../ui/src/locales', import.meta.url))

const wordsOf = (language: Language): Record<string, string> =>
  Object.assign(
    {},
    ...readdirSync(join(LOCALES, language))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(LOCALES, language, name), 'utf8')) as object),
  ) as Record<string, string>

function sayIn(language: Language) {
  const words = wordsOf(language)
  const options = { language, number: String, isolate: language === 'fa' ? isolate : (text: string) => text }
  return (key: string, values: Readonly<Record<string, string>> = {}): string => {
    const text = words[key]
    if (text === undefined) throw new Error(`no word of the page is called ${key}`)
    return formatMessage(text, values, options)
  }
}

const { looks, isChosen } = choose(
  process.argv.slice(2),
  SCENES.map(({ name }) => name),
)
const browser = await launch()
let failures = 0

/** Signs in wherever the page wants it, as after a scene that ended the session. */
async function open({ page }: Visit, { host }: World, { path }: Scene): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (path === undefined) await page.context().clearCookies()
  await page.goto(host.base + (path ?? ''))
  if (path === undefined) return
  const password = page.locator('input[name=password]')
  await page.locator('nav').or(password).first().waitFor()
  if ((await page.locator('nav').count()) > 0) return
  await page.locator('input[name=username]').fill(OPERATOR.username)
  await password.fill(OPERATOR.password)
  await page.keyboard.press('Enter')
  await page.locator('nav').first().waitFor({ state: 'attached' })
  await page.goto(host.base + path)
}

async function speak({ page }: Visit, { client }: World, language: Language): Promise<void> {
  if (client) await client.put('/settings', { 'display.language': language })
  else {
    await page.locator('button[popovertarget]').first().click()
    await page.locator(`[popover]:popover-open [lang="${language}"]`).click()
  }
}

async function draw(visit: Visit, world: World, scene: Scene, look: Look): Promise<void> {
  const { page } = visit
  await page.emulateMedia({ colorScheme: look.theme, reducedMotion: 'reduce' })
  if (world.client) await speak(visit, world, look.language)
  await open(visit, world, scene)
  if (!world.client) await speak(visit, world, look.language)
  await page.waitForLoadState('networkidle', { timeout: 800 }).catch(() => undefined)
  await scene.arrive?.({ page, say: sayIn(look.language) })
  if (scene.isWindow) await page.waitForTimeout(300)
  else await showAll(visit)
  await page.screenshot({ path: join(FOLDER, fileName(scene.name, look)), fullPage: scene.isWindow !== true })
}

/** Charts are drawn as they come into view. */
async function showAll({ page }: Visit): Promise<void> {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.waitForTimeout(400)
  await page.evaluate(() => scrollTo(0, 0))
}

async function drawAll(world: World, device: Device, scenes: readonly Scene[]): Promise<void> {
  const ofDevice = looks.filter((look) => look.device === device)
  const fitting = scenes.filter(({ devices = [device] }) => devices.includes(device))
  if (ofDevice.length === 0 || fitting.length === 0) return
  const visit = await visitWith(browser, world.host, { viewport: VIEWPORTS[device] })
  visit.page.on('dialog', (dialog) => void dialog.accept())
  for (const look of ofDevice)
    for (const scene of fitting)
      await draw(visit, world, scene, look).catch((failure: unknown) => {
        failures += 1
        console.log(`${fileName(scene.name, look)}: ${String(failure).split('\n')[0] ?? ''}`)
      })
  await visit.context.close()
}

mkdirSync(FOLDER, { recursive: true })
const chosen = SCENES.filter(({ name }) => isChosen(name))
/** On one server, which the scenes leave as it is or have for themselves. */
async function drawThere(server: NonNullable<Scene['server']> | 'full', scenes: readonly Scene[]): Promise<void> {
  if (scenes.length === 0) return
  const world = await startWorld(server)
  const { client } = world
  for (const { alone } of scenes) if (client) await alone?.({ ...world, client })
  for (const device of ['desktop', 'phone'] as const) await drawAll(world, device, scenes)
  await world.close()
}

for (const server of ['full', 'empty', 'new'] as const)
  await drawThere(
    server,
    chosen.filter((scene) => !scene.alone && (scene.server ?? 'full') === server),
  )
for (const scene of chosen.filter(({ alone }) => alone)) await drawThere(scene.server ?? 'full', [scene])
await browser.close()
console.log(`wrote pictures to ${FOLDER}${failures > 0 ? `, but for ${failures}` : ''}`)
process.exit(failures > 0 ? 1 : 0)
