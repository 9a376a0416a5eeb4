// What a file on disk states about a tunnel, by its kind.
import { canonicalConfig, canonicalKeepalive, canonicalNetdev, canonicalNetwork } from './canonical.ts'
import type { FileKind, Keepalive, LinkConfig, Saved } from './model.ts'
import { renderKeepaliveUnit } from './keepalive-unit.ts'
import { renderNetdev, renderNetwork } from './networkd.ts'
import { renderSystemdUnit } from './systemd-unit.ts'
import { readMarked } from './read-mark.ts'

/**
 * Reads a file into Saved. Whether a unit is enabled is not in its file, and is passed in. Null if the file is not ours
 * to the byte.
 */
type Read = { [K in FileKind]: (interface_name: string, content: string, is_enabled: boolean) => Saved[K] }

const asUnit = <C>(config: C | null, is_enabled: boolean) => config && { is_enabled, config }

export const READ: Read = {
  systemd_unit: (name, content, is_enabled) =>
    asUnit(
      readMarked<LinkConfig>(content, canonicalConfig, (config) => renderSystemdUnit(name, config)),
      is_enabled,
    ),
  systemd_keepalive_unit: (name, content, is_enabled) =>
    asUnit(
      readMarked<Keepalive>(content, canonicalKeepalive, (config) => renderKeepaliveUnit(name, config)),
      is_enabled,
    ),
  networkd_netdev: (name, content) => readMarked(content, canonicalNetdev, (file) => renderNetdev(name, file)),
  networkd_network: (name, content) => readMarked(content, canonicalNetwork, (file) => renderNetwork(name, file)),
}
