// Address pools on the page: what they hold, what the next tunnel gets, made, changed, and deleted with a way back.
import assert from 'node:assert/strict'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, field, goTo, type Host, seen, signedIn, tunnelHost } from './support/host.ts'
import type { Client } from '../api/support/client.ts'
import type { ListPoolsAnswer } from '@panel/shared/api/pools.ts'

describe('The address pools', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))
  const pools = async () => (await client.get<ListPoolsAnswer>('/pools')).body.pools
  const visitPools = async (path = '', heading: RegExp | string = /^Address pools/): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `pools${path}`, heading)

  it('tell how much is in use, and what the next tunnel would get', async () => {
    const { page } = await visitPools()
    const used = (await pools()).find(({ in_use }) => in_use)
    assert.ok(used)
    const row = page.getByRole('row', { name: new RegExp(used.address_pool_title) })
    await row.getByText(new RegExp(`^${used.tunnel_count} of`)).waitFor()
    await row.getByRole('button', { name: /Show the next free subnet/ }).click()
    await row
      .getByText(/\d+\.\d+\.\d+\.\d+\/\d+/)
      .nth(1)
      .waitFor()
  })

  it('of other software are folded away, until they are wanted or searched for', async () => {
    const { page } = await visitPools()
    const legacy = page.getByRole('row', { name: /Legacy/ })
    await page.getByRole('row', { name: /Private 10\.10/ }).waitFor()
    assert.equal(await legacy.count(), 0)
    await page.getByRole('searchbox').fill('legacy')
    await legacy.first().waitFor()
    assert.equal(await legacy.count(), 2)
    await page.getByRole('searchbox').fill('')
    await legacy.first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show 2 disabled pools in public ranges' }).click()
    await legacy.first().waitFor()
    assert.equal(await legacy.count(), 2)
  })

  it('are made: wrong on the field, warned of where the range is public, which stays in the list', async () => {
    const { page, gates } = await visitPools('/new', 'Create a pool')
    gates.expectAnswer(422, '/pools')
    await field(page, 'Name').fill('Street')
    await field(page, 'Range').fill('10.20.0.0/99')
    await page.getByRole('button', { name: 'Create a pool' }).click()
    assert.match(await complaintOf(page, 'Range'), /range|cidr/i)
    await field(page, 'Range').fill('8.8.0.0/16')
    await page.getByRole('button', { name: 'Create a pool' }).click()
    await page.getByText(/holds public addresses/).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Address pools' }).last().click()
    await page
      .getByRole('row', { name: /Street/ })
      .getByText('Public addresses')
      .waitFor()
  })

  it('in use keep their range, and are not deleted', async () => {
    const used = (await pools()).find(({ in_use }) => in_use)
    assert.ok(used)
    const visited = await visitPools(`/${used.address_pool_id}/edit`, /Edit/)
    assert.ok(await field(visited.page, 'Range').isDisabled())
    await visited.page.getByText(/tunnels? uses? this pool/).waitFor()
    await goTo(visited, host, 'pools', /^Address pools/)
    visited.gates.expectAnswer(409, `/pools/${used.address_pool_id}`)
    await visited.page.getByRole('button', { name: new RegExp(`Delete .*${used.address_pool_title}`) }).click()
    await visited.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await visited.page
      .getByText(/could not be deleted/)
      .first()
      .waitFor()
  })

  it('that nobody uses are deleted behind a dialog, with an Undo', async () => {
    await client.post('/pools', { address_pool_title: 'Spare', cidr: '10.77.0.0/16' })
    const { page } = await visitPools()
    await page.getByRole('button', { name: /Delete .*Spare/ }).click()
    await page
      .getByRole('dialog', { name: /Delete .*Spare/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('row', { name: /Spare/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: /Spare/ }).waitFor()
    await seen(page, /^Address pools/)
  })

  it('are disabled and deleted several at once, with the result of each, and those in use are left out', async () => {
    for (const [title, cidr] of [
      ['Spare 1', '10.77.0.0/16'],
      ['Spare 2', '10.78.0.0/16'],
    ])
      await client.post('/pools', { address_pool_title: title, cidr, description: 'For later' })
    const used = (await pools()).find(({ in_use }) => in_use)
    assert.ok(used)
    const spare = async () =>
      (await pools())
        .filter(({ address_pool_title }) => address_pool_title.startsWith('Spare'))
        .map(({ is_enabled, description }) => ({ is_enabled, description }))
    const { page } = await visitPools()
    for (const name of ['Spare 1', 'Spare 2', used.address_pool_title])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
    const bar = page.getByRole('group', { name: 'Actions on the selection' })
    const dialog = page.getByRole('dialog')
    await bar.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByText('New tunnels no longer get addresses from them').waitFor()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByText('Done: 3 of 3.').waitFor()
    assert.deepEqual(await spare(), Array(2).fill({ is_enabled: false, description: 'For later' }))
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    for (const name of ['Spare 1', 'Spare 2', used.address_pool_title])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
    await bar.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Also selected, but in use: 1 address pool.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Done: 2 of 2.').waitFor()
    assert.deepEqual(await spare(), [])
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('heading', { name: 'Undo “Delete”: 2 address pools' }).waitFor()
    await dialog.getByText('Done: 2 of 2.').waitFor()
    assert.deepEqual(await spare(), Array(2).fill({ is_enabled: false, description: 'For later' }))
  })
})
