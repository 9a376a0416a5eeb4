// What the kernel itself says, by ip and nft, as a check of the page.
import type { Place } from '../../vm/panel/panel.ts'

export interface Link {
  readonly ifname: string
  readonly operstate: string
  readonly linkinfo: {
    readonly info_data: {
      readonly local: string
      readonly remote: string
      readonly ikey?: string
      readonly okey?: string
    }
  }
}

/** Null where there is none of this name. */
export const linkOf = async (server: Pick<Place, 'try'>, name: string): Promise<Link | null> => {
  const { code, stdout } = await server.try('ip', ['-d', '-j', 'link', 'show', name])
  return code === 0 ? ((JSON.parse(stdout) as Link[])[0] ?? null) : null
}

export interface Counted {
  readonly tx: number
  readonly rx: number
}

/** Bytes that a rule has relayed, to the destination and back from it. */
export const countedOf = async (server: Pick<Place, 'run'>, route_rule_id: number): Promise<Counted> => {
  const listed = await server.run('nft', ['-j', 'list', 'counters', 'table', 'inet', 'panel'])
  const { nftables } = JSON.parse(listed) as { nftables: { counter?: { name: string; bytes: number } }[] }
  const bytesOf = (way: string): number =>
    nftables.find(({ counter }) => counter?.name === `rule_${route_rule_id}_${way}`)?.counter?.bytes ?? 0
  return { tx: bytesOf('tx'), rx: bytesOf('rx') }
}
