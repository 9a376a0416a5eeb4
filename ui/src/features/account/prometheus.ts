// The lines with which Prometheus reads the metrics of this panel (packaging/guide.md).

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

export interface Scraped {
  /** The address of the panel in this browser. */
  readonly address: Pick<Location, 'protocol' | 'hostname' | 'port'>
  readonly metrics_path: string
  readonly token: string
}

/** Names the port always: Prometheus adds none to a target. */
export const scrapeConfig = ({ address, metrics_path, token }: Scraped): string => {
  const { protocol, hostname, port } = address
  return [
    'scrape_configs:',
    '  - job_name: tunnel-panel',
    `    scheme: ${protocol.slice(0, -1)}`,
    `    metrics_path: ${metrics_path}`,
    `    authorization: { type: Bearer, credentials: ${token} }`,
    `    static_configs: [{ targets: ["${hostname}:${port || PORTS[protocol]}"] }]`,
  ].join('\n')
}
