// What can be done with rules, for pages that load it once it is done.
export { deleteRule, reapply } from './actions.ts'
export { applyAll } from './apply-all.ts'
