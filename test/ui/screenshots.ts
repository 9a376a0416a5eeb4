// Draws every state of the page for people to look at: npx tsx test/ui/screenshots.ts [folder]
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DESKTOP, launch, PHONE, visitWith, type Visit } from './support/browser.ts'
import { field, giveTunnels, seen, signedIn, signIn, startHost, type Host } from './support/host.ts'

interface State {
  readonly name: string
  readonly prepare: (host: Host) => Promise<void>
  readonly arrive: (visit: Visit) => Promise<unknown>
}

const withTunnels = async (host: Host): Promise<void> => giveTunnels(host, await host.setUp())

const STATES: readonly State[] = [
  { name: 'setup', prepare: async () => undefined, arrive: ({ page }) => seen(page, 'Create the operator account') },
  {
    name: 'setup-refused',
    prepare: async () => undefined,
    arrive: async ({ page }) => {
      await field(page, 'Username').fill('operator')
      await field(page, 'Password').fill('short')
      await page.keyboard.press('Enter')
    },
  },
  { name: 'sign-in', prepare: withTunnels, arrive: ({ page }) => seen(page, 'Sign in') },
  {
    name: 'sign-in-refused',
    prepare: withTunnels,
    arrive: async ({ page }) => {
      await signIn(page, 'not the password')
      await page.getByRole('alert').filter({ hasText: 'wrong' }).waitFor()
    },
  },
  { name: 'no-tunnels', prepare: async (host) => void (await host.setUp()), arrive: signedIn },
  { name: 'tunnels', prepare: withTunnels, arrive: signedIn },
  { name: 'kernel-without-gre', prepare: async (host) => { await host.setUp(); host.kernel.supportsGre = false }, arrive: signedIn },
  { name: 'helper-away', prepare: async (host) => { await withTunnels(host); host.sendHelperAway() }, arrive: signedIn },
]

const folder = process.argv[2] ?? '.build/screenshots'
mkdirSync(folder, { recursive: true })
const browser = await launch()
for (const { name, prepare, arrive } of STATES) {
  const host = await startHost()
  await prepare(host)
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const visit = await visitWith(browser, host, { viewport, colorScheme })
      await arrive(visit)
      await visit.page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true })
      await visit.context.close()
    }
  }
  await host.close()
}
await browser.close()
console.log(`wrote ${STATES.length * 4} pictures to ${folder}`)
