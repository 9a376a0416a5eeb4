// Steps of the story in which the page itself is put to the test: two tabs with one form, and no root helper.
import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { field, seen } from '../../ui/support/host.ts'
import type { Panel } from '../../vm/panel/panel.ts'
import { linkOf } from './kernel.ts'
import { badge, button, goTo } from './steps.ts'

interface Typed {
  readonly name?: string
  readonly notes: string
}

/**
 * On the page of a rule. Each tab changes the notes, and the second the name too; the first decides about the notes.
 */
export async function editInTwoTabs(first: Page, { mine, theirs }: { mine: Typed; theirs: Typed }): Promise<void> {
  const edit = async (page: Page, { name, notes }: Typed): Promise<void> => {
    await page.locator('summary', { hasText: 'Advanced' }).click()
    await field(page, 'Notes').fill(notes)
    if (name !== undefined) await field(page, 'Name').fill(name)
  }
  const save = async (page: Page): Promise<void> => {
    await button(page, 'Review the plan').click()
    await button(page, 'Save the changes').click()
  }
  await first.getByRole('link', { name: 'Edit', exact: true }).click()
  await seen(first, /^Edit /)
  const second = await first.context().newPage()
  await second.goto(first.url())
  await edit(first, mine)
  await edit(second, theirs)
  const goOn = await holdRule(first)
  await save(second)
  await seen(second, theirs.name ?? '')
  await second.close()
  await save(first)
  const notes = first.getByRole('row', { name: /^Notes/ })
  assert.match(await notes.innerText(), new RegExp(`${theirs.notes}\\s+${mine.notes}`))
  await first.getByRole('button', { name: 'Keep mine: Notes' }).click()
  await save(first)
  await goOn()
  await seen(first, theirs.name ?? '')
}

/** Keeps the page from reading rules until the returned function is called: following a change drops a plan. */
async function holdRule(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = []
  let isHolding = true
  await page.route(/\/api\/v1\/routes(\/\d+)?(\?|$)/, (route) =>
    isHolding && route.request().method() === 'GET' ? void held.push(route) : route.continue(),
  )
  // The handler stays: with the last one what is held would go on by itself, and could not go on a second time.
  return async () => {
    isHolding = false
    for (const route of held) await route.continue()
  }
}

/** Checks that an action that needs root fails visibly and changes nothing; it works once the helper runs again. */
export async function loseHelper(page: Page, panel: Panel, name: string): Promise<void> {
  panel.helper.kill('KILL')
  await panel.helper.exited
  await page.getByRole('banner').getByText('Not working').first().waitFor()
  await goTo(page, 'Overview')
  await page
    .getByRole('region', { name: 'Needs attention' })
    .getByText(/The root helper cannot be reached/)
    .first()
    .waitFor()
  await goTo(page, 'Tunnels')
  await page.getByRole('main').getByRole('link', { name }).click()
  await button(page, 'Disable').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('alert').getByText(`${name} could not be disabled`).waitFor()
  assert.equal(await page.getByText(`${name} is disabled`, { exact: true }).count(), 0)
  assert.ok(await linkOf(panel.server, name))
  await panel.startHelper()
  await page.getByRole('banner').getByText('Ready').waitFor()
  await goTo(page, 'Tunnels')
  await badge(page.getByRole('row', { name: new RegExp(name) }).first(), 'Up').waitFor()
}
