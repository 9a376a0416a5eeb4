// The sentences of the API: every one in four languages with the same parameters, and none that nobody says.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from '@panel/shared/messages/catalogue.ts'
import { formatMessage, placeholderNames } from '@panel/shared/messages/format.ts'
import { ROOT as ROOT_SAYS } from '@panel/shared/messages/root.ts'
import { fromRoot, message, verbatim, type Message, type MessageId } from '@panel/shared/messages/message.ts'
import type { ReceivedIcmp } from '@panel/root-helper/kernel/icmp/port.ts'
import { errorMeaning } from '@panel/root-helper/kernel/icmp/constants.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { describeError, describeRefusal } from '@panel/root-helper/path/describe.ts'
import { render } from '../../../ui/src/core/message.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const LANGUAGES = ['fa', 'ru', 'zh-CN'] as const
const IDS = Object.keys(CATALOGUE) as MessageId[]
/** A sentence that stands at the field need not name it, nor say what only a client of the API sends. */
const OPTIONAL = ['body', 'expected', 'field', 'other_field']
const needed = (names: readonly string[]): readonly string[] => names.filter((name) => !OPTIONAL.includes(name))

/** The name of a field, a setting or an endpoint, or a word of the API for an end's key or a state. */
const OF_THE_API =
  /\b[a-z]+(?:_[a-z0-9]+)+\b|\b(?:GET|PUT|POST|PATCH|DELETE) \/|\b[io]key\b|\b(?:diagnostics|monitor|routes|security|tunnel|webhooks)\.[a-z]+/
/** Names of settings of the kernel, which an operator finds under these alone. */
const OF_THE_KERNEL = /\b(?:net\.netfilter\.)?nf_conntrack_\w+|\baccept_ra\b|\broute_localnet\b/g
/** Refusals of requests that the page never sends. */
const FOR_CLIENTS: ReadonlySet<string> = new Set([
  'input.confirm_twice',
  'input.window_id',
  'panel.csrf',
  'route.first_destination',
  'route.name_destination',
  'route.name_source',
  'safe_apply.unknown',
])

/** The types and codes of ICMP and ICMPv6. */
const [TYPES, CODES] = [13, 16].map((many) => Array.from({ length: many }, (_, n) => n)) as [number[], number[]]

const readLanguage = (language: string): Record<string, string> => {
  const folder = join(ROOT, 'ui/src/locales', language, 'messages')
  return Object.assign(
    {},
    ...readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
  ) as Record<string, string>
}

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        file.endsWith('.ts') &&
        (/^messages\/(message|named)\.ts$/.test(file) || !file.startsWith('messages/')) &&
        !file.includes('node_modules'),
    )
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'))

const plain = (language: string) => ({
  language,
  number: String,
  instant: (at: string) => `<${at}>`,
  isolate: (text: string) => text,
  comma: ', ',
})

describe('The sentences of the API', () => {
  it('are each used somewhere', () => {
    const text = ['shared', 'root-helper', 'web-daemon', 'ui/src/core'].flatMap(sources).join('\n')
    assert.deepEqual(
      IDS.filter((id) => !id.startsWith('root.') && !text.includes(`'${id}'`)),
      [],
    )
  })

  it('are known again where the root helper says them', () => {
    const text = ['root-helper', 'shared/forwarding', 'shared/path', 'shared/ruleset', 'web-daemon/change']
      .flatMap(sources)
      .join('\n')
    assert.deepEqual(
      Object.entries(ROOT_SAYS).filter(
        ([id, phrase]) => !text.includes(`'${id}'`) && !text.includes(phrase.replaceAll('{', '${')),
      ),
      [],
    )
  })

  it('are known again with what the root helper named in them, and with a phrase within another', () => {
    assert.deepEqual(
      fromRoot('Unit files in /etc/systemd/system'),
      message('root.units', { folder: '/etc/systemd/system' }),
    )
    const unread = message('root.files_unread', { folder: '/srv/a.b' })
    assert.deepEqual(fromRoot(unread.message), unread)
    const none = fromRoot('Nothing here can hold relay rules (nft is not installed): install the package nftables')
    assert.equal(
      render(none, readLanguage('ru'), plain('ru'), () => undefined),
      'Держать правила ретрансляции здесь нечем (nft не установлен): установите пакет nftables',
    )
    assert.equal(fromRoot('nft: Operation not permitted').message_id, '')
  })

  it('are known again wherever a packet was refused or reported as lost, with the address in it', () => {
    const from = { from_address: '192.0.2.9', reported_mtu: null } as ReceivedIcmp
    for (const family of [4, 6] as const)
      for (const [type, code] of TYPES.flatMap((one) => CODES.map((other) => [one, other] as const))) {
        const text = errorMeaning(family, type, code)?.text
        if (text === undefined) continue
        const { message_id, params } = fromRoot(describeError({ ...from, text }))
        const what = params['what'] as Message | undefined
        assert.deepEqual([message_id, params['address'], what?.message], ['root.says', '192.0.2.9', text])
      }
    const ends = { interface_name: 'gre-a-1', source_address: '10.0.0.1', target_address: '10.0.0.2' }
    for (const code of ['EPERM', 'EACCES', 'EINVAL', 'EADDRNOTAVAIL', 'ENETUNREACH', 'ENETDOWN', 'EMSGSIZE'])
      for (const of of [ends, { ...ends, interface_name: '' }, { ...ends, interface_name: '', source_address: '' }]) {
        const error = `send to 10.0.0.2: refused: so it is (${code})`
        const sentence = fromRoot(describeRefusal(new KernelError(code, error), of))
        if (sentence.message === error) continue
        assert.equal(sentence.params['error'], error, sentence.message)
        for (const named of [of.interface_name, of.source_address].filter((one) => sentence.message.includes(one)))
          assert.ok(named === '' || Object.values(sentence.params).includes(named), `${named} in ${sentence.message}`)
      }
    const both = fromRoot('10.0.0.9 says: port unreachable: no tunnel there takes its GRE packets')
    assert.equal(
      render(both, readLanguage('ru'), plain('ru'), () => undefined),
      '10.0.0.9 сообщает: порт недоступен: ни один туннель там не принимает его пакеты GRE',
    )
  })

  it('are each known again where several are one text, and text of the kernel with a semicolon is not', () => {
    const two = fromRoot('nft is not installed; iptables is not installed')
    assert.deepEqual(two.params, { first: message('root.no_nft'), second: message('root.no_iptables') })
    assert.equal(fromRoot('nft: one; two').message_id, '')
  })

  it('are all the panel says of itself: no text of its own is verbatim', () => {
    const found = readdirSync(join(ROOT, 'web-daemon'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => [file, readFileSync(join(ROOT, 'web-daemon', file), 'utf8')] as const)
      .filter(([, text]) => /\bverbatim\(\s*['"`][^'"`]/.test(text))
    assert.deepEqual(
      found.map(([file]) => file),
      [],
    )
  })

  for (const language of LANGUAGES) {
    const texts = readLanguage(language)

    it(`are all there in ${language}`, () => assert.deepEqual(Object.keys(texts).sort(), [...IDS].sort()))

    it(`have the parameters of the English in ${language}, and can be written`, () => {
      for (const id of IDS) {
        const [own, english] = [placeholderNames(texts[id] ?? ''), placeholderNames(CATALOGUE[id])]
        assert.deepEqual(needed(own), needed(english), id)
        const values = Object.fromEntries(english.map((name) => [name, 5]))
        assert.ok(formatMessage(texts[id] ?? '', values, plain(language)).trim() !== '', id)
      }
    })
  }

  it('name no field or figure of the API on the page', () => {
    const own = readLanguage('en')
    for (const [id, text] of Object.entries(own))
      assert.deepEqual(needed(placeholderNames(text)), needed(placeholderNames(CATALOGUE[id as MessageId])), id)
    const spoken = [{ ...CATALOGUE, ...own }, ...LANGUAGES.map(readLanguage)].flatMap((texts) => Object.entries(texts))
    const outside = (text: string): string =>
      text.replace(/\{\w+(?:, (?:plural|select))?|\}/g, '').replace(OF_THE_KERNEL, '')
    assert.deepEqual(
      spoken.filter(([id, text]) => !FOR_CLIENTS.has(id) && OF_THE_API.test(outside(text))),
      [],
    )
    assert.deepEqual(
      [...FOR_CLIENTS].filter((id) => !OF_THE_API.test(CATALOGUE[id as MessageId])),
      [],
    )
  })

  // 中继 and ретрансляция are what a rule does; 转发 and форвардинг are the kernel's switch (shared/messages/README.md).
  it('call a relay and IP forwarding by two terms, in all the words of the page too', () => {
    const ofOne = { ru: /[Пп]ересыл/, 'zh-CN': /转发规则|规则.{0,4}转发(?!已)/, fa: /قاعدهٔ بازارسال/ }
    for (const [language, mixed] of Object.entries(ofOne)) {
      const folder = join(ROOT, 'ui/src/locales', language)
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))
      const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
      assert.deepEqual(
        lines.filter((line) => mixed.test(line)),
        [],
        language,
      )
    }
  })

  it('are the English text, and beside it what another language is made from', () =>
    assert.deepEqual(message('input.whole', { field: 'mtu', minimum: 576, maximum: 9216 }), {
      message: 'mtu must be a whole number from 576 to 9216.',
      message_id: 'input.whole',
      params: { field: 'mtu', minimum: 576, maximum: 9216 },
    }))

  it('stay in English where an earlier version has stored them without what they name today', () => {
    const older = { message: 'There is a tunnel x already.', message_id: 'tunnel.name_taken', params: { name: 'x' } }
    assert.equal(
      render(older, readLanguage('ru'), plain('ru'), () => undefined),
      older.message,
    )
  })

  it('are shown in the operator’s language, with the form’s words, and sentences within sentences too', () => {
    const texts = { ...readLanguage('ru') }
    const label = (field: string): string | undefined => (field === 'addresses' ? 'Адреса туннеля' : undefined)
    const sentence = message('input.list', { field: 'addresses', count: 1024, items: message('input.addresses') })
    assert.equal(render(sentence, texts, plain('ru'), label), 'Адреса туннеля: не больше 1024 (адреса).')
    assert.equal(render(verbatim('File exists'), texts, plain('ru'), label), 'File exists')
    const dated = message('attention.certificate_soon', { at: '2026-12-24T08:00:00.000Z' })
    assert.match(render(dated, texts, plain('ru'), label), /истекает <2026-12-24T08:00:00.000Z>, а/)
    const states = (['Up', 'Down'] as const).map((state) => message('component.monitor_state', { state, count: 1 }))
    const watched = message('component.monitor', { states, count: 2, watching: 0 })
    const comma = '، '
    assert.match(render(watched, readLanguage('fa'), { ...plain('fa'), comma }, label), /^1 برقرار، 1 قطع؛/)
  })
})
