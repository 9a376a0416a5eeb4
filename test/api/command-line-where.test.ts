// Which panel a command over the API speaks to: this host's, or the one that is named (reference.md, Command line).
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListWebhooksAnswer } from '@panel/shared/api/webhooks.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { startCommandLine, type CommandLine, type Ended } from './support/command-line.ts'
import { httpReceiver, type HttpReceiver } from './support/receivers.ts'
import { createTunnel } from './support/tunnels.ts'

const HOOK = 'https://hooks.example/T000/secret'

describe('A command over the API, as it is installed', function () {
  let command: CommandLine
  let elsewhere: HttpReceiver
  let token: string

  before(async () => {
    command = await startCommandLine()
    elsewhere = await httpReceiver()
    const wanted = { title: 'everything', scopes: ['*'] }
    token = (await command.operator.post<{ text: string }>('/auth/tokens', wanted)).body.text
    await createTunnel(command.operator, { display_name: 'Hamburg' })
  })
  after(async () => {
    elsewhere.close()
    await command.close()
  })

  const rename = (value: string): Promise<Ended> =>
    command.runScript(['tunnels', 'update', '1', '--display_name', value])

  it('changes the panel of this host, whatever address or option a value resembles', async () => {
    for (const value of ['see https://wiki.example/gre', '--url', '--panel=https://elsewhere.example/']) {
      const { code, output } = await rename(value)
      assert.deepEqual([code, output], [0, ''])
      assert.equal((await command.operator.get<TunnelView>('/tunnels/1')).body.display_name, value)
    }
  })

  it('goes to the panel that --panel, --url or PANEL_URL names, and reads nothing of this host', async () => {
    const env = { PANEL_TOKEN: token }
    for (const [args, more] of [
      [['--panel', command.panel.base], {}],
      [[`--url=${command.panel.base}`], {}],
      [[], { PANEL_URL: command.panel.base }],
    ] as const)
      assert.equal((await command.runScript(['tunnels', 'list', ...args], { ...env, ...more })).code, 0)
    const { code, output } = await command.runScript(['tunnels', 'list', '--panel', elsewhere.url])
    assert.deepEqual([code, /takes an API token/.test(output)], [2, true], output)
  })

  it('never sends a token to the address that a target of notifications shall have', async () => {
    const { code, output } = await command.runScript(
      ['webhooks', 'create', '--title', 'Hook', '--kind', 'json', '--url', elsewhere.url],
      { PANEL_TOKEN: token },
    )
    assert.deepEqual([code, elsewhere.received.length], [2, 0])
    assert.match(output, /url .*--data FILE.*--panel/)
  })

  it('takes that address with --data, here and at a panel that --panel names', async () => {
    const file = join(command.folder, 'hook.json')
    writeFileSync(file, JSON.stringify({ title: 'Hook', kind: 'slack', url: HOOK, events: ['tunnel_state'] }))
    const create = ['webhooks', 'create', '--data', file]
    assert.equal((await command.runScript(create)).code, 0)
    const there = [...create, '--panel', command.panel.base]
    assert.equal((await command.runScript(there, { PANEL_TOKEN: token })).code, 0)
    const { webhooks } = (await command.operator.get<ListWebhooksAnswer>('/webhooks')).body
    assert.deepEqual(
      webhooks.map(({ address }) => address),
      ['https://hooks.example', 'https://hooks.example'],
    )
  })
})
