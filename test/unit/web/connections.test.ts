// The count of connections for each client, where the kernel is ahead of node's events.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { Connections } from '@panel/web-daemon/platform/http/connections.ts'

describe('The connections of one client', () => {
  it('count once, even if the next one from a port is accepted before the end of the last one is seen', () => {
    const server = createServer()
    new Connections(server, { total: 10, ofAddress: () => 2 })
    const connectFrom = (port: number): Socket => {
      const socket = Object.defineProperty(new Socket(), 'remotePort', { value: port })
      server.emit('connection', socket)
      return socket
    }
    const [reset, next] = [connectFrom(1), connectFrom(1)]
    for (const socket of [reset, next]) socket.emit('close')
    const both = [connectFrom(2), connectFrom(3)]
    assert.deepEqual(
      both.map((socket) => socket.destroyed),
      [false, false],
    )
  })
})
