// The HTTP server's time-outs, and how it ends (decisions.md, W10).
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { DRAIN_MS, drain, listen, serverUrl } from '@panel/web-daemon/platform/http/server.ts'
import { FOREVER_MS } from '../../support/eventually.ts'

describe('the HTTP server', () => {
  it('gives headers 10 s, a request 60 s and an idle connection 120 s, and drains for 15 s', async () => {
    const server = await listen((_req, res) => res.end(), '127.0.0.1', 0)
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.timeout, DRAIN_MS],
      [10_000, 60_000, 120_000, 0, 15_000],
    )
    await drain(server)
  })

  it('tells its address, of IPv6 in brackets', async () => {
    const server = await listen((_req, res) => res.end(), '::1', 0)
    assert.match(serverUrl(server, '/panel'), /^http:\/\/\[::1\]:\d+\/panel\/$/)
    await drain(server)
  })

  it('refuses an address that is taken', async () => {
    const server = await listen((_req, res) => res.end(), '127.0.0.1', 0)
    await assert.rejects(
      listen(() => undefined, '127.0.0.1', Number(new URL(serverUrl(server, '')).port)),
      { code: 'EADDRINUSE' },
    )
    await drain(server)
  })

  it('ends as soon as the last answer is given, although its connection is kept alive', async () => {
    const agent = new Agent({ keepAlive: true })
    const server = await listen((_req, res) => void setTimeout(() => res.end('done'), 150), '127.0.0.1', 0)
    const answer = new Promise<string>((resolve) =>
      request(serverUrl(server, ''), { agent }, (response) =>
        response.on('data', (chunk) => resolve(String(chunk))),
      ).end(),
    )
    await sleep(50)
    await Promise.all([drain(server, FOREVER_MS), answer.then((text) => assert.equal(text, 'done'))])
    agent.destroy()
  })

  it('cuts off what does not end in time', async () => {
    const server = await listen(() => undefined, '127.0.0.1', 0)
    const cut = new Promise((resolve) => request(serverUrl(server, '')).on('error', resolve).end())
    await sleep(50)
    await drain(server, 100)
    assert.ok((await cut) instanceof Error)
  })
})
