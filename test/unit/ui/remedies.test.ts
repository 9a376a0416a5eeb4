// What a sentence of the API links and offers: the table holds against the sentences, and none that calls for a link or
// for something to be done is left without.
import assert from 'node:assert/strict'
import { placeholderNames } from '@panel/shared/messages/format.ts'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { message, verbatim, type MessageId } from '@panel/shared/messages/message.ts'
import { ruleNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import { SETTING_KEYS } from '../../../web-daemon/features/settings/definitions.ts'
import { offersOf, pageOf } from '../../../ui/src/components/message/offers.ts'
import { OBJECTS, REMEDIES, REQUESTS } from '../../../ui/src/components/message/remedies.ts'
import { matchRoute } from '../../../ui/src/core/routes.ts'

const IDS = Object.keys(CATALOGUE) as MessageId[]
const tunnel = tunnelNamed({ interface_name: 'gre-a-3', tunnel_id: 3 })

/** Sentences with a word of something to be done, and why they offer nothing. */
const NOTHING_OFFERED: Readonly<Partial<Record<MessageId, string>>> = {
  'component.rules': 'all is well',
  'far_end.switch': 'is done on another server',
  'finding.fix_bound': 'the interface is none of the panel',
  'health.is_enabled': 'all is well',
  'note.all_applied': 'all is well',
  'note.copy': 'stands at the form of the copy',
  'root.networkd_not_enabled': 'a command for a shell',
  'route.one_active': 'stands at the field of the form',
  'route.remedy_balance': 'stands at the field of the form',
  'step.enable_keepalive': 'a step of a plan',
  'step.link_up': 'a step of a plan',
  'step.enable_unit': 'a step of a plan',
}
const isInRowWithActions = (id: string): boolean => /^(drift|adopt)\./.test(id)

describe('What a sentence offers', () => {
  it('is of sentences that there are', () =>
    assert.deepEqual(
      [...Object.keys(REMEDIES), ...Object.keys(OBJECTS)].filter((id) => !IDS.includes(id as MessageId)),
      [],
    ))

  it('leads to pages that there are', () => {
    const pages = [...Object.values(REMEDIES), ...Object.values(OBJECTS)].flatMap((one) =>
      typeof one === 'string' ? [one] : 'to' in one ? [one.to] : [],
    )
    assert.deepEqual(
      pages.filter((page) => matchRoute(page.replace(/\?.*/, '')) === null),
      [],
    )
  })

  it('is a setting wherever the text has the key of one', () => {
    const naming = IDS.filter((id) => SETTING_KEYS.some((key) => CATALOGUE[id].includes(key)))
    assert.ok(naming.length >= 4)
    for (const id of naming) {
      const [offer] = offersOf(message(id, everything(id)), {})
      assert.match(offer && 'to' in offer ? offer.to : '', /^\/settings\?q=\w+\.\w+$/, id)
    }
  })

  it('is something wherever the text says to reapply, enable or turn on', () => {
    const ids = { tunnel_id: 3, route_rule_id: 5, pool_id: 7, run: 9 }
    assert.deepEqual(
      IDS.filter((id) => /reapply|\benable\b|turn .*on\b|bring .* up\b/i.test(CATALOGUE[id]))
        .filter((id) => !isInRowWithActions(id) && !(id in NOTHING_OFFERED))
        .filter((id) => offersOf(message(id, everything(id)), ids).length === 0),
      [],
    )
  })

  it('is a link of each tunnel, rule and pool that a sentence names', () => {
    const objects = IDS.filter((id) => id.startsWith('object.') && CATALOGUE[id] === '{name}')
    assert.deepEqual(
      objects.filter((id) => pageOf({ message: 'x', message_id: id, params: { name: 'x', id: 3 } }) === null),
      [],
    )
    assert.equal(pageOf(tunnel), '/tunnels/3')
    assert.equal(pageOf(ruleNamed({ route_rule_title: 'Web', route_rule_id: 5 })), '/routes/5')
  })

  it('is of the object that the sentence names before the one that it is about', () =>
    assert.deepEqual(offersOf(message('health.fix_tunnel_up', { tunnel }), { tunnel_id: 1, route_rule_id: 5 }), [
      { request: 'enable_tunnel', id: 3 },
    ]))

  it('is nothing where the object is not known, nor for text of the kernel', () => {
    assert.deepEqual(offersOf(message('finding.fix_reapply'), {}), [])
    assert.deepEqual(offersOf(verbatim('No such device'), { tunnel_id: 1 }), [])
  })

  it('is that of a sentence within it too, once', () => {
    const reapply = message('health.reapply')
    const sentence = message('panel.sentences', {
      first: message('health.sentence', { text: reapply }),
      second: reapply,
    })
    assert.deepEqual(offersOf(sentence, { route_rule_id: 5 }), [{ request: 'reapply_rule', id: 5 }])
  })

  it('has each request in the table used', () => {
    const used = Object.values(REMEDIES).flatMap((one) => ('request' in one ? [one.request] : []))
    assert.deepEqual([...new Set(used)].sort(), Object.keys(REQUESTS).sort())
  })
})

/** A value for every placeholder. */
function everything<I extends MessageId>(id: I): never {
  const names = placeholderNames(CATALOGUE[id])
  const objects = ['tunnel', 'tunnels', 'rule', 'rules', 'pool', 'pools']
  return Object.fromEntries(names.map((name) => [name, objects.includes(name) ? tunnel : 'x'])) as never
}
