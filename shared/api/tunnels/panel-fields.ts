// What the panel keeps of a tunnel beside its link: how it is saved, where its addresses come from, and what people
// call it.
import { message } from '../../messages/message.ts'
import { nullable, Type } from '../../schema.ts'
import { APPLIED_FIELDS } from '../base/applied-fields.ts'
import { field } from '../base/field-list.ts'
import { HEAL_FIELDS } from '../base/heal-fields.ts'
import { flag, lookupId, maybe, orNull, ranged, refusedWith, tagList, text } from '../base/fields.ts'
import { PERSISTENCE_TYPES } from '../base/lookups.ts'
import { Flag, Id, idIn, list, Text } from '../base/shapes.ts'
import { AddressView, MAX_ADDRESSES, TunnelAddressBody } from './addresses.ts'

export const PANEL_FIELDS = {
  persistence_type_id: field({
    answer: idIn(PERSISTENCE_TYPES),
    request: maybe(
      lookupId(
        PERSISTENCE_TYPES,
        refusedWith(
          'INVALID_PERSISTENCE_TYPE',
          message('input.choice', {
            field: 'persistence_type_id',
            options: '10 (systemd), 20 (networkd) or 30 (runtime only)',
          }),
          'What brings the tunnel back after a reboot. Absent: by the setting tunnel.default_persistence, where the host has that.',
        ),
      ),
    ),
  }),
  is_enabled: field({
    answer: Flag,
    request: maybe(flag('is_enabled', 'Whether the interface is up, now and after a reboot. Default true.')),
    byDefault: true,
  }),
  is_answered_through: field({
    answer: Flag,
    request: maybe(
      flag(
        'is_answered_through',
        'What comes in by this tunnel for its own addresses is answered by it, whatever the routing table says. Default false.',
      ),
    ),
    byDefault: false,
  }),
  address_pool_id: field({
    answer: nullable(Id),
    request: maybe(
      orNull(
        ranged(
          'integer',
          1,
          2 ** 53 - 1,
          'UNKNOWN_ADDRESS_POOL',
          'address_pool_id',
          'Pool that the subnet is taken from. Absent, and no addresses: that of the setting addressing.default_pool_id, or the first enabled pool with a free subnet.',
        ),
      ),
    ),
  }),
  addresses: field({
    answer: list(AddressView),
    request: maybe(
      Type.Array(TunnelAddressBody, {
        maxItems: MAX_ADDRESSES,
        ...refusedWith(
          'INVALID_ADDRESS',
          message('input.list', { field: 'addresses', count: MAX_ADDRESSES, items: message('input.addresses') }),
          'Addresses inside the tunnel. Absent or empty: allocated from a pool.',
        ),
      }),
    ),
    stored: 'elsewhere',
  }),
  display_name: field({
    answer: Text,
    request: maybe(text(100, false, 'display_name', 'A name for people.')),
    byDefault: '',
    isLabel: true,
  }),
  note: field({
    answer: Text,
    request: maybe(text(2000, true, 'note', 'Anything worth remembering about the tunnel.')),
    byDefault: '',
    isLabel: true,
  }),
  tags: field({
    answer: list(Text),
    request: maybe(tagList('tunnel')),
    byDefault: [],
    isLabel: true,
  }),
  ...HEAL_FIELDS,
  is_managed: field({ answer: Flag, byDefault: true }),
  ...APPLIED_FIELDS,
}
