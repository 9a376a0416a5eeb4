// What there is of the panel on this host, by root's own files and by the kernel: nothing before its first start.
import { verbatim } from '@panel/shared/messages/message.ts'
import type { Ours } from '@panel/shared/host/model.ts'
import type { Kernel } from '../kernel/facilities.ts'
import type { JournalFile } from '../kernel/files/journal.ts'
import { RefusedError } from '../refused.ts'
import type { Windows } from '../window/window.ts'
import { seeAllTunnels } from './tunnel/probe.ts'

export interface OursDeps {
  readonly kernel: Kernel
  readonly journal: Pick<JournalFile, 'blocked'>
  readonly windows: Pick<Windows, 'probe' | 'trouble'>
}

/** Refused if it cannot be read. A damaged file of root's own counts too, since an earlier helper wrote it. */
export async function findOurs({ kernel, journal, windows }: OursDeps): Promise<Ours> {
  const held = await kernel.rulesets.read()
  const { is_readable, is_present, detail, rules, damaged, boot_rules } = held
  if (!is_readable) throw new RefusedError('busy', verbatim(detail))
  const rule_ids = new Set([...rules, ...damaged, ...boot_rules].map(({ route_rule_id }) => route_rule_id))
  const tunnels = (await seeAllTunnels(kernel)).filter(
    ({ is_ours, state, foreign_files }) =>
      is_ours || foreign_files.length > 0 || Object.values(state?.saved ?? {}).some((file) => file !== null),
  ).length
  const isSwitched = (await kernel.forwarding.readFile()) !== null
  const { window, ended } = windows.probe()
  const troubles = [
    held.boot_trouble,
    kernel.ownLinks.trouble(),
    kernel.answers.trouble(),
    kernel.networks.trouble(),
    windows.trouble(),
    journal.blocked(),
  ]
  const isKept = window !== null || ended !== null || troubles.some((trouble) => trouble !== null)
  const isLeft = kernel.ruleBackends.active.leftovers.length > 0
  const is_any =
    rule_ids.size + tunnels + kernel.networks.kept().length > 0 || is_present || isLeft || isSwitched || isKept
  return { tunnels, rules: rule_ids.size, is_any }
}
