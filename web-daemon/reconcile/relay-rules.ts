// The half of the report that is about relay rules. This build makes none, and says so beside what the host could do.
import type { RouteReport } from '@panel/shared/api/reconcile.ts'
import type { ReadContext } from '../context.ts'

/** Whoever manages relay rules tells about them by this. */
export type ReportRoutes = (context: ReadContext) => Promise<RouteReport>

/** To find out what nft can it is started; a report of tunnels is not to wait for that each time. */
const REMEMBERED_MS = 60_000

export function noRelayRules(): ReportRoutes {
  let last: { readonly at: number; readonly report: Promise<RouteReport> } | null = null
  return (context) => {
    const at = context.now().getTime()
    if (last && at >= last.at && at - last.at < REMEMBERED_MS) return last.report
    const report = findOut(context)
    last = { at, report }
    // What failed is asked again.
    report.catch(() => (last = null))
    return report
  }
}

async function findOut({ ask }: ReadContext): Promise<RouteReport> {
  const { tools } = await ask('host.probe', { parts: ['tools'] })
  if (!tools) throw new Error('The helper left out a part of the host that it was asked for')
  const { available, detail } = tools.nftables
  const reason = available ? 'This build makes no relay rules.' : `This build makes no relay rules, and nftables is not usable here: ${detail || 'no reason is given'}.`
  return { routes: [], route_counts: {}, route_findings: { backend: available ? 'nftables' : 'none', readable: available, detail: reason } }
}
