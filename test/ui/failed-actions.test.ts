// An action that failed says so by its own words for a failure, never by those for success: here all that need root,
// with the helper away.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browsing } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn } from './support/host.ts'
import { relayHost } from './support/relays.ts'

const FAILURE = /could not be/

describe('An action while the helper is away', function () {
  const { visit } = browsing()
  let host: Host
  eachHost(relayHost, (made) => ({ host } = made))

  /** Presses the buttons in turn; the last is that of the confirmation, where there is one. */
  const press = async (page: Page, buttons: readonly (string | RegExp)[]): Promise<void> => {
    for (const name of buttons) await page.getByRole('button', { name, exact: true }).last().click()
  }
  const titles = (page: Page): Promise<string[]> => page.locator('.toast .badge').allInnerTexts()

  const MORE = /^Actions for .*Web/
  const ACTIONS: [string, string, RegExp, readonly (string | RegExp)[], string][] = [
    ['disabling a tunnel', 'tunnels/2', /gre-a-2/, ['Disable'], 'Frankfurt · gre-a-2 could not be disabled'],
    [
      'restarting a tunnel',
      'tunnels/1',
      /gre-a-1/,
      ['More actions', 'Restart', 'Restart'],
      'Hamburg relay · gre-a-1 could not be restarted',
    ],
    [
      'reapplying a tunnel',
      'tunnels/1',
      /gre-a-1/,
      ['More actions', 'Reapply'],
      'Hamburg relay · gre-a-1 could not be reapplied',
    ],
    [
      'deleting a tunnel',
      'tunnels/1',
      /gre-a-1/,
      ['More actions', 'Delete', 'Delete'],
      'Hamburg relay · gre-a-1 could not be deleted',
    ],
    ['disabling a rule', 'routes', /^Relay rules/, [MORE, 'Disable'], 'Web could not be disabled'],
    ['reapplying a rule', 'routes', /^Relay rules/, [MORE, 'Reapply'], 'Web could not be reapplied'],
    ['deleting a rule', 'routes', /^Relay rules/, [MORE, 'Delete', 'Delete'], 'Web could not be deleted'],
    [
      'applying all rules',
      'routes',
      /^Relay rules/,
      ['More for all rules', 'Apply all rules…', 'Apply all'],
      'The rules could not be applied',
    ],
  ]
  for (const [what, path, heading, buttons, failure] of ACTIONS)
    it(`says of ${what} that it failed`, async () => {
      const { page } = await goTo(await signedIn(await visit(host, { allowConsole: /503/ })), host, path, heading)
      host.sendHelperAway()
      await press(page, buttons)
      await page.getByRole('alert').getByText(FAILURE).waitFor()
      assert.deepEqual(await titles(page), [failure])
    })

  it('says of an undo that it failed, not what was done before', async () => {
    const { page } = await goTo(
      await signedIn(await visit(host, { allowConsole: /503/ })),
      host,
      'tunnels/2',
      /gre-a-2/,
    )
    await press(page, ['Disable'])
    await page.getByText('Frankfurt · gre-a-2 is disabled').waitFor()
    host.sendHelperAway()
    await press(page, ['Undo'])
    await page.getByRole('alert').getByText('Undo failed: Frankfurt · gre-a-2 is disabled').waitFor()
  })
})
