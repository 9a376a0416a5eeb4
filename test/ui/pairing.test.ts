// The pairing code's page: it says once which address belongs to which server, and nothing leaves its card.
import assert from 'node:assert/strict'
import { browsing, DESKTOP, PHONE, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn, tunnelHost } from './support/host.ts'
import type { Client } from '../api/support/client.ts'

const LONG = '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff'

describe('The page of a pairing code', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))

  const openCode = async (id: number, viewport: typeof DESKTOP | typeof PHONE = DESKTOP): Promise<Visit> => {
    const visited = await goTo(await signedIn(await visit(host, { viewport })), host, `tunnels/${id}/pairing`, /gre/)
    await visited.page.locator('[data-pairing-code]').waitFor()
    return visited
  }

  it('says once which address is of which server', async () => {
    const { page } = await openCode(1)
    const text = await page.locator('main').innerText()
    for (const address of ['192.0.2.1', '198.51.100.7']) assert.equal(text.split(address).length - 1, 1, address)
    const fact = (term: string): Promise<string> =>
      page.locator('dt').filter({ hasText: term }).locator('xpath=following-sibling::dd[1]').innerText()
    assert.equal(await fact('This server'), '192.0.2.1')
    assert.equal(await fact('The other server'), '198.51.100.7')
  })

  for (const [name, viewport, languages] of [
    ['desktop', DESKTOP, ['en', 'fa', 'ru']],
    ['phone', PHONE, ['en', 'fa']],
  ] as const)
    for (const language of languages)
      it(`keeps all that it says within its cards, on a ${name}, in ${language}`, async () => {
        const { page } = await openCode(3, viewport)
        await client.put('/settings', { 'display.language': language })
        for (const id of [3, 1]) {
          await page.goto(`${host.base}tunnels/${id}/pairing`)
          await page.locator('[data-pairing-code]').waitFor()
          await page.locator('section svg[role=img]').waitFor()
          if (id === 3) await page.locator('bdi').filter({ hasText: LONG }).first().waitFor()
          assert.deepEqual(await page.evaluate(outside), [])
        }
      })
})

/** Runs in the browser: what stands partly outside of its card. */
const outside = (): string[] =>
  [...document.querySelectorAll('.card')].flatMap((card) => {
    const { left, right } = card.getBoundingClientRect()
    return [...card.querySelectorAll('*')].flatMap((piece) => {
      const box = piece.getBoundingClientRect()
      const isOut = box.left < left - 0.5 || box.right > right + 0.5
      return isOut && box.width > 0 ? [`${piece.tagName} ${piece.textContent}: ${box.left} to ${box.right}`] : []
    })
  })
