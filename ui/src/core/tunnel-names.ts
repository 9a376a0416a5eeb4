// What a tunnel is called where only plain text can stand; TunnelName.svelte is the same elsewhere. Pure, for tests.
export interface TunnelNames {
  readonly interface_name: string
  /** "" where people call it by the name of its interface. */
  readonly display_name: string
}

export const tunnelText = ({ interface_name, display_name }: TunnelNames): string =>
  display_name === '' ? interface_name : `${display_name} · ${interface_name}`

/** In the order of what is read first. */
export const byTunnelName = (a: TunnelNames, b: TunnelNames): number =>
  tunnelText(a).localeCompare(tunnelText(b), 'en', { numeric: true })
