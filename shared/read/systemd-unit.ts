// The inverse of renderSystemdUnit: which link a unit file makes, or that the file is not one of ours.
import { canonicalConfig } from '../model/canonical-tunnel.ts'
import type { LinkConfig } from '../model/tunnel.ts'
import { renderSystemdUnit, UNIT_MARK } from '../render/systemd-unit.ts'

/** Null where the text is not, to the byte, what we would write: somebody else's file, or ours edited by hand. */
export function readSystemdUnit(interface_name: string, content: string): LinkConfig | null {
  const config = markedConfig(content)
  return config && renders(interface_name, config, content) ? config : null
}

function markedConfig(content: string): LinkConfig | null {
  if (!content.startsWith(UNIT_MARK)) return null
  const json = content.slice(UNIT_MARK.length, content.indexOf('\n'))
  try {
    return canonicalConfig(JSON.parse(json) as LinkConfig)
  } catch {
    // Whatever stands behind the mark is no state of a link, which is the answer: not ours.
    return null
  }
}

function renders(interface_name: string, config: LinkConfig, content: string): boolean {
  try {
    return renderSystemdUnit(interface_name, config) === content
  } catch {
    return false
  }
}
