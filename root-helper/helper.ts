// A helper put together: what main starts, and what the tests start with a fault or a fake in one of the parts.
import type { Server, Socket } from 'node:net'
import { mkdir } from 'node:fs/promises'
import type { HelperConfig } from './config.ts'
import { dispatcherFor } from './dispatch.ts'
import { handlersFor, recover, restoreRules, type Parts } from './handlers.ts'
import { kernelEvents } from './kernel/host/events.ts'
import { kernelIcmp } from './kernel/icmp/icmp.ts'
import { KernelConnections } from './kernel/conntrack/connections.ts'
import { forwardingIn } from './kernel/host/forwarding.ts'
import { findTools, helperFacts } from './kernel/host/facts.ts'
import { journalIn } from './kernel/files/journal.ts'
import { removeUnfinished } from './kernel/files/files.ts'
import { findListeners } from './kernel/host/listeners.ts'
import { openLinks } from './kernel/link/links.ts'
import { listenOn } from './kernel/files/socket-file.ts'
import { networkdFilesIn } from './kernel/files/networkd.ts'
import { openNetfilter } from './kernel/backend/rule-backends.ts'
import { reloadLater } from './kernel/files/systemd.ts'
import { unitFilesIn } from './kernel/files/units.ts'
import { serverFor } from './server.ts'

/** Of files in folders that others have files in too. */
const OUR_NAMES = /^(\d\d-)?tunnel-panel[-.]/

export async function realParts(config: HelperConfig): Promise<Parts> {
  for (const folder of [config.unitDir, config.networkdDir, config.sysctlDir, config.stateDir]) {
    await mkdir(folder, { recursive: true, mode: 0o755 })
    await removeUnfinished(folder, (name) => folder === config.stateDir || OUR_NAMES.test(name))
  }
  const links = openLinks()
  const units = unitFilesIn(config.unitDir, reloadLater(config.unitDir))
  const networkd = networkdFilesIn(config.networkdDir)
  const { rulesets, netfilter, changes, ruleBackend, backendAnswers } = await openNetfilter(
    config.stateDir,
    config.ruleBackend,
  )
  return {
    kernel: {
      links,
      units,
      networkd,
      events: kernelEvents(changes),
      rulesets,
      netfilter,
      connections: new KernelConnections(),
      icmp: kernelIcmp,
      forwarding: forwardingIn(config.sysctlDir),
    },
    journal: journalIn(config.stateDir),
    helperFacts: () => helperFacts(config),
    ruleBackend,
    findTools: async () => findTools(await backendAnswers()),
    findListeners,
  }
}

/** Nothing is served before what an earlier helper left half-done is put back. */
export async function startHelper(
  parts: Parts,
  config: HelperConfig,
  describePeer: (socket: Socket) => Record<string, unknown>,
  stopping?: AbortSignal,
): Promise<Server> {
  await recover(parts)
  await restoreRules(parts)
  const server = serverFor(dispatcherFor(handlersFor(parts)), describePeer, stopping && { stopping })
  await listenOn(server, config.socketPath, config.group)
  return server
}
