// Networks behind tunnels on the page: made after their plan, their paths taken out and put back, put in place where the
// host lacks them, changed, and deleted with a way back.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { createNetwork, getNetwork, listNetworks, makeTunnels, PREFERRED, statesOf } from '../api/support/networks.ts'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, field, goTo, type Host, seen, signedIn } from './support/host.ts'

const DESTINATION = '10.50.0.0/16'

describe('The networks behind tunnels', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(
    async (one) => {
      const made = await one.setUp()
      await makeTunnels(made)
      return made
    },
    (made) => ({ host, client } = made),
  )
  const visitNetworks = async (path = '', heading: RegExp | string = /^Remote networks/): Promise<Visit> =>
    goTo(await signedIn(await visit(host)), host, `networks${path}`, heading)
  const row = (page: Page, name = 'Frankfurt'): Locator => page.getByRole('row', { name: new RegExp(name) })
  const inKernel = () => host.kernel.networks.routes.get(DESTINATION)
  const makeNetwork = (): Promise<unknown> => createNetwork(client, { network_title: 'Frankfurt', paths: PREFERRED })

  it('are made after a plan, which changes nothing, from the page that is empty', async () => {
    const { page } = await visitNetworks()
    await page.getByText('No remote network').waitFor()
    await page.getByRole('link', { name: 'Create a network' }).first().click()
    await seen(page, 'Create a network')
    await field(page, 'Destination').fill(DESTINATION)
    await page.getByLabel('Tunnel', { exact: true }).selectOption({ label: 'gre-a-1' })
    await field(page, 'Addresses of this server for it').fill('10.66.0.1, 10.66.0.2')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('heading', { name: 'What this does' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: DESTINATION }).first().waitFor()
    assert.equal(inKernel(), undefined)
    await page.getByRole('button', { name: 'Create a network' }).click()
    await seen(page, /^Remote networks/)
    await row(page, DESTINATION).getByText('In place', { exact: true }).waitFor()
    await row(page, DESTINATION).getByText('Carries', { exact: true }).waitFor()
    assert.deepEqual(
      inKernel()?.paths.map(({ interface_name }) => interface_name),
      ['gre-a-1'],
    )
    assert.deepEqual((await listNetworks(client)).body.networks[0]?.own_addresses, ['10.66.0.1', '10.66.0.2'])
  })

  it('are refused with the reason on the field that is wrong, and a plan is of the values that it was made from', async () => {
    const { page, gates } = await visitNetworks('/new', 'Create a network')
    gates.expectAnswer(422, '/networks/preview')
    await field(page, 'Destination').fill('10.50.0.0/99')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    assert.match(await complaintOf(page, 'Destination'), /network|CIDR/i)
    await field(page, 'Destination').fill(DESTINATION)
    await page.getByLabel('Tunnel', { exact: true }).selectOption({ label: 'gre-a-2' })
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Create a network' }).waitFor()
    await field(page, 'Name').fill('Frankfurt')
    await page.getByRole('button', { name: 'Show the plan' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Create a network' }).count(), 0)
    assert.equal((await listNetworks(client)).body.total, 0)
  })

  it('have a path taken out, which the other takes over, and put back by Undo', async () => {
    await makeNetwork()
    const { page } = await visitNetworks()
    await row(page).getByText('Standby', { exact: true }).waitFor()
    await row(page).getByRole('button', { name: 'Take out gre-a-1 for Frankfurt' }).click()
    await row(page).getByText('Out', { exact: true }).waitFor()
    assert.deepEqual(
      inKernel()?.paths.map(({ interface_name }) => interface_name),
      ['gre-a-2'],
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page).getByText('Standby', { exact: true }).waitFor()
    assert.deepEqual(statesOf((await getNetwork(client, 1)).body), { 'gre-a-1': 'carries', 'gre-a-2': 'standby' })
  })

  it('that the host lacks say what of them, and are put in place', async () => {
    await makeNetwork()
    host.kernel.networks.routes.delete(DESTINATION)
    const { page } = await visitNetworks()
    await row(page).getByText('Down', { exact: true }).waitFor()
    await page
      .getByText('This server keeps nothing of it.')
      .or(page.getByText('Its route is missing, or is another one.'))
      .waitFor()
    await page.getByRole('button', { name: 'Put it in place' }).click()
    await row(page).getByText('In place', { exact: true }).waitFor()
    assert.ok(inKernel())
  })

  it('are changed in the form, which shows what is stored', async () => {
    await makeNetwork()
    const { page } = await visitNetworks('/1/edit', 'Edit Frankfurt')
    assert.equal(await field(page, 'Destination').inputValue(), DESTINATION)
    await page.getByRole('button', { name: 'Remove path 2' }).click()
    await field(page, 'Destination').fill('10.51.0.0/16')
    await page.getByRole('switch', { name: 'Enabled' }).click()
    await page.getByRole('switch', { name: 'Enabled' }).click()
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const shown = await page.getByRole('region', { name: 'What changes' }).innerText()
    assert.match(shown, /^Destination\s+10\.50\.0\.0\/16\s*→\s*10\.51\.0\.0\/16\s+Paths\s/)
    assert.match(shown, /gre-a-2 \(preference 20, weight 1\)\s*→\s*None$/)
    const steps = page.getByRole('listitem').filter({ hasText: /10\.51\.0\.0\/16/ })
    assert.equal(await steps.first().isVisible(), false)
    await page.getByText('The whole plan').click()
    await steps.first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await seen(page, /^Remote networks/)
    await row(page).getByText('Carries', { exact: true }).waitFor()
    assert.deepEqual(statesOf((await getNetwork(client, 1)).body), { 'gre-a-1': 'carries' })
  })

  it('are named where a tunnel is deleted that is a path of theirs, and go on over the other', async () => {
    await makeNetwork()
    const { page, gates } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    // What the page asks about the tunnel may be on its way as that goes.
    gates.allowConsole(/404.*\/tunnels\/1\/(history|status)/)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete gre-a-1?' })
    await question.getByText(/Remote networks go on over their other paths: .*Frankfurt .*10\.50\.0\.0\/16/).waitFor()
    await question.getByRole('button', { name: 'Delete' }).click()
    await seen(page, /^Tunnels/)
    assert.deepEqual(statesOf((await getNetwork(client, 1)).body), { 'gre-a-2': 'carries' })
    assert.deepEqual(
      inKernel()?.paths.map(({ interface_name }) => interface_name),
      ['gre-a-2'],
    )
  })

  it('are named where their tunnel is deleted among what differs from the host, and go on over the other', async () => {
    await makeNetwork()
    host.kernel.held.delete('gre-a-1')
    const { page } = await goTo(await signedIn(await visit(host)), host, 'reconcile?q=gre-a-1', 'Drift')
    await page.getByRole('button', { name: 'Delete: gre-a-1' }).click()
    const question = page.getByRole('dialog', { name: 'Delete gre-a-1?' })
    await question.getByText(/Remote networks go on over their other paths: .*Frankfurt .*10\.50\.0\.0\/16/).waitFor()
    await question.getByText('Connections that end').waitFor()
    await question.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText(/gre-a-1 is deleted/)
      .first()
      .waitFor()
    assert.deepEqual(statesOf((await getNetwork(client, 1)).body), { 'gre-a-2': 'carries' })
  })

  it('that have no other path keep their tunnel, and its dialog says so before the request', async () => {
    await createNetwork(client, { network_title: 'Frankfurt' })
    const { page, gates } = await goTo(await signedIn(await visit(host)), host, 'tunnels/1', /gre-a-1/)
    gates.expectAnswer(409, '/impact')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete gre-a-1?' })
    await question.getByText(/is the only path of networks: .*Frankfurt.*Give them another path/).waitFor()
    assert.equal(await question.getByText('go on over their other paths').count(), 0)
  })

  it('are as bad as the API finds them: down where every path has failed, in red on the network and its paths', async () => {
    await makeNetwork()
    const fail = (tunnel_id: number) =>
      host.db
        .updateTable('network_path')
        .set({ failed_date: '2026-01-01T00:00:00.000Z' })
        .where('tunnel_id', '=', tunnel_id)
        .execute()
    const badges = (page: Page, which: string): Promise<string[]> =>
      row(page).locator(`.badge[data-state=${which}]`).allInnerTexts()
    await fail(2)
    const { page } = await visitNetworks()
    await row(page).getByText('Down', { exact: true }).waitFor()
    assert.deepEqual([await badges(page, 'up'), await badges(page, 'down')], [['In place', 'Carries'], ['Down']])
    await fail(1)
    await page.reload()
    await row(page).getByText('Down', { exact: true }).nth(2).waitFor()
    assert.deepEqual([await badges(page, 'up'), await badges(page, 'down')], [[], ['Down', 'Down', 'Down']])
    host.kernel.networks.damage = 'the record is damaged'
    await host.db.updateTable('network_path').set({ failed_date: null }).execute()
    await page.reload()
    await row(page).getByText('Unknown', { exact: true }).waitFor()
    assert.deepEqual(await badges(page, 'unknown'), ['Unknown'])
  })

  it('are deleted behind a dialog that says what ends, with an Undo', async () => {
    await makeNetwork()
    const { page } = await visitNetworks()
    await row(page).getByRole('button', { name: 'Delete Frankfurt' }).click()
    await page
      .getByRole('dialog')
      .getByText(/no longer leads packets to 10\.50\.0\.0\/16/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No remote network').waitFor()
    assert.equal(inKernel(), undefined)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page).waitFor()
    assert.ok(inKernel())
  })
})
