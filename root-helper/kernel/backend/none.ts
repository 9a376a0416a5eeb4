// Relay rules on a host where no backend works: everything is reported as unreadable, and nothing can be changed.
import { NO_FAST_PATH } from '@panel/shared/ruleset/fast-path.ts'
import { UNPROTECTED } from '@panel/shared/ruleset/protection.ts'
import type { BootRules } from '../files/boot-rules.ts'
import type { Rulesets } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'

export function rulesetsWithout(detail: string, boot: BootRules): Rulesets {
  const refuse = (): never => {
    throw new KernelError('EOPNOTSUPP', detail)
  }
  return {
    read: async () => ({
      backend: 'none',
      is_readable: false,
      is_present: false,
      detail,
      rules: [],
      damaged: [],
      unmanaged: [],
      ...boot.held(),
    }),
    submit: async () => refuse(),
    rehearse: async () => refuse(),
    saveForBoot: async () => refuse(),
    removeCounters: async () => refuse(),
    counters: async () => refuse(),
    clear: async () => refuse(),
    protection: async () => UNPROTECTED,
    followSources: async () => undefined,
    sources: async () => [],
    followDevices: async () => undefined,
    fastPath: async () => NO_FAST_PATH,
    protect: async () => UNPROTECTED,
  }
}
