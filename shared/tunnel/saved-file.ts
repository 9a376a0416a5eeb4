// The files of a tunnel: their names and, by their kind, their text.
import { FILE_KINDS, INTERFACE_NAME_PATTERN, type FileKind, type SavedFile } from './model.ts'
import { renderKeepaliveUnit } from './keepalive-unit.ts'
import { renderNetdev, renderNetwork } from './networkd.ts'
import { renderSystemdUnit } from './systemd-unit.ts'

/**
 * networkd reads its files in the order of their names, and the first that matches a link holds: "10-" comes before
 * most.
 */
const AROUND: Readonly<Record<FileKind, readonly [prefix: string, suffix: string]>> = {
  systemd_unit: ['tunnel-panel-link-', '.service'],
  systemd_keepalive_unit: ['tunnel-panel-keepalive-', '.service'],
  networkd_netdev: ['10-tunnel-panel-', '.netdev'],
  networkd_network: ['10-tunnel-panel-', '.network'],
}

export const UNIT_KINDS = ['systemd_unit', 'systemd_keepalive_unit'] as const satisfies readonly FileKind[]
export const NETWORKD_KINDS = ['networkd_netdev', 'networkd_network'] as const satisfies readonly FileKind[]
export const isNetworkdKind = (kind: FileKind): boolean => (NETWORKD_KINDS as readonly FileKind[]).includes(kind)

export function savedFileName(kind: FileKind, interface_name: string): string {
  const [prefix, suffix] = AROUND[kind]
  return prefix + interface_name + suffix
}

const INTERFACE_NAME = new RegExp(INTERFACE_NAME_PATTERN)

/** Whose file this is, and of which kind; null where the name is not of our pattern. */
export function parseFileName(file_name: string): { kind: FileKind; interface_name: string } | null {
  for (const kind of FILE_KINDS) {
    const [prefix, suffix] = AROUND[kind]
    if (!file_name.startsWith(prefix) || !file_name.endsWith(suffix)) continue
    const interface_name = file_name.slice(prefix.length, -suffix.length)
    if (INTERFACE_NAME.test(interface_name)) return { kind, interface_name }
  }
  return null
}

export function isSavedFile(file_name: string, kinds: readonly FileKind[]): boolean {
  const kind = parseFileName(file_name)?.kind
  return kind !== undefined && kinds.includes(kind)
}

export function renderFile(interface_name: string, saved: SavedFile): string {
  switch (saved.file) {
    case 'systemd_unit':
      return renderSystemdUnit(interface_name, saved.config)
    case 'systemd_keepalive_unit':
      return renderKeepaliveUnit(interface_name, saved.config)
    case 'networkd_netdev':
      return renderNetdev(interface_name, saved)
    case 'networkd_network':
      return renderNetwork(interface_name, saved)
  }
}
