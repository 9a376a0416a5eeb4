// The closed list of what can be done to a host for a tunnel; root executes these and nothing else.
import type { LinkConfig, Saver, TunnelAddress } from '../model/tunnel.ts'

export type TunnelStep = { readonly interface_name: string } & (
  | { readonly kind: 'link_create'; readonly config: LinkConfig }
  | { readonly kind: 'link_delete' }
  | { readonly kind: 'link_up' }
  | { readonly kind: 'link_down' }
  | { readonly kind: 'link_set_mtu'; readonly mtu: number }
  | { readonly kind: 'link_set_txqueuelen'; readonly tx_queue_length: number }
  | { readonly kind: 'address_add'; readonly address: TunnelAddress }
  | { readonly kind: 'address_remove'; readonly address: TunnelAddress }
  | { readonly kind: 'file_write'; readonly by: Saver; readonly config: LinkConfig }
  | { readonly kind: 'file_remove'; readonly by: Saver }
  | { readonly kind: 'systemd_enable' }
  | { readonly kind: 'systemd_disable' }
)
