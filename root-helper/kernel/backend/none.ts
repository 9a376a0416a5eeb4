// Relay rules on a host where nothing can hold them: everything is said to be unreadable, and nothing can be changed.
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
      boot_rules: boot.read(),
    }),
    submit: async () => refuse(),
    saveForBoot: async () => refuse(),
    removeCounters: async () => refuse(),
    counters: async () => refuse(),
    clear: async () => refuse(),
  }
}
