// Removes the panel's relay rules and tunnels with their files from the host. The store keeps them, so that they can be
// applied again.
import { join } from 'node:path'
import { pino } from 'pino'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { openStore } from '../app/store.ts'
import { connectHelper } from '../platform/helper/client.ts'
import { readKernelRules } from '../features/routes/kernel-rules.ts'
import { applyStored, whyNotDeleted } from '../features/tunnels/ownership.ts'
import type { TunnelRecord } from '../features/tunnels/record.ts'
import { everyTunnel } from '../features/tunnels/store.ts'
import type { Config } from '../app/config.ts'
import { CommandError } from './errors.ts'
import { configurationFile } from './host/configuration.ts'
import { stopUnit, WEB_UNIT } from './host/programs.ts'
import { isRoot } from './host/root.ts'
import { becomeOwner, runAsOwner } from './owner.ts'
import { printError, printLine } from './print.ts'

/** The daemon would put back what it finds missing, where its settings say so: root stops it first. */
export function stopAndTakeDown({ state_dir }: Config): void {
  if (!isRoot()) becomeOwner(state_dir)
  else if (configurationFile(process.env) !== null) {
    stopUnit(WEB_UNIT)
    printError(`The web daemon is stopped, so that nothing brings them back; systemctl start ${WEB_UNIT} starts it.\n`)
  }
  runAsOwner(state_dir, ['remove-all'], null)
}

/** Runs as the owner. */
export async function removeAll({ state_dir, helper_socket }: Config): Promise<void> {
  const helper = connectHelper(helper_socket, pino({ enabled: false }))
  const db = await openStore(join(state_dir, 'panel.db'))
  try {
    const stored = await everyTunnel(db)
    const failed = [...(await removeRules(helper.request)), ...(await removeTunnels(helper.request, stored))]
    if (failed.length > 0)
      throw new CommandError(`Not everything could be removed:\n${failed.map((line) => `  ${line}`).join('\n')}`)
  } finally {
    helper.close()
    await db.destroy()
  }
}

async function removeRules(request: Writer): Promise<string[]> {
  const { rules, damaged } = await readKernelRules(request)
  const all = [...rules.values()]
  for (let at = 0; at < all.length; at += RULES_PER_CHANGE_MAX) {
    const { outcome, failure } = await request('ruleset.apply', {
      before: rulesOrNull(all.slice(at, at + RULES_PER_CHANGE_MAX)),
      after: null,
    })
    if (outcome !== 'applied') return [`relay rules: ${failure?.message ?? outcome}`]
  }
  if (damaged.length > 0)
    await request('ruleset.forget', { route_rule_ids: damaged.map(({ route_rule_id }) => route_rule_id) })
  printLine(`${all.length} relay rules removed.`)
  return []
}

async function removeTunnels(request: Writer, stored: readonly TunnelRecord[]): Promise<string[]> {
  const records = new Map(stored.map((record) => [record.interface_name, record]))
  const interface_names = [...records.keys()]
  const { tunnels } =
    interface_names.length === 0 ? { tunnels: [] } : await request('tunnel.probe', { interface_names })
  const failed: string[] = []
  for (const found of tunnels) {
    const record = records.get(found.interface_name)
    const reason = record && (await whyNotRemoved(request, found, record))
    if (reason) failed.push(`${found.interface_name}: ${reason}`)
  }
  printLine(`${tunnels.length - failed.length} tunnels removed.`)
  return failed
}

async function whyNotRemoved(request: Writer, found: TunnelFound, record: TunnelRecord): Promise<string | null> {
  const reason = whyNotDeleted(found, record)
  if (reason !== null || !found.state) return reason?.message ?? null
  const { outcome, failure } = await applyStored(request, { before: found.state, after: null })
  return outcome === 'applied' ? null : (failure?.message ?? outcome)
}
