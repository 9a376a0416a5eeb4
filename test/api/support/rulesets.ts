// What the fake kernel was to do with relay rules, and what it does not take.
import type { TestPanel } from './panel.ts'

type OnHost = Pick<TestPanel, 'kernel'>

/** Each change of the ruleset so far. */
export const rulesetChanges = ({ kernel }: OnHost): string[] =>
  kernel.changes.filter((what) => what.startsWith('ruleset '))

/** The kernel takes no rule on this port. */
export function refusePort({ kernel: { rulesets } }: OnHost, port: number): void {
  const submit = rulesets.submit.bind(rulesets)
  rulesets.submit = async (gone, put) => {
    if (put.some(({ bind_port }) => bind_port === port)) throw new Error(`Injected fault: no port ${port}`)
    return submit(gone, put)
  }
}
