// What a person does in more than one picture.
import type { Message } from '@panel/shared/messages/message.ts'
import type { Page, Route } from 'playwright-core'
import type { At } from './scene.ts'

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()

/** An item of the menu that the first button of `within` opens. */
export const choose = async (page: Page, within: string, item: string): Promise<void> => {
  await page.locator(`${within} button[popovertarget]`).first().click()
  await page.locator(`[popover]:popover-open ${item}`).first().click()
}

/** Waits until the dialog shows what its change interrupts. */
export const foretold = (page: Page): Promise<void> => page.locator('dialog .impact').waitFor()

export const select = async ({ page, say }: At, names: readonly string[]): Promise<void> => {
  for (const name of names) await page.getByRole('checkbox', { name: say('core.select', { name }) }).check()
}

export const analyze = async ({ page, say }: At): Promise<void> => {
  await press(page, say('diagnostics.analyze.start'))
  await page.locator('.summary').waitFor()
}

/** Refuses like the daemon: what the sentence is made from is in a header. */
export const refuse = (
  route: Route,
  status: number,
  { message_id = '', params = {}, ...error }: { code: string; message: string } & Partial<Message>,
): Promise<void> => {
  const headers = message_id === '' ? {} : { 'X-Message': JSON.stringify({ message_id, params }) }
  return answer(route, { error: { details: {}, ...error } }, status, headers)
}

export const answer = (
  route: Route,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Promise<void> => route.fulfill({ status, headers, contentType: 'application/json', body: JSON.stringify(body) })

/** A backup of now, in which a server, a tunnel and a rule have another name. */
export async function previewBackup({ page, say }: At): Promise<void> {
  const document = await page.evaluate(async () => {
    const { api_base_path } = (window as unknown as { __PANEL__: { api_base_path: string } }).__PANEL__
    return (await fetch(`${api_base_path}/backup/export`)).text()
  })
  await page.locator('[name=document]').fill(document.replaceAll('Hamburg', 'Hamburg 2').replaceAll('Web shop', 'Shop'))
  await press(page, say('backup.look'))
  await page.getByRole('list', { name: say('backup.summary') }).waitFor()
}
