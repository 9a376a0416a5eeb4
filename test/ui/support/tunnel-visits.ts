// The beginning of every suite about the look of the page: a host with four tunnels for each test, and an operator
// signed in on its page.
import type { Client } from '../../api/support/client.ts'
import { browsing, type Look, type Visit } from './browser.ts'
import { eachHost, goTo, signedIn, tunnelHost, type Host } from './host.ts'

type Visiting = (look?: Look) => Promise<Visit>

export interface TunnelVisits {
  /** Nobody is signed in. */
  readonly visit: Visiting
  readonly visitSignedIn: Visiting
  readonly visitTunnels: Visiting
}

/** Called once in a suite; `take` gets what each test has for itself. */
export const tunnelVisits = (take: (made: { readonly host: Host; readonly client: Client }) => void): TunnelVisits => {
  const { visit } = browsing()
  let host: Host
  eachHost(tunnelHost, (made) => {
    host = made.host
    take(made)
  })
  const visitSignedIn: Visiting = async (look) => signedIn(await visit(host, look))
  return {
    visit: (look) => visit(host, look),
    visitSignedIn,
    visitTunnels: async (look) => goTo(await visitSignedIn(look), host, 'tunnels', /^Tunnels 4/),
  }
}
