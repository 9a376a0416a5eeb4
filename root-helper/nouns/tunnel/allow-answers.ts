// Whether a change may have answers leave through a tunnel on this host, and no mark of an operator leads other packets there.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import { hex } from '@panel/shared/ruleset/mark.ts'
import { isAnswerMark } from '@panel/shared/ruleset/nft/answers.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { RefusedError } from '../../refused.ts'
import { seeAllTunnels } from './probe.ts'

/** `found` is what exists under each name of the change. */
export async function allowAnswers(
  kernel: Kernel,
  found: readonly TunnelFound[],
  wanted: TunnelStates | null,
  steps: readonly TunnelStep[],
): Promise<void> {
  const isStarted = steps.some(({ kind }) => kind === 'answers_start')
  const trouble = kernel.answers.trouble()
  if (trouble !== null && (isStarted || steps.some(({ kind }) => kind === 'answers_stop')))
    throw new RefusedError('state_unusable', verbatim(trouble))
  const refusal = isStarted ? await kernel.answers.refusal() : null
  if (refusal) throw new RefusedError('unsupported', refusal)
  await allowMarks(kernel, found, wanted ?? [])
}

/**
 * A mark of an operator that is one of ours would send packets into a tunnel. What is there already counts only where a
 * tunnel is to be answered through that was not.
 */
async function allowMarks(kernel: Kernel, found: readonly TunnelFound[], wanted: TunnelStates): Promise<void> {
  const had = found.flatMap(({ state }) => state ?? [])
  const begins = wanted.find(({ interface_name: name, answers }) => answers && !had.find(isNamed(name))?.answers)
  const names = new Set(found.map(({ interface_name }) => interface_name))
  const other =
    begins?.interface_name ?? kernel.answers.marked().find((name) => !names.has(name) || isWanted(wanted, name))
  if (other === undefined) return
  const known = new Set(had.flatMap(marksOf))
  const all = begins ? [...(await othersBeside(kernel, names)), ...wanted] : wanted
  allowNoMarksOf(all, other, begins ? new Set() : known)
  if (begins) await allowNoMarksOfRules(kernel, other)
}

async function allowNoMarksOfRules(kernel: Kernel, other: string): Promise<void> {
  const { rules, boot_rules } = await kernel.rulesets.read()
  const rule = [...rules, ...boot_rules].find(({ fwmark }) => fwmark !== null && isAnswerMark(fwmark))
  if (rule) throw new RefusedError('beyond_limits', markOfRule(rule.route_rule_id, rule.fwmark ?? 0, other))
}

/** The same where it is a network that begins to be answered. */
export async function allowNoMarks(kernel: Kernel, other: string): Promise<void> {
  allowNoMarksOf(await othersBeside(kernel, new Set()), other)
  await allowNoMarksOfRules(kernel, other)
}

function allowNoMarksOf(states: readonly TunnelState[], other: string, known: ReadonlySet<number> = new Set()): void {
  for (const state of states)
    for (const mark of marksOf(state).filter(isAnswerMark))
      if (!known.has(mark)) {
        const params = { mark: hex(mark), name: state.interface_name, other }
        throw new RefusedError('beyond_limits', message('root.answers_mark_of_tunnel', params))
      }
}

export const markOfRule = (number: number, mark: number, other: string) =>
  message('root.answers_mark_of_rule', { mark: hex(mark), number, other })

const isNamed =
  (name: string) =>
  ({ interface_name }: TunnelState): boolean =>
    interface_name === name
const isWanted = (wanted: TunnelStates, name: string): boolean => wanted.find(isNamed(name))?.answers !== undefined

const othersBeside = async (kernel: Kernel, names: ReadonlySet<string>): Promise<TunnelState[]> =>
  (await seeAllTunnels(kernel)).flatMap(({ interface_name, state }) =>
    state && !names.has(interface_name) ? [state] : [],
  )

const marksOf = ({ link, saved }: TunnelState): number[] =>
  [link?.config, saved?.systemd_unit?.config, saved?.networkd_netdev?.config].flatMap((config) => config?.fwmark ?? [])
