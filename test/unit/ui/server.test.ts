// How a tab says which server it shows.
import assert from 'node:assert/strict'
import { glanceAt, incidentPage } from '../../../ui/src/core/attention.ts'
import { favicon, serverName, tabTitle } from '../../../ui/src/shell/server.ts'

const named = (name: string, host: string): string => serverName({ 'display.server_name': name }, host)

describe('A tab', () => {
  it("says the operator's name of the server, or else the one in the address", () => {
    assert.deepEqual(
      [named('Hamburg 1', 'panel.example'), named('', 'panel.example'), named('', '192.0.2.1')],
      ['Hamburg 1', 'panel.example', '192.0.2.1'],
    )
  })

  it("takes no name from the address of the browser's own computer, at the end of an SSH tunnel", () => {
    assert.deepEqual(
      ['localhost', '127.0.0.1', '127.8.8.8', '[::1]'].map((host) => named('', host)),
      ['', '', '', ''],
    )
  })

  it('is titled with the page, the server and the panel', () => {
    assert.deepEqual(
      [tabTitle('Tunnels', 'Hamburg 1', 'Tunnel Panel'), tabTitle('Tunnels', '', 'Tunnel Panel')],
      ['Tunnels · Hamburg 1 · Tunnel Panel', 'Tunnels · Tunnel Panel'],
    )
  })

  it('is titled with the server first where something needs attention there', () => {
    assert.equal(tabTitle('Tunnels', 'Hamburg 1', 'Tunnel Panel', '2'), '(2) Hamburg 1 · Tunnels · Tunnel Panel')
  })

  it('has an icon whose mark is another for each kind of trouble', () => {
    const icons = ([null, 'down', 'degraded', 'unknown'] as const).map((mark) => favicon('red', mark))
    assert.equal(new Set(icons).size, 4)
  })

  it('counts incidents, and the parts of the panel that none of them explains', () => {
    const part = (name: 'rules' | 'helper') => ({ name, status: 'error' }) as const
    const rule = { kind: 'route', id: 1, state: 'degraded' } as Parameters<typeof glanceAt>[0][number]
    assert.deepEqual(glanceAt([], []), { count: 0, mark: null })
    assert.deepEqual(glanceAt([rule], [part('rules')]), { count: 1, mark: 'degraded' })
    assert.deepEqual(glanceAt([rule], [part('helper')]), { count: 2, mark: 'down' })
    const away = { kind: 'helper', id: null, state: 'down' } as Parameters<typeof glanceAt>[0][number]
    assert.deepEqual(glanceAt([away], [part('helper')]), { count: 1, mark: 'down' })
  })

  it('has a page for each kind of incident', () => {
    const pages = (['tunnel', 'route', 'network', 'certificate', 'disk', 'helper', 'backup'] as const).map((kind) =>
      incidentPage({ kind, id: kind === 'tunnel' || kind === 'route' ? 7 : null }),
    )
    assert.deepEqual(pages, ['/tunnels/7', '/routes/7', '/networks', '/system', '/metrics', '/system', '/backup'])
  })

  it('has an icon in the colour of the server, without a request', () => {
    assert.match(favicon('red'), /^data:image\/svg\+xml,.*b3231b/)
    assert.notEqual(favicon('red'), favicon('blue'))
  })
})
