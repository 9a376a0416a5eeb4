// What is typed into a form is lost to nothing but an explicit discard: not to a change in another tab, not to an
// action on the same page, not to a reload.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { getRoute, patchRoute } from '../api/support/routes.ts'
import { getTunnel, patchTunnel } from '../api/support/tunnels.ts'
import { browsing, type Visit } from './support/browser.ts'
import { eachHost, field, goTo, type Host, signedIn } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('What is typed into a form', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(relayHost, (made) => ({ host, client } = made))

  const edit = async (path: string, heading: RegExp): Promise<Page> =>
    (await goTo(await signedIn(await visit(host, { allowConsole: /412/ })), host, `${path}/edit`, heading)).page
  const editTunnel = (): Promise<Page> => edit('tunnels/1', /gre-a-1/)
  const elsewhere = async (body: object): Promise<void> => {
    host.clock.advance(1)
    assert.equal((await patchTunnel(client, 1, body)).status, 200)
  }
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click()

  it('is saved beside what another tab changed in other fields', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    await elsewhere({ display_name: 'Theirs' })
    await save(page)
    await page.getByText('gre-a-1 is saved').first().waitFor()
    const { note, display_name } = (await getTunnel(client, 1)).body
    assert.deepEqual([note, display_name], ['mine', 'Theirs'])
  })

  for (const [choice, stored] of [
    ['Keep mine', 'mine'],
    ['Take theirs', 'theirs'],
  ] as const)
    it(`is shown beside what another tab changed in the same field: “${choice}”`, async () => {
      const page = await editTunnel()
      await field(page, 'Note').fill('mine')
      await field(page, 'Display name').fill('Mine too')
      await elsewhere({ note: 'theirs' })
      await save(page)
      const row = page.getByRole('row', { name: /Note/ })
      assert.match(await row.innerText(), /theirs\s+mine/)
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-changes'))
      await page.getByRole('button', { name: `${choice}: Note` }).click()
      await row.waitFor({ state: 'detached' })
      await save(page)
      await page.getByText('gre-a-1 is saved').first().waitFor()
      const { note, display_name } = (await getTunnel(client, 1)).body
      assert.deepEqual([note, display_name], [stored, 'Mine too'])
    })

  it('survives an action on the same page', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    await page.getByRole('button', { name: 'Disable' }).click()
    await page
      .getByRole('button', { name: /^(Disable|Enable)$/ })
      .first()
      .waitFor()
    assert.equal(await field(page, 'Note').inputValue(), 'mine')
  })

  it('survives a reload, which says so, and is gone once it is discarded', async () => {
    const page = await editTunnel()
    await field(page, 'Note').fill('mine')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Restored what you typed').waitFor()
    assert.equal(await field(page, 'Note').inputValue(), 'mine')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: /gre-a-1/ }).waitFor()
    assert.equal(await field(page, 'Note').inputValue(), '')
  })

  it('of a rule is sent alone, so that a port which another tab changed stays changed', async () => {
    const page = await edit('routes/1', /^Edit .*Web/)
    await field(page, 'Notes').fill('mine')
    host.clock.advance(1)
    await patchRoute(client, 1, { bind_port: 8443 })
    for (const button of ['Review the plan', 'Save the changes'])
      await page.getByRole('button', { name: button }).click()
    await page.getByText(/changed meanwhile/).waitFor()
    for (const button of ['Review the plan', 'Save the changes'])
      await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { level: 1, name: /^.*Web/ }).waitFor()
    await page.getByRole('heading', { name: 'On the server' }).waitFor()
    const { route } = (await getRoute(client, 1)).body
    assert.deepEqual([route.description, route.bind_port], ['mine', 8443])
  })

  it('for a new tunnel survives a reload', async () => {
    const visited: Visit = await goTo(await signedIn(await visit(host)), host, 'tunnels/new', 'Create a tunnel')
    const { page } = visited
    await page.getByRole('button', { name: 'Start here' }).click()
    await field(page, "The other server's address").fill('203.0.113.77')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Restored what you typed').waitFor()
    assert.equal(await field(page, "The other server's address").inputValue(), '203.0.113.77')
  })
})

const MISSING = /^Fill in this field\./

describe('A form that is refused', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(relayHost, (made) => ({ host } = made))

  const fill = async (page: Page, values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, value] of Object.entries(values)) await page.locator(`form [name="${name}"]`).fill(value)
  }

  const FORMS: readonly {
    readonly of: string
    readonly path: string
    readonly heading: string
    readonly sentTo: string
    readonly begin: (page: Page) => Promise<void>
    readonly submit: string
    readonly faults: Readonly<Record<string, RegExp>>
  }[] = [
    {
      of: 'a tunnel',
      path: 'tunnels/new',
      heading: 'Create a tunnel',
      sentTo: '/tunnels/preview',
      begin: async (page) => {
        await page.getByRole('button', { name: 'Start here' }).click()
        await page.getByText('An address of this server').waitFor()
        await page.getByText('Advanced', { exact: true }).click()
        await fill(page, { local_endpoint: ' ', mtu: '3', key: 'abc' })
      },
      submit: 'Show the plan',
      faults: {
        local_endpoint: MISSING,
        remote_endpoint: MISSING,
        mtu: /^MTU must be a whole number from 576/,
        key: /^(?!.*[io]key).*must be a whole number from 0/,
      },
    },
    {
      of: 'a rule',
      path: 'routes/new',
      heading: 'Create a rule',
      sentTo: '/routes/preview',
      begin: async (page) => {
        for (const _ of [1, 2]) await page.getByRole('button', { name: 'Add a destination' }).click()
        await page.getByRole('button', { name: 'Limit to a network' }).click()
        await fill(page, {
          bind_address: 'nonsense',
          'destinations.1.address': 'nonsense',
          'destinations.2.address': '10.9.0.3',
          'destinations.2.port': '99999',
        })
      },
      submit: 'Review the plan',
      faults: {
        bind_port: MISSING,
        bind_address: /is not an IP address/,
        'destinations.0.address': MISSING,
        'destinations.1.address': /^nonsense is not an IP address/,
        'destinations.2.port': /must be a whole number from 1 to 65535/,
        'allowed_sources.0.cidr': MISSING,
      },
    },
    {
      of: 'a network',
      path: 'networks/new',
      heading: 'Create a network',
      sentTo: '/networks/preview',
      begin: async (page) => {
        await page.getByRole('button', { name: 'Add a path' }).click()
        await page.getByText('Advanced', { exact: true }).click()
        await fill(page, { own_addresses: '10.66.0.1, x', source_address: 'x', 'paths.1.weight': '999' })
      },
      submit: 'Show the plan',
      faults: {
        destination: MISSING,
        'paths.0.tunnel_id': MISSING,
        'paths.1.tunnel_id': MISSING,
        'paths.1.weight': /must be a whole number from 1 to 255/,
        own_addresses: /must be an IP address/,
        source_address: /must be an IP address/,
      },
    },
    {
      of: 'a target of notifications',
      path: 'webhooks/new',
      heading: 'Add a target',
      sentTo: '/webhooks',
      begin: async (page) => {
        await fill(page, { url: 'nonsense' })
        await page.getByText('What is sent, and how often').click()
        await page.locator('[name="events"]').first().waitFor()
        const events = page.locator('[name="events"]:checked')
        for (; (await events.count()) > 0;) await events.first().uncheck()
      },
      submit: 'Add a target',
      faults: {
        title: MISSING,
        url: /^Enter an address such as smtp/,
        sender: /^Fill in this field: a target of the type email/,
        recipient: /^Fill in this field: a target of the type email/,
        events: /^Choose at least one/,
      },
    },
    {
      of: 'a token',
      path: 'account',
      heading: 'Account',
      sentTo: '/auth/tokens',
      begin: async (page) => {
        await page.getByRole('button', { name: 'Show the rest' }).last().focus()
        await page.getByText('New token').click()
        await fill(page, { allowed_networks: 'x, 192.0.2.0/24' })
      },
      submit: 'Create token',
      faults: {
        title: MISSING,
        scopes: /^Select at least one scope/,
        allowed_networks: /must be an address or a network such as/,
      },
    },
  ]
  for (const { of, path, heading, sentTo, begin, submit, faults } of FORMS)
    it(`says all that is wrong at once, beside each field, and that an empty one has to be filled: ${of}`, async () => {
      const { page, gates } = await goTo(await signedIn(await visit(host)), host, path, heading)
      await begin(page)
      gates.expectAnswer(422, sentTo)
      await page.getByRole('button', { name: submit, exact: true }).click()
      const wrong = page.locator('[aria-invalid="true"]')
      await wrong.first().waitFor()
      const found = await wrong.evaluateAll((inputs) =>
        inputs.map((input) => {
          const [id = ''] = input.getAttribute('aria-describedby')?.split(' ') ?? []
          return [input.getAttribute('name') ?? '', document.getElementById(id)?.textContent.trim() ?? ''] as const
        }),
      )
      assert.deepEqual([...new Set(found.map(([name]) => name))].sort(), Object.keys(faults).sort())
      for (const [name, sentence] of found) assert.match(sentence, faults[name] ?? /^$/, name)
      assert.equal(await page.getByRole('alert').count(), 0)
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true')
    })
})
