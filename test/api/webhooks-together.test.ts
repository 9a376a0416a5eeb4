// Rules behind one chain of other software, or over one tunnel, are one notification that names the cause and the rules,
// and so are those that work again (reference.md, Notifications; decisions.md, N9).
import assert from 'node:assert/strict'
import { nothingForeign } from '@panel/shared/foreign/model.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import type { Client } from './support/client.ts'
import { accepts, answers } from './support/receivers.ts'
import { actOnRoute, createRoute, patchRoute } from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'
import { rest, startNotified, type Notified } from './support/webhooks.ts'

interface Sent {
  readonly type: string
  readonly data: {
    readonly severity: string
    readonly text: string
    readonly subject: { readonly id: number; readonly name: string }
    readonly subjects: readonly { readonly id: number }[]
  }
}

const RULES = 5
const DROPPING = JSON.stringify({
  nftables: [
    {
      chain: {
        family: 'inet',
        table: 'filter',
        name: 'forward',
        type: 'filter',
        hook: 'forward',
        prio: 0,
        policy: 'drop',
      },
    },
  ],
})

describe('Rules with the same cause', () => {
  let notified: Notified
  let operator: Client
  beforeEach(async () => {
    notified = await startNotified()
    ;({ operator } = notified)
    await notified.add({ events: ['route_health'] })
    for (let at = 1; at <= RULES; at += 1) await createRoute(operator, { bind_port: at, route_rule_title: `Web ${at}` })
    await notified.panel.routeWatch.pass('start')
  })
  afterEach(() => notified.close())

  const look = async (): Promise<void> => {
    notified.panel.routeWatch.hint('all')
    await notified.panel.routeWatch.pass('event')
    await notified.panel.notifications.outbox.stored()
  }
  const drops = (isDropping: boolean): void =>
    void (notified.panel.kernel.foreign = isDropping ? readForeign(DROPPING, '') : nothingForeign(''))
  const sent = async (count: number): Promise<Sent[]> => {
    await notified.arrives(count)
    await rest()
    assert.equal(notified.receiver.received.length, count)
    return notified.receiver.received.map(({ body }) => JSON.parse(body) as Sent)
  }
  const ids = (one: Sent | undefined): number[] => one?.data.subjects.map(({ id }) => id) ?? []

  it('are one notification that names the chain and lists them, and one when they work again', async () => {
    drops(true)
    await look()
    const [problem] = await sent(1)
    assert.deepEqual(
      [problem?.type, problem?.data.severity, problem?.data.subject.name],
      ['route_health', 'problem', 'Web 1'],
    )
    assert.match(
      problem?.data.text ?? '',
      /^5 relay rules relay nothing: Web 1, Web 2, Web 3, Web 4, Web 5\. .*inet filter, chain forward/,
    )
    assert.match(problem?.data.text ?? '', /nft insert rule inet filter forward/)
    assert.deepEqual(ids(problem), [1, 2, 3, 4, 5])
    drops(false)
    notified.pass(600)
    await look()
    const [, resolved] = await sent(2)
    assert.deepEqual([resolved?.data.severity, ids(resolved)], ['resolved', [1, 2, 3, 4, 5]])
    assert.equal(resolved?.data.text, '5 relay rules work again: Web 1, Web 2, Web 3, Web 4, Web 5.')
  })

  it('end without the one that was disabled, which is no rule that works', async () => {
    drops(true)
    await look()
    await sent(1)
    await actOnRoute(operator, 2, 'disable')
    drops(false)
    notified.pass(600)
    await look()
    const [, resolved] = await sent(2)
    assert.deepEqual(ids(resolved), [1, 3, 4, 5])
  })

  it('are one notification after a cool-down and after a receiver that did not answer, too', async () => {
    notified.receiver.behaves = answers(500)
    drops(true)
    await look()
    await sent(1)
    notified.receiver.behaves = accepts
    notified.pass(6)
    assert.deepEqual(ids((await sent(2))[1]), [1, 2, 3, 4, 5])
    const states = (await notified.deliveries()).map(({ state }) => state)
    assert.deepEqual([...new Set(states)], ['delivered'])
    drops(false)
    await look()
    await sent(3)
    drops(true)
    await look()
    await sent(3)
    notified.pass(600)
    assert.deepEqual(ids((await sent(4))[3]), [1, 2, 3, 4, 5])
  })

  it('name ten at most, and say how many there are', async () => {
    for (let at = RULES + 1; at <= 12; at += 1)
      await createRoute(operator, { bind_port: at, route_rule_title: `Web ${at}` })
    await look()
    drops(true)
    await look()
    const [problem] = await sent(1)
    assert.match(problem?.data.text ?? '', /^12 relay rules relay nothing: Web 1, .* Web 10 and 2 more\. /)
    assert.equal(ids(problem).length, 10)
  })

  it('are no part of the notification of a rule with another one', async () => {
    drops(true)
    notified.panel.kernel.rulesets.edit(1, { nat_mode: 'none' })
    await look()
    const both = (await sent(2)).map(ids)
    assert.deepEqual(both.sort(), [[1], [2, 3, 4, 5]])
  })

  it('are one notification where they relay over one tunnel that is down', async () => {
    const { tunnel_id, interface_name } = (await createTunnel(operator)).body.tunnel
    for (const id of [2, 3]) assert.equal((await patchRoute(operator, id, { tunnel_id })).status, 200)
    await look()
    assert.equal((await act(operator, tunnel_id, 'down')).status, 200)
    await look()
    const [problem] = await sent(1)
    assert.deepEqual(ids(problem), [2, 3])
    assert.ok(problem?.data.text.includes(`${interface_name} that the rule relays over is down`), problem?.data.text)
  })
})
