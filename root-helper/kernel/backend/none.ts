// Relay rules on a host without a backend, or while the backend fails. In the first case the host holds nothing of
// ours, and rules can still be removed; in the second nobody knows what it holds, and nothing can be changed.
import { NO_FAST_PATH } from '@panel/shared/ruleset/fast-path.ts'
import { UNPROTECTED } from '@panel/shared/ruleset/protection.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { missingRules, type BootRules } from '../files/boot-rules.ts'
import type { Rulesets } from '../relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'

export function rulesetsWithout(backend: RuleBackend, why: string, boot: BootRules): Rulesets {
  const detail = why.slice(0, 300)
  const isEmpty = backend === 'none'
  const refuse = (): never => {
    throw new KernelError('EOPNOTSUPP', detail)
  }
  const unlessEmpty = async <T>(nothing: T): Promise<T> => (isEmpty ? nothing : refuse())
  return {
    read: async () => ({
      backend,
      is_readable: isEmpty,
      is_present: false,
      detail,
      rules: [],
      damaged: isEmpty ? missingRules(boot.held().boot_rules, [], () => detail) : [],
      unmanaged: [],
      ...boot.held(),
    }),
    submit: async (_gone, put) => (put.length > 0 ? refuse() : unlessEmpty(undefined)),
    rehearse: async (there, back) => (there.put.length + back.put.length > 0 ? refuse() : undefined),
    saveForBoot: async (gone, put) => (isEmpty ? boot.change(gone, put) : refuse()),
    removeCounters: () => unlessEmpty([]),
    bringUpToDate: async () => undefined,
    arrived: async () => refuse(),
    counters: async () => refuse(),
    clear: () => unlessEmpty(undefined),
    protection: async () => UNPROTECTED,
    followSources: async () => undefined,
    sources: () => unlessEmpty([]),
    followDevices: async () => undefined,
    fastPath: async () => NO_FAST_PATH,
    protect: async () => refuse(),
  }
}
