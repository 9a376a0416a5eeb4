// IP forwarding on the page: its state, turned on and put back, how full connection tracking is, and whose rules stand
// beside.
import assert from 'node:assert/strict'
import { nothingForeign } from '@panel/shared/foreign/model.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import type { Client } from '../api/support/client.ts'
import { createRoute } from '../api/support/routes.ts'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn } from './support/host.ts'

export const DOCKER = JSON.stringify({
  nftables: [
    {
      chain: {
        family: 'ip',
        table: 'nat',
        name: 'DOCKER',
        type: 'nat',
        hook: 'prerouting',
        prio: -100,
        policy: 'accept',
      },
    },
    {
      rule: {
        family: 'ip',
        table: 'nat',
        chain: 'DOCKER',
        handle: 1,
        expr: [
          { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 8080 } },
          { dnat: { addr: '172.17.0.2' } },
        ],
      },
    },
  ],
})

describe('IP forwarding', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host, client } = made),
  )
  const visitIt = async (): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, 'forwarding', 'IP forwarding')

  it('is turned on, and put back only behind a question', async () => {
    host.kernel.forwarding.conntrack = { count: 131_072, max: 262_144 }
    const { page } = await visitIt()
    await page.getByText(/131,072 of at most 262,144 connections/).waitFor()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page
      .getByText(/Off.* before the panel/)
      .first()
      .waitFor()
    assert.equal(host.kernel.forwarding.live.ipv4, true)
    await page.getByRole('button', { name: 'Put back as before' }).click()
    await page
      .getByRole('dialog', { name: 'Put IP forwarding back?' })
      .getByRole('button', { name: 'Put back as before' })
      .click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    assert.deepEqual(
      [host.kernel.forwarding.live.ipv4, await page.getByRole('button', { name: 'Put back as before' }).count()],
      [false, 0],
    )
  })

  it('offers to count each connection, and to put that back', async () => {
    const { page } = await visitIt()
    await page.getByRole('button', { name: 'Count each connection' }).click()
    await page.getByText('The kernel counts the bytes and the age of each connection').waitFor()
    assert.equal(host.kernel.forwarding.live.conntrack_timestamp, true)
    await page.getByRole('button', { name: 'Stop counting' }).click()
    await page.getByRole('button', { name: 'Count each connection' }).waitFor()
    assert.equal(host.kernel.forwarding.live.conntrack_timestamp, false)
  })

  it('doubles how many connections are tracked by one click, and puts that back behind a question that says what follows', async () => {
    host.kernel.forwarding.conntrack = { count: 250_000, max: 262_144 }
    const { page } = await visitIt()
    await page.getByRole('button', { name: 'Track up to 524,288' }).click()
    await page.getByText(/250,000 of at most 524,288 connections/).waitFor()
    assert.equal(host.kernel.forwarding.conntrack.max, 524_288)
    await page.getByRole('button', { name: 'Put back to 262,144' }).click()
    const dialog = page.getByRole('dialog', { name: 'Track no more connections than before the panel?' })
    await dialog.getByText('While more than 262,144 are tracked, the kernel drops new connections.').waitFor()
    await dialog.getByRole('button', { name: 'Put back to 262,144' }).click()
    await page.getByText(/250,000 of at most 262,144 connections/).waitFor()
    assert.deepEqual(
      [host.kernel.forwarding.conntrack.max, await page.getByRole('button', { name: /Put back/ }).count()],
      [262_144, 0],
    )
  })

  it('does not offer to track more where this server cannot', async () => {
    host.kernel.forwarding.most = null
    const { page } = await visitIt()
    await page.getByText(/of at most 262,144 connections/).waitFor()
    assert.equal(await page.getByRole('button', { name: /Track up to/ }).count(), 0)
  })

  it('is what a rule offers whose connections have nearly no room, by one click', async () => {
    await createRoute(client)
    host.kernel.forwarding.conntrack = { count: 250_000, max: 262_144 }
    const { page } = await goTo(await signedIn(await visit(host)), host, 'routes/1', /443/)
    await page
      .getByText(/Have the kernel track up to 524,288 connections/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Raise the number of connections' }).first().click()
    await page.getByText('More connections are tracked').first().waitFor()
    assert.equal(host.kernel.forwarding.conntrack.max, 524_288)
  })

  it('has no link to itself in a warning that links here from other pages', async () => {
    await createRoute(client)
    const { page } = await visitIt()
    await page.getByText(/does not count bytes per connection/).waitFor()
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined)
    assert.equal(await page.getByRole('link', { name: 'Open IP forwarding' }).count(), 0)
  })

  it('names other software in netfilter and its rules, and says so where they cannot be read', async () => {
    host.kernel.foreign = readForeign(DOCKER, '')
    const { page } = await visitIt()
    await page.getByText(/Found: .*docker/).waitFor()
    assert.match(await page.getByRole('row', { name: /docker/ }).innerText(), /DOCKER[\s\S]*8080/)
    host.kernel.foreign = nothingForeign('nft is not there')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('it is unknown whether it blocks relayed packets').waitFor()
  })
})
