// A helper put together: what main starts, and what the tests start with a fault or a fake in one of the parts.
import type { Server, Socket } from 'node:net'
import { mkdir } from 'node:fs/promises'
import type { HelperConfig } from './config.ts'
import { dispatcherFor } from './dispatch.ts'
import { handlersFor, recover, restoreRules, type Parts } from './handlers.ts'
import { kernelEvents } from './kernel/events.ts'
import { KernelConnections } from './kernel/connections.ts'
import { forwardingIn } from './kernel/forwarding.ts'
import { findTool, findTools, helperFacts } from './kernel/host-facts.ts'
import { journalIn } from './kernel/journal.ts'
import { findListeners } from './kernel/listeners.ts'
import { openLinks } from './kernel/links.ts'
import { listenOn } from './kernel/socket-file.ts'
import { networkdFilesIn } from './kernel/networkd.ts'
import type { Kernel } from './kernel/facilities.ts'
import { keptRulesIn } from './kernel/kept-rules.ts'
import { foreignBy, foreignUnread } from './kernel/netfilter.ts'
import { Nft } from './kernel/nft.ts'
import { rulesetsWithout } from './kernel/rulesets-none.ts'
import { NftRulesets } from './kernel/rulesets.ts'
import { reloadLater } from './kernel/systemd.ts'
import { unitFilesIn } from './kernel/units.ts'
import { rulesetGeneration } from './netlink/generation.ts'
import { serverFor } from './server.ts'

export async function realParts(config: HelperConfig): Promise<Parts> {
  for (const folder of [config.unitDir, config.networkdDir, config.sysctlDir, config.stateDir]) await mkdir(folder, { recursive: true, mode: 0o755 })
  const links = openLinks()
  const units = unitFilesIn(config.unitDir, reloadLater(config.unitDir))
  const networkd = networkdFilesIn(config.networkdDir)
  return { kernel: { links, units, networkd, events: kernelEvents, ...(await openNetfilter(config.stateDir)), connections: new KernelConnections(), forwarding: forwardingIn(config.sysctlDir) }, journal: journalIn(config.stateDir), helperFacts: () => helperFacts(config), findTools, findListeners }
}

async function openNetfilter(stateDir: string): Promise<Pick<Kernel, 'rulesets' | 'netfilter'>> {
  const path = await findTool('nft')
  if (path === null) return { rulesets: rulesetsWithout('nft is not installed, and nothing else here can hold relay rules: install the package nftables'), netfilter: foreignUnread('nft is not installed, so the rules of other software cannot be read') }
  const nft = new Nft(path)
  return { rulesets: new NftRulesets(nft, keptRulesIn(stateDir), rulesetGeneration()), netfilter: foreignBy(nft, rulesetGeneration()) }
}

/** Nothing is served before what an earlier helper left half-done is put back. */
export async function startHelper(parts: Parts, config: HelperConfig, describePeer: (socket: Socket) => Record<string, unknown>, stopping?: AbortSignal): Promise<Server> {
  await recover(parts)
  await restoreRules(parts)
  const server = serverFor(dispatcherFor(handlersFor(parts)), describePeer, stopping && { stopping })
  await listenOn(server, config.socketPath, config.group)
  return server
}
