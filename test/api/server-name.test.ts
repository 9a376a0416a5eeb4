// What the operator calls this server is for the operator: no answer to a stranger has it (reference.md, Settings;
// decisions.md, W28).
import assert from 'node:assert/strict'
import type { MeAnswer } from '@panel/shared/api/auth.ts'
import { turnOnFactor } from './support/factor.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'

const NAME = 'Vault of Hamburg'
const PAGES = ['', 'index.html', 'tunnels', 'settings', 'tunnels/1', 'api', 'api/docs', 'metrics', 'assets/none.js']
const FORMS = [NAME, encodeURIComponent(NAME), JSON.stringify(NAME).slice(1, -1), Buffer.from(NAME).toString('base64')]

describe('The name of the server', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ web_path: 'way' })
    operator = await panel.setUp()
    await set(operator, { 'display.server_name': NAME })
  })
  after(() => panel.close())

  /** A visitor, and clients whose session never was or has ended. */
  const strangers = async (): Promise<Client[]> => {
    const [visitor, forger, leaver] = [panel.visitor(), panel.visitor(), await panel.signIn()]
    forger.cookies.set('panel_access', 'x').set('panel_refresh', 'x').set('panel_csrf', 'x')
    const kept = [...leaver.cookies]
    await leaver.post('/auth/logout')
    for (const [name, value] of kept) leaver.cookies.set(name, value)
    return [visitor, forger, leaver]
  }
  const without = (what: string, { text, headers }: { text: string; headers: object }): void => {
    const whole = JSON.stringify(headers) + text
    for (const form of FORMS) assert.ok(!whole.includes(form), `${what}: ${whole}`)
  }

  it('is in no page and no other file that a stranger gets, whatever the address', async () => {
    for (const client of await strangers())
      for (const path of PAGES)
        for (const method of ['GET', 'HEAD', 'POST']) without(path, await client.raw(method, `/way/${path}`))
    for (const path of ['/', '/way', '/other/']) without(path, await panel.visitor().raw('GET', path))
  })

  it('is in no answer of the API to a stranger', async () => {
    for (const client of await strangers())
      for (const { route } of panel.endpoints) {
        const [method = '', path = ''] = route.replaceAll(/\{\w+\}/g, '1').split(' ')
        if (path === '/auth/setup') continue
        const body = method === 'GET' ? undefined : {}
        without(route, await client.raw(method, `/way/api/v1${path}`, body))
      }
  })

  it('is in no answer to a sign-in that fails, or that has yet to give its code', async () => {
    const refused = await panel.visitor().post('/auth/login', { ...OPERATOR, password: 'not the password' })
    assert.equal(refused.status, 401)
    without('a wrong password', refused)
    const second = await startPanel()
    const owner = await second.setUp()
    await set(owner, { 'display.server_name': NAME })
    await turnOnFactor(second, owner)
    const halfway = await second.visitor().post('/auth/login', OPERATOR)
    assert.equal(halfway.error.code, 'SECOND_FACTOR_REQUIRED')
    without('the right password without a code', halfway)
    await second.close()
  })

  it('is read by the page once it is signed in', async () => {
    const { body } = await operator.get<MeAnswer>('/auth/me')
    assert.equal(body.server_name, NAME)
  })
})
