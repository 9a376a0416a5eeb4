// Where the panel listens, and what a client may send to change that (reference.md, System; decisions.md, Y8 to Y11).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { flag, maybe, ONCE_KEY, orNull, ranged, refusedWith } from './base/fields.ts'
import { Always, Count, Flag, Id, Instant, list, oneOf, shape, Text, described } from './base/shapes.ts'

export const TRIAL_SECONDS = { least: 15, most: 3600, standard: 60 } as const

const pem = (field: 'tls.cert' | 'tls.key', sentence: 'listener.cert_unreadable' | 'listener.key_unreadable') =>
  Type.String({
    minLength: 1,
    maxLength: 65_536,
    'x-secret': true,
    ...refusedWith('INVALID_CERTIFICATE', message(sentence, { field }), 'In PEM form.'),
  })

export const TryListenerBody = shape('TryListenerBody', {
  address: Type.String({
    maxLength: 45,
    ...refusedWith(
      'INVALID_ADDRESS',
      message('listener.address', { field: 'address' }),
      'An IP address of this server; 0.0.0.0 or :: for all of them.',
    ),
  }),
  port: ranged('integer', 1, 65_535, 'INVALID_PORT', 'port', 'Free, and from 1024 on.'),
  // An operator may paste the key where the certificate belongs, so nothing within is ever kept.
  tls: orNull(
    strict(
      {
        cert: pem('tls.cert', 'listener.cert_unreadable'),
        key: pem('tls.key', 'listener.key_unreadable'),
      },
      {
        'x-secret': true,
        ...refusedWith(
          'INVALID_CERTIFICATE',
          message('listener.tls', { field: 'tls' }),
          'The certificate of the server, those of its issuers after it, and its key. Null: plain HTTP.',
        ),
      },
    ),
  ),
  seconds: maybe(
    ranged(
      'integer',
      TRIAL_SECONDS.least,
      TRIAL_SECONDS.most,
      'INVALID_VALUE',
      'seconds',
      'How long it stays if nobody keeps it. Default 60.',
    ),
  ),
  force: maybe(
    flag('force', 'Listen without TLS where others than this server and private networks are. Default false.'),
  ),
  idempotency_key: ONCE_KEY,
})
export type TryListenerBody = Static<typeof TryListenerBody>

export const ListenerView = shape('Listener', {
  listener_id: described(nullable(Id), 'Null of the configured one.'),
  state: described(
    oneOf(['configured', 'kept', 'trial']),
    'From the configuration; kept by the operator; or open until it is kept or its time is over.',
  ),
  address: Text,
  port: Count,
  is_tls: Flag,
  certificate: described(
    nullable(strict({ subject: Text, valid_from: Instant, valid_to: Instant, fingerprint: Text })),
    'The first of the chain; the fingerprint is its SHA-256. Null without TLS.',
  ),
  is_open: described(Flag, 'The configured one is closed while a kept one is open.'),
  is_this: described(Flag, 'This request came through it.'),
  is_in_place: described(Flag, 'On trial at the address and port of another listener: only the certificate is new.'),
  errno: described(Text, 'Why it is not open although it should be, such as EADDRNOTAVAIL; otherwise "".'),
  seconds_left: described(nullable(Count), 'Of a trial.'),
})
export type ListenerView = Static<typeof ListenerView>

export const ListListenersAnswer = shape('Listeners', { listeners: list(ListenerView) })
export type ListListenersAnswer = Static<typeof ListListenersAnswer>

export const TryListenerAnswer = shape('ListenerOnTrial', { listener: ListenerView })
export type TryListenerAnswer = Static<typeof TryListenerAnswer>

export const KeepListenerAnswer = shape('ListenerKept', {
  listener: ListenerView,
  closed: described(list(strict({ address: Text, port: Count })), 'The others, which close after their last answer.'),
})
export type KeepListenerAnswer = Static<typeof KeepListenerAnswer>

export const RemoveListenerAnswer = shape('ListenerRemoved', { deleted: Always, listener_id: Id })
