// Whether this kernel and nft can carry established flows past the chains: found out by a text that is looked at and
// thrown away.
import type { FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import { message } from '@panel/shared/messages/message.ts'
import { KernelError } from '../../kernel-error.ts'
import { hasCrashed } from '../program/program.ts'
import type { Nft } from './nft.ts'

const ATTEMPT = `add table inet panel_attempt
add flowtable inet panel_attempt flows { hook ingress priority 0; counter; }
add chain inet panel_attempt forward { type filter hook forward priority 9; policy accept; }
add rule inet panel_attempt forward ct state established flow add @flows
`

/** Throws if nft crashed, which says nothing about the kernel. */
export async function fastPathIn(nft: Nft): Promise<FastPathFound> {
  try {
    await nft.check(ATTEMPT)
    return { is_able: true, detail: '' }
  } catch (error) {
    if (!(error instanceof KernelError) || hasCrashed(error)) throw error
    return { is_able: false, detail: message('root.fast_path_kernel', { why: error.message }).message.slice(0, 300) }
  }
}
