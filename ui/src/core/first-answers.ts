// What each page asks of the API first, by its address, for the daemon's preload list: the page itself never reads it.
export const FIRST_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  '/': ['/monitor/summary'],
  '/tunnels': ['/tunnels?limit=1000'],
  '/routes': ['/routes?limit=1000'],
  '/routes/order': ['/routes?limit=1000'],
  '/pools': ['/pools'],
  '/networks': ['/networks?limit=1000'],
  '/reconcile': ['/reconcile?include_ignored=true'],
  '/forwarding': ['/system/forwarding'],
  '/metrics': ['/system/metrics'],
  '/host': ['/system/interfaces'],
  '/host/routes': ['/system/routes'],
  '/incidents': ['/incidents?limit=100'],
  '/webhooks': ['/webhooks'],
  '/settings': ['/settings/schema'],
  '/system': ['/system/info'],
}
