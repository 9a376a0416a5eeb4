// How the app page and its files come over the wire: compressed, kept or not kept, with what the address needs first,
// and as the operator wants to be shown things.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Client } from './support/client.ts'
import { PAGE_DIR, startPanel, type TestPanel } from './support/panel.ts'

const ASSETS = join(PAGE_DIR, 'assets')
const SCRIPT = readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? ''
/** Several features have a page of this name; the list of what each address needs tells them apart. */
const { routes } = JSON.parse(readFileSync(join(PAGE_DIR, 'preload.json'), 'utf8')) as {
  routes: { path: string; files: { en: string[] } }[]
}
const TUNNELS =
  routes
    .find(({ path }) => path === '/tunnels')
    ?.files.en.map((file) => file.replace('assets/', ''))
    .find((name) => /^ListPage-.*\.js$/.test(name)) ?? ''

describe('the page over the wire', () => {
  let panel: TestPanel
  let client: Client
  before(async () => {
    panel = await startPanel({ web_path: 'way', page_dir: PAGE_DIR })
    client = await panel.setUp()
  })
  after(() => panel.close())

  const html = async (path = '', who: Client = client): Promise<string> => (await who.raw('GET', `/way/${path}`)).text
  /** The answer as it is on the wire, which only its length tells to a client that reads text. */
  const sizeOf = async (
    path: string,
    encoding: string,
  ): Promise<{ size: number; headers: Record<string, unknown> }> => {
    const { headers } = await client.raw('HEAD', path, undefined, { headers: { 'Accept-Encoding': encoding } })
    return { size: Number(headers['content-length']), headers }
  }

  it('has each file compressed at build, and sends the one that the browser takes', async () => {
    const plain = readFileSync(join(ASSETS, SCRIPT))
    assert.deepEqual(brotliDecompressSync(readFileSync(join(ASSETS, `${SCRIPT}.br`))), plain)
    assert.deepEqual(gunzipSync(readFileSync(join(ASSETS, `${SCRIPT}.gz`))), plain)
    for (const [accepts, ending] of [
      ['gzip, deflate, br', '.br'],
      ['gzip', '.gz'],
      ['identity', ''],
    ] as const) {
      const { size, headers } = await sizeOf(`/way/assets/${SCRIPT}`, accepts)
      assert.equal(size, readFileSync(join(ASSETS, SCRIPT + ending)).length, accepts)
      assert.equal(headers['vary'], 'Accept-Encoding')
    }
    assert.equal((await client.raw('GET', `/way/assets/${SCRIPT}.br`)).status, 404)
  })

  it('compresses the page itself, and has it never stored and its files kept for ever', async () => {
    const [packed, plain] = [await sizeOf('/way/', 'br'), await sizeOf('/way/', 'identity')]
    assert.equal(packed.headers['content-encoding'], 'br')
    assert.ok(packed.size < plain.size * 0.7)
    assert.equal(packed.headers['cache-control'], 'no-store')
    const files = readdirSync(ASSETS).filter((name) => !/\.(br|gz)$/.test(name))
    for (const name of files)
      assert.equal(
        (await client.raw('HEAD', `/way/assets/${name}`)).headers['cache-control'],
        'public, max-age=31536000, immutable',
        name,
      )
  })

  it('sends its files without what guards a document, and the page with it', async () => {
    const guards = [
      'content-security-policy',
      'x-frame-options',
      'cross-origin-opener-policy',
      'permissions-policy',
      'referrer-policy',
      'x-request-id',
    ]
    const [file, page] = await Promise.all([client.raw('GET', `/way/assets/${SCRIPT}`), client.raw('GET', '/way/')])
    assert.deepEqual(
      [guards.filter((name) => name in file.headers), guards.filter((name) => !(name in page.headers))],
      [[], []],
    )
    for (const { headers } of [file, page])
      assert.deepEqual(
        [headers['x-content-type-options'], headers['cross-origin-resource-policy']],
        ['nosniff', 'same-origin'],
      )
  })

  it('names the files of the requested address, and with a session its first answers', async () => {
    const tunnels = await html('tunnels')
    assert.ok(
      TUNNELS !== '' && tunnels.includes(`<link rel="modulepreload" crossorigin href="/way/assets/${TUNNELS}">`),
    )
    assert.ok(!(await html('')).includes(TUNNELS))
    const first = '<link rel="preload" as="fetch" crossorigin="anonymous" href="/way/api/v1/tunnels?limit=1000">'
    assert.ok(tunnels.includes(first))
    const stranger = await html('tunnels', panel.visitor())
    assert.ok(
      !stranger.includes(first) &&
        !stranger.includes(TUNNELS) &&
        /modulepreload" crossorigin href="\/way\/assets\/Entrance-/.test(stranger),
      'one who is not signed in needs the sign-in',
    )
    const named = [...tunnels.matchAll(/href="\/way\/assets\/([^"]+)"/g)].map((match) => String(match[1]))
    for (const name of named) assert.ok(existsSync(join(ASSETS, name)), name)
    assert.equal(new Set(named).size, named.length, 'a file is named twice')
  })

  it('bears language, direction, colours and what else of display differs from its default before any script runs', async () => {
    assert.match(await html(), /^<!doctype html>\s*<html lang="en" dir="ltr" data-theme="system" /)
    await client.put('/settings', { 'display.language': 'fa', 'display.theme': 'dark', 'display.digits': 'persian' })
    const page = await html()
    assert.match(page, /<html lang="fa" dir="rtl" data-theme="dark" /)
    const display = JSON.parse((/data-display="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"')) as Record<
      string,
      unknown
    >
    assert.deepEqual(display, { 'display.language': 'fa', 'display.theme': 'dark', 'display.digits': 'persian' })
    await client.post('/settings/reset', { keys: ['display.language', 'display.theme', 'display.digits'] })
  })
})
