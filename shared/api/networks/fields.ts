// The fields of a network behind tunnels. Row, record, answer, requests and the items of a backup are derived from this
// list; a new column needs a migration beside it.
import { message } from '../../messages/message.ts'
import { OWN_ADDRESSES_MAX, PATHS_MAX } from '../../network/model.ts'
import { nullable, strict, Type, U32_MAX, type Static } from '../../schema.ts'
import { APPLIED_FIELDS } from '../base/applied-fields.ts'
import { field, type ColumnsOf, type RecordOf } from '../base/field-list.ts'
import { flag, maybe, orNull, ranged, refusedWith, text, title } from '../base/fields.ts'
import { Count, described, Flag, Id, Instant, list, Sentence, Text } from '../base/shapes.ts'

/** What a client sends of a path. */
export const NetworkPathBody = strict(
  {
    tunnel_id: ranged('integer', 1, 2 ** 53 - 1, 'UNKNOWN_TUNNEL', 'tunnel_id', 'A tunnel that leads to the network.'),
    preference: maybe(
      ranged(
        'integer',
        1,
        100,
        'INVALID_VALUE',
        'preference',
        'Of the paths that are not out, those with the lowest preference carry. Default 10.',
      ),
    ),
    weight: maybe(
      ranged(
        'integer',
        1,
        255,
        'INVALID_WEIGHT',
        'weight',
        'Share of the connections among paths with the same preference. Default 1.',
      ),
    ),
  },
  {
    title: 'NetworkPathBody',
    ...refusedWith(
      'INVALID_VALUE',
      message('input.object', { field: 'paths', names: 'tunnel_id and, if wanted, preference and weight' }),
      'A tunnel that leads to the network.',
    ),
  },
)
export type NetworkPathBody = Static<typeof NetworkPathBody>

/** A path as it is stored. */
export const NetworkPathRecord = strict({
  tunnel_id: Id,
  preference: Count,
  weight: Count,
  taken_out_date: described(nullable(Instant), 'When it was taken out by hand; null where it is not.'),
  failed_date: described(nullable(Instant), 'When the monitor took it out; null where it has not.'),
})
export type NetworkPathRecord = Static<typeof NetworkPathRecord>

const cidr = (name: string, description: string) =>
  Type.String({
    minLength: 2,
    maxLength: 49,
    ...refusedWith('INVALID_CIDR', message('input.cidr', { field: name }), description),
  })
const ownAddress = (name: string, description: string) =>
  Type.String({
    minLength: 2,
    maxLength: 49,
    ...refusedWith('INVALID_ADDRESS', message('input.ip', { field: name }), description),
  })

/** In the order in which a request's problems are reported. */
export const NETWORK_FIELDS = {
  network_id: field({ answer: Id }),
  network_title: field({
    answer: Sentence,
    request: maybe(
      title(
        'INVALID_NETWORK_TITLE',
        'network_title',
        'Name of the network, which no other has. Absent: its destination.',
      ),
    ),
    isLabel: true,
  }),
  note: field({
    answer: Text,
    request: maybe(text(2000, true, 'note', 'Anything worth remembering about the network.')),
    byDefault: '',
    isLabel: true,
  }),
  is_enabled: field({
    answer: Flag,
    request: maybe(
      flag(
        'is_enabled',
        'Whether this server leads packets to the network by its paths, now and after a reboot. Default true.',
      ),
    ),
    byDefault: true,
  }),
  destination: field({
    answer: Sentence,
    request: cidr(
      'destination',
      'What lies behind the tunnels: a network, or the address of a host. Bits behind its length are cut off.',
    ),
  }),
  paths: field({
    answer: list(NetworkPathRecord),
    request: Type.Array(NetworkPathBody, {
      minItems: 1,
      maxItems: PATHS_MAX,
      ...refusedWith(
        'INVALID_VALUE',
        message('input.some', { field: 'paths', count: PATHS_MAX, items: message('input.paths') }),
        'The tunnels that lead to the network.',
      ),
    }),
    stored: 'elsewhere',
  }),
  own_addresses: field({
    answer: list(Sentence),
    request: maybe(
      Type.Array(
        ownAddress('own_addresses', 'An address of this server that the network reaches by any of the paths.'),
        {
          maxItems: OWN_ADDRESSES_MAX,
          ...refusedWith(
            'INVALID_ADDRESS',
            message('input.list', {
              field: 'own_addresses',
              count: OWN_ADDRESSES_MAX,
              items: message('input.addresses'),
            }),
            'Addresses of this server, on its loopback interface, that the network reaches by any of the paths. Default none.',
          ),
        },
      ),
    ),
    byDefault: [],
    stored: 'elsewhere',
  }),
  source_address: field({
    answer: nullable(Text),
    request: maybe(
      orNull(
        ownAddress(
          'source_address',
          'The address that this server sends from where it sends to the network itself. Null: the choice of the kernel.',
        ),
      ),
    ),
    byDefault: null,
  }),
  metric: field({
    answer: Count,
    request: maybe(
      ranged('integer', 1, U32_MAX, 'INVALID_VALUE', 'metric', "Metric of the kernel's route. Default 50."),
    ),
    byDefault: 50,
  }),
  ...APPLIED_FIELDS,
}

export type NetworkRecord = RecordOf<typeof NETWORK_FIELDS>
export type NetworkColumns = ColumnsOf<typeof NETWORK_FIELDS>
