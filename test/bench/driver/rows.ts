// A thousand tunnels that the panel could have made: between the same two ends, with different keys, names and subnets.
import { APPLY_STATUSES, PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { NewTunnel } from '@panel/web-daemon/features/tunnels/record.ts'
import { newTunnel } from '../../support/records.ts'
import type { Ends } from './jobs.ts'

export const nameOf = (number: number): string => `gre-a-${number}`

/** The first host of the subnet of a tunnel's number: the subnets are /30 in a row. */
export const addressOf = (number: number): string => `10.64.${number >> 6}.${(number & 63) * 4 + 1}`

/** The other host of that subnet, whom the tunnel's probes are for. */
export const peerOf = (number: number): string => `10.64.${number >> 6}.${(number & 63) * 4 + 2}`

export const NUMBERS = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

/** The record of tunnel `number`, from 1 up, kept by nothing but the running kernel. */
export const tunnelOf = (number: number, ends: Ends, now = new Date().toISOString()): NewTunnel =>
  newTunnel({
    ...ends,
    interface_name: nameOf(number),
    tunnel_number: number,
    ikey: number,
    okey: number,
    persistence_type_id: PERSISTENCE_TYPES.Runtime,
    apply_status_id: APPLY_STATUSES.Applied,
    last_applied_date: now,
    created_date: now,
    updated_date: now,
    display_name: `Tunnel number ${number}`,
    tags: ['bench'],
    addresses: [
      {
        address: addressOf(number),
        peer_address: '',
        prefix_length: 30,
        address_family_id: 10,
        is_primary: true,
        sort_order: 0,
      },
    ],
  })
