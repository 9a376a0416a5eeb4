// A helper put together: what main starts, and what the tests start with a fault or a fake in one of the deps.
import type { Server, Socket } from 'node:net'
import { mkdir } from 'node:fs/promises'
import type { HelperConfig } from './config.ts'
import { dispatcherFor } from './dispatch.ts'
import { handlersFor, type HelperDeps } from './handlers.ts'
import { KernelAnswers } from './kernel/answers/answers.ts'
import { AnswersRecord } from './kernel/answers/record.ts'
import type { AnswersTable } from './kernel/answers/table.ts'
import { KernelNetworks } from './kernel/networks/networks.ts'
import { NetworksRecord } from './kernel/networks/record.ts'
import { bootId } from './kernel/boot-id.ts'
import { bootClock } from './window/boot-clock.ts'
import type { Kernel, OwnLinks, UnitFiles } from './kernel/facilities.ts'
import { kernelEvents } from './kernel/host/events.ts'
import { kernelIcmp } from './kernel/icmp/icmp.ts'
import { FastFlows } from './kernel/conntrack/fast-flows.ts'
import { KernelConnections } from './kernel/conntrack/connections.ts'
import { forwardingIn } from './kernel/host/forwarding.ts'
import { findTools, helperFacts } from './kernel/host/facts.ts'
import { bootRulesIn, type BootRules } from './kernel/files/boot-rules.ts'
import { journalIn } from './kernel/files/journal.ts'
import { stateFolder, type StateFolder } from './kernel/files/state-folder.ts'
import { foldersTrouble } from './kernel/files/folders.ts'
import { removeUnfinished } from './kernel/files/files.ts'
import { findListeners } from './kernel/host/listeners.ts'
import { ownAccess } from './kernel/host/own-access.ts'
import { openLinks } from './kernel/link/links.ts'
import { listenOn } from './kernel/files/socket-file.ts'
import { ownLinksIn } from './kernel/files/own-links.ts'
import { limitsFile } from './kernel/files/limits-file.ts'
import { networkdFilesIn } from './kernel/files/networkd.ts'
import { startSwitches } from './nouns/forwarding/start.ts'
import { LinkFollower } from './follow-links.ts'
import { followedOlder } from './nouns/ruleset/older.ts'
import { followedSources } from './nouns/ruleset/sources.ts'
import { followedNetworks } from './nouns/network/follow.ts'
import { followedAnswers } from './nouns/tunnel/follow-answers.ts'
import { transactionsOf } from './nouns/transactions.ts'
import { BringUp } from './bring-up.ts'
import { openNetfilter } from './kernel/backend/netfilter.ts'
import { systemdReading, systemdReads } from './kernel/files/systemd.ts'
import { unitFilesIn } from './kernel/files/units.ts'
import { NetlinkSocket } from './netlink/socket.ts'
import { serverFor } from './server.ts'
import { log } from './log.ts'
import { sharedRead } from './shared-read.ts'
import { messageOf } from './text.ts'
import { oneAtATime, type Turns } from './one-at-a-time.ts'
import type { Journal } from './subject.ts'
import { WindowRecord } from './window/record.ts'
import { Windows } from './window/window.ts'

/** The folders that hold files of the panel. */
const FOLDERS = ['unitDir', 'networkdDir', 'sysctlDir', 'stateDir'] as const

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

export async function windowsOver(
  config: HelperConfig,
  kernel: Kernel,
  journal: Journal,
): Promise<Pick<HelperDeps, 'windows'> & Turns> {
  const turns = oneAtATime(64)
  const windows = new Windows({
    record: new WindowRecord(stateFolder(config.stateDir)),
    clock: bootClock,
    boot_id: await bootId(),
    inTurn: turns.inTurn,
    journal,
    transactions: transactionsOf(kernel, journal),
    foldersTrouble: () => foldersTrouble(FOLDERS.map((name) => config[name])),
  })
  return { windows, ...turns }
}

const linksOf = (
  { unitDir, networkdDir }: HelperConfig,
  ownLinks: OwnLinks,
): Pick<Kernel, 'links' | 'ownLinks' | 'units' | 'networkd'> => ({
  links: openLinks(ownLinks),
  ownLinks,
  units: unitsIn(unitDir),
  networkd: networkdFilesIn(networkdDir),
})

/** Answers of own addresses go by what is kept of networks. */
function routingOf(state: StateFolder, table: AnswersTable, boot: BootRules): Pick<Kernel, 'answers' | 'networks'> {
  const networks = new NetworksRecord(state)
  return {
    answers: new KernelAnswers(new NetlinkSocket(), new AnswersRecord(state), networks, table, boot.held),
    networks: new KernelNetworks(new NetlinkSocket(), networks),
  }
}

export async function realDeps(config: HelperConfig): Promise<HelperDeps> {
  for (const folder of FOLDERS.map((name) => config[name]))
    await prepareFolder(folder, (name) => folder === config.stateDir || OUR_NAMES.test(name))
  const state = stateFolder(config.stateDir)
  const boot = bootRulesIn(state)
  const journal = journalIn(state)
  const fastFlows = new FastFlows(config.stateDir, await bootId())
  fastFlows.resume()
  const parts = openNetfilter(state, boot, config.ruleBackend, fastFlows, () => kernel.answers.follow())
  const { changes, legacy, backendAnswers, answersTable, ...netfilter } = parts
  const kernel: Kernel = {
    ...netfilter,
    ...routingOf(state, answersTable, boot),
    ...linksOf(config, ownLinksIn(state, await bootId())),
    events: kernelEvents(changes, legacy),
    limits: limitsFile(config.limitsFile),
    ownAccess,
    connections: new KernelConnections({ fastFlows }),
    icmp: kernelIcmp,
    forwarding: forwardingIn(config.sysctlDir),
  }
  const { held, ...turns } = await windowsOver(config, kernel, journal)
  return {
    kernel,
    journal,
    ...turns,
    helperFacts: async () => helperFacts(config),
    findTools: sharedRead(async () => findTools(await backendAnswers())),
    findListeners: sharedRead(findListeners),
    stateTrouble: async () =>
      journal.blocked() ??
      held()?.message ??
      [turns.windows, kernel.ownLinks, kernel.answers, kernel.networks]
        .map((one) => one.trouble())
        .find((one) => one !== null) ??
      boot.held().boot_trouble ??
      kernel.limits.read().fault?.message ??
      (await state.trouble()),
  }
}

/** Nothing is served before what an earlier helper left half-done is put back, or is known to have to wait. */
export async function startHelper(
  deps: HelperDeps,
  config: HelperConfig,
  describePeer: (socket: Socket) => Record<string, unknown>,
  stopping?: AbortSignal,
): Promise<Server> {
  const { kernel, inTurn } = deps
  const bringUp = new BringUp(deps)
  const follower = new LinkFollower(kernel.events, inTurn, [
    followedNetworks(kernel),
    followedAnswers(kernel),
    followedSources(kernel),
    followedOlder(kernel),
  ])
  await bringUp.start(() => follower.run())
  await startSwitches(kernel.forwarding)
  await follower.start()
  const server = serverFor(dispatcherFor(handlersFor(deps)), describePeer, stopping && { stopping })
  server.once('close', () => [bringUp, follower].forEach((one) => one.end()))
  await listenOn(server, config.socketPath, config.group)
  return server
}
