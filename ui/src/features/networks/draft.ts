// The form values of a network behind tunnels and their request; the server fills empty fields.
import type { NetworkView } from '@panel/shared/api/networks/answers.ts'

export interface PathValues {
  /** Null: not chosen yet. */
  tunnel_id: number | null
  preference: number | null
  weight: number | null
}

export interface NetworkValues {
  network_title: string
  destination: string
  paths: PathValues[]
  /** In one line, with commas between. */
  own_addresses: string
  source_address: string
  metric: number | null
  note: string
  is_enabled: boolean
}

export const emptyPath = (): PathValues => ({ tunnel_id: null, preference: 10, weight: 1 })

export const valuesOf = (network: NetworkView | null): NetworkValues => ({
  network_title: network?.network_title ?? '',
  destination: network?.destination ?? '',
  paths: network?.paths.map(({ tunnel_id, preference, weight }) => ({ tunnel_id, preference, weight })) ?? [
    emptyPath(),
  ],
  own_addresses: (network?.own_addresses ?? []).join(', '),
  source_address: network?.source_address ?? '',
  metric: network?.metric ?? null,
  note: network?.note ?? '',
  is_enabled: network?.is_enabled ?? true,
})

const addressesIn = (text: string): string[] => text.split(/[\s,،，]+/).filter((one) => one !== '')

export const requestOf = ({ network_title, destination, paths, metric, ...values }: NetworkValues) => ({
  destination: destination.trim(),
  paths: paths.map(({ tunnel_id, preference, weight }) => ({
    // A path without a tunnel is refused like one that is not there, on its own field.
    tunnel_id: tunnel_id ?? 0,
    ...(preference === null ? {} : { preference }),
    ...(weight === null ? {} : { weight }),
  })),
  own_addresses: addressesIn(values.own_addresses),
  source_address: values.source_address.trim() === '' ? null : values.source_address.trim(),
  note: values.note,
  is_enabled: values.is_enabled,
  ...(network_title.trim() === '' ? {} : { network_title: network_title.trim() }),
  ...(metric === null ? {} : { metric }),
})

/** The field of the form for a name of the API: own addresses are one field here. */
export const fieldOf = (name: string): string => (name.startsWith('own_addresses') ? 'own_addresses' : name)
