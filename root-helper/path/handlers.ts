// The `path.` lines of METHODS, over one port of the kernel.
import type { MtuParams, PingParams, TraceParams } from '@panel/shared/path/model.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import type { Icmp } from '../kernel/icmp/port.ts'
import { systemClock, type Clock } from './clock.ts'
import { meansOver } from './means.ts'
import { pathMtu } from './mtu.ts'
import { ping } from './ping.ts'
import { trace } from './trace.ts'
import { Watches } from './watch.ts'

export function pathHandlers(icmp: Icmp, clock: Clock = systemClock) {
  const means = meansOver(icmp, clock)
  const watches = new Watches(means)
  return {
    'path.watch': (params: Params<'path.watch'>, signal: AbortSignal) => watches.run(params, signal),
    'path.watch_change': async (params: Params<'path.watch_change'>) => ({ was_running: watches.change(params) }),
    'path.ping': (params: PingParams, signal: AbortSignal) => ping(means, params, signal),
    'path.mtu': (params: MtuParams, signal: AbortSignal) => pathMtu(means, params, signal),
    'path.trace': (params: TraceParams, signal: AbortSignal) => trace(means, params, signal),
  }
}
