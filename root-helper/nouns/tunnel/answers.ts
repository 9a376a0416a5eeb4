// Tunnels that are answered through, as part of the states that are read back.
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'

type Found = ReadonlyMap<string, NonNullable<TunnelState['answers']>>

/** A program that fails is no reason to see no tunnel: what cannot be read back does not count as whole. */
export async function answersFound({ answers }: Pick<Kernel, 'answers'>): Promise<Found> {
  try {
    return new Map((await answers.found()).map(({ interface_name, is_whole }) => [interface_name, { is_whole }]))
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    log('warning', 'Whether tunnels are answered through cannot be read', { detail: messageOf(error) })
    return new Map(answers.names().map((name) => [name, { is_whole: false }]))
  }
}
