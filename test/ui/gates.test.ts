// The gates themselves: each one must trip, or a page without findings proves nothing.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startPanel, type TestPanel } from '../api/support/panel.ts'
import { browsing, type Visit } from './support/browser.ts'
import { seen, startHost, type Host } from './support/host.ts'

/** Each runs in the browser; that some of them throw there is how the policy works. */
const SINS: Record<string, { sin: Parameters<Page['evaluate']>[0]; finding: RegExp }> = {
  'an inline style': {
    sin: () => document.body.setAttribute('style', 'color: red'),
    finding: /^CSP violation: style-src-attr inline/,
  },
  'an inline script': {
    sin: () => document.body.append(Object.assign(document.createElement('script'), { text: '0' })),
    finding: /^CSP violation: require-trusted-types-for .*HTMLScriptElement/,
  },
  'text read as HTML': {
    sin: () => (document.body.innerHTML = '<b>x</b>'),
    finding: /^CSP violation: require-trusted-types-for .*innerHTML/,
  },
  'an error nobody caught': { sin: () => void Promise.reject(new Error('oh')), finding: /^page error: oh/ },
  'an error on the console': { sin: () => console.error('oh'), finding: /^console error: oh/ },
  'a failed request that no test expects': {
    sin: () => fetch('/secret/api/v1/nothing'),
    finding: /^console error: Failed to load resource.*404/,
  },
  'a standstill': {
    sin: () =>
      new Promise<void>((done) =>
        setTimeout(() => {
          for (const until = performance.now() + 2100; performance.now() < until;);
          done()
        }),
      ),
    finding: /^standstill of \d+ ms/,
  },
  'a field without a label': { sin: () => document.querySelector('form label[for]')?.remove(), finding: /^axe label:/ },
}

describe('The gates', () => {
  const { visit, forgive } = browsing()
  let host: Host
  let elsewhere: TestPanel
  let sinner: Visit
  before(async () => {
    host = await startHost()
    elsewhere = await startPanel()
    sinner = await visit(host)
    forgive(sinner)
    await seen(sinner.page, 'Create the operator account')
  })
  after(async () => {
    await sinner.context.close()
    await Promise.all([host.close(), elsewhere.close()])
  })

  it('find nothing in the page as it is', async () => assert.deepEqual(await sinner.gates.findings(), []))

  for (const [name, { sin, finding }] of Object.entries(SINS)) {
    it(`trip over ${name}`, async () => {
      await sinner.page.evaluate(sin).catch(() => undefined)
      const found = await sinner.gates.findings()
      assert.ok(
        found.some((line) => finding.test(line)),
        `found only ${JSON.stringify(found)}`,
      )
    })
  }

  it('trip over an expected answer that does not come', async () => {
    sinner.gates.expectAnswer(401, '/auth/me')
    assert.ok((await sinner.gates.findings()).includes('expected an answer that did not come: 401 /auth/me'))
  })

  it('trip over a request to another origin', async () => {
    await sinner.page.goto(elsewhere.base)
    assert.ok((await sinner.gates.findings()).some((line) => line === `request off-origin: ${elsewhere.base}`))
  })
})
