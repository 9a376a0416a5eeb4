// Many paths in one picture: those that are alike become one.
import type { Hop, Path } from '../../components/path/path-layout.ts'
import { worse } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import { DESTINATION, PORT, TUNNEL } from './rule-path.ts'

/** So many that are alike are drawn each for itself, where all are more. */
const FEW = 2

function groupPaths(paths: readonly Path[], keyOf: (path: Path) => string): Path[] {
  if (paths.length <= FEW) return [...paths]
  const groups = new Map<string, Path[]>()
  for (const path of paths) groups.set(keyOf(path), [...(groups.get(keyOf(path)) ?? []), path])
  return [...groups].flatMap(([key, group]) => (group.length <= FEW ? group : [joined(key, group)]))
}

/** For a narrow place, where few stand side by side: those that look the same hop by hop, the worst first. */
export const groupAlike = (paths: readonly Path[]): Path[] =>
  groupPaths(paths, (path) => [tunnelOf(path), ...path.hops.map(({ condition }) => condition.state)].join(' '))
    .map((path) => ({ path, state: path.hops.map(({ condition }) => condition.state).reduce(worse) }))
    .sort((one, other) => (one.state === other.state ? 0 : worse(one.state, other.state) === one.state ? -1 : 1))
    .map(({ path }) => path)

const tunnelOf = ({ hops }: Path): string => hops.find(({ stage }) => stage === TUNNEL)?.key ?? 'direct'

function joined(key: string, group: readonly Path[]): Path {
  const at = (stage: number): Hop[] => [
    ...new Map(
      group.flatMap(({ hops }) => hops.filter((hop) => hop.stage === stage)).map((hop) => [hop.key, hop]),
    ).values(),
  ]
  const together = (stage: number, label: string): Hop => {
    const [one, ...more] = at(stage)
    if (one && more.length === 0) return one
    return {
      key: `${key} ${stage}`,
      stage,
      label,
      detail: '',
      condition: at(stage)
        .map(({ condition }) => condition)
        .reduce((worst, other) => (worse(worst.state, other.state) === worst.state ? worst : other)),
      to: '/routes',
    }
  }
  const [first] = group
  const hops = (first?.hops ?? []).map((hop) => {
    if (hop.stage === PORT) return together(PORT, t('path.rules', { count: at(PORT).length }))
    if (hop.stage === DESTINATION)
      return together(DESTINATION, t('path.destinations', { count: at(DESTINATION).length }))
    return hop
  })
  const legs = (first?.legs ?? []).map((leg, index) => ({
    label: '',
    text: '',
    state: group.map(({ legs: own }) => own[index]?.state ?? leg.state).reduce(worse),
  }))
  const named = hops.filter(({ stage }) => stage === PORT || stage === TUNNEL)
  return { title: named.map(({ label }) => label).join(' · '), hops, legs }
}
