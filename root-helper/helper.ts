// A helper put together: what main starts, and what the tests start with a fault or a fake in one of the deps.
import type { Server, Socket } from 'node:net'
import { mkdir } from 'node:fs/promises'
import type { HelperConfig } from './config.ts'
import { dispatcherFor } from './dispatch.ts'
import { handlersFor, type HelperDeps } from './handlers.ts'
import { bootId } from './kernel/boot-id.ts'
import type { UnitFiles } from './kernel/facilities.ts'
import { kernelEvents } from './kernel/host/events.ts'
import { kernelIcmp } from './kernel/icmp/icmp.ts'
import { KernelConnections } from './kernel/conntrack/connections.ts'
import { forwardingIn } from './kernel/host/forwarding.ts'
import { findTools, helperFacts } from './kernel/host/facts.ts'
import { bootRulesIn } from './kernel/files/boot-rules.ts'
import { journalIn } from './kernel/files/journal.ts'
import { stateFolder } from './kernel/files/state-folder.ts'
import { removeUnfinished } from './kernel/files/files.ts'
import { findListeners } from './kernel/host/listeners.ts'
import { ownAccess } from './kernel/host/own-access.ts'
import { openLinks } from './kernel/link/links.ts'
import { listenOn } from './kernel/files/socket-file.ts'
import { ownLinksIn } from './kernel/files/own-links.ts'
import { networkdFilesIn } from './kernel/files/networkd.ts'
import { startSwitches } from './nouns/forwarding/start.ts'
import { startRules } from './nouns/ruleset/start.ts'
import { forgetGone } from './nouns/tunnel/ownership.ts'
import { renewFiles } from './nouns/tunnel/renew.ts'
import { transactionsOf } from './nouns/transactions.ts'
import { recover } from './recover.ts'
import { openNetfilter } from './kernel/backend/rule-backends.ts'
import { systemdReading, systemdReads } from './kernel/files/systemd.ts'
import { unitFilesIn } from './kernel/files/units.ts'
import { serverFor } from './server.ts'
import { log } from './log.ts'
import { sharedRead } from './shared-read.ts'
import { messageOf } from './text.ts'

/** Names of our files in folders that are shared with others. */
const OUR_NAMES = /^(\d\d-)?tunnel-panel[-.]/

/** What an earlier helper left unfinished is removed; on a disk that takes no writes it stays. */
async function prepareFolder(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  await removeUnfinished(folder, isOurs).catch((error: unknown) =>
    log('warning', 'Unfinished files are left', { folder, detail: messageOf(error) }),
  )
}

const unitsIn = (folder: string): UnitFiles =>
  unitFilesIn(folder, systemdReading(folder), systemdReads(folder) ? ['/run/systemd/system'] : [])

export async function realDeps(config: HelperConfig): Promise<HelperDeps> {
  for (const folder of [config.unitDir, config.networkdDir, config.sysctlDir, config.stateDir]) {
    await prepareFolder(folder, (name) => folder === config.stateDir || OUR_NAMES.test(name))
  }
  const state = stateFolder(config.stateDir)
  const boot = bootRulesIn(state)
  const journal = journalIn(state)
  const ownLinks = ownLinksIn(state, await bootId())
  const links = openLinks(ownLinks)
  const units = unitsIn(config.unitDir)
  const networkd = networkdFilesIn(config.networkdDir)
  const { rulesets, ruleBackends, netfilter, changes, backendAnswers } = await openNetfilter(
    state,
    boot,
    config.ruleBackend,
  )
  return {
    kernel: {
      links,
      ownLinks,
      units,
      networkd,
      events: kernelEvents(changes),
      rulesets,
      ruleBackends,
      netfilter,
      ownAccess,
      connections: new KernelConnections(),
      icmp: kernelIcmp,
      forwarding: forwardingIn(config.sysctlDir),
    },
    journal,
    helperFacts: () => helperFacts(config),
    findTools: sharedRead(async () => findTools(await backendAnswers())),
    findListeners: sharedRead(findListeners),
    stateTrouble: async () =>
      journal.blocked() ?? ownLinks.trouble() ?? boot.held().boot_trouble ?? (await state.trouble()),
  }
}

/** Nothing is served before what an earlier helper left half-done is put back. */
export async function startHelper(
  deps: HelperDeps,
  config: HelperConfig,
  describePeer: (socket: Socket) => Record<string, unknown>,
  stopping?: AbortSignal,
): Promise<Server> {
  await recover(deps.journal, transactionsOf(deps.kernel, deps.journal))
  await forgetGone(deps.kernel)
  await renewFiles(deps.kernel)
  await startRules(deps.kernel, deps.journal)
  await startSwitches(deps.kernel.forwarding)
  const server = serverFor(dispatcherFor(handlersFor(deps)), describePeer, stopping && { stopping })
  await listenOn(server, config.socketPath, config.group)
  return server
}
