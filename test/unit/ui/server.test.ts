// How a tab says which server it shows.
import assert from 'node:assert/strict'
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

  it('has an icon in the colour of the server, without a request', () => {
    assert.match(favicon('red'), /^data:image\/svg\+xml,.*b3231b/)
    assert.notEqual(favicon('red'), favicon('blue'))
  })
})
