// The closed list of what can be done to a host for a tunnel; root executes these and nothing else.
import type { FileKind, LinkConfig, SavedFile, TunnelAddress } from './model.ts'
import type { RouteThrough } from './model.ts'
import type { UNIT_KINDS } from './saved-file.ts'

export type UnitKind = (typeof UNIT_KINDS)[number]

export type TunnelStep = { readonly interface_name: string } & (
  | { readonly kind: 'link_create'; readonly config: LinkConfig }
  | { readonly kind: 'link_delete' }
  /** `fields` are those of the outer header that change; `config` is whole, with the MTU that the link has then. */
  | { readonly kind: 'link_set'; readonly config: LinkConfig; readonly fields: readonly (keyof LinkConfig)[] }
  | { readonly kind: 'link_up' }
  | { readonly kind: 'link_down' }
  | { readonly kind: 'link_set_mtu'; readonly mtu: number }
  | { readonly kind: 'link_set_txqueuelen'; readonly tx_queue_length: number }
  | { readonly kind: 'link_set_multicast'; readonly is_multicast: boolean }
  | { readonly kind: 'address_add'; readonly address: TunnelAddress }
  | { readonly kind: 'address_remove'; readonly address: TunnelAddress }
  | { readonly kind: 'route_add'; readonly route: RouteThrough }
  | { readonly kind: 'file_write'; readonly saved: SavedFile }
  | { readonly kind: 'file_remove'; readonly file: FileKind }
  | { readonly kind: 'systemd_enable'; readonly file: UnitKind }
  | { readonly kind: 'systemd_disable'; readonly file: UnitKind }
  | { readonly kind: 'networkd_reload' }
  | { readonly kind: 'answers_start' }
  | { readonly kind: 'answers_stop' }
)

/** A step without the name of its tunnel. */
export type NamelessStep = TunnelStep extends infer S
  ? S extends TunnelStep
    ? Omit<S, 'interface_name'>
    : never
  : never
