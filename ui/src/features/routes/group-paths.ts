// Many paths in one picture: those over the same tunnel become one.
import type { Hop, Path } from '../../components/path-layout.ts'
import { worse } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import { DESTINATION, PORT, TUNNEL } from './rule-path.ts'

/** So many of one tunnel are drawn each for itself, where all are more than `most`. */
const FEW = 2

export function groupPaths(paths: readonly Path[], most: number): Path[] {
  if (paths.length <= most) return [...paths]
  const groups = new Map<string, Path[]>()
  for (const path of paths) {
    const key = path.hops.find(({ stage }) => stage === TUNNEL)?.key ?? 'direct'
    groups.set(key, [...(groups.get(key) ?? []), path])
  }
  return [...groups].flatMap(([key, group]) => (group.length <= FEW ? group : [joined(key, group)]))
}

function joined(key: string, group: readonly Path[]): Path {
  const at = (stage: number): Hop[] => [
    ...new Map(
      group.flatMap(({ hops }) => hops.filter((hop) => hop.stage === stage)).map((hop) => [hop.key, hop]),
    ).values(),
  ]
  const together = (stage: number, label: string): Hop => ({
    key: `${key} ${stage}`,
    stage,
    label,
    detail: '',
    condition: at(stage)
      .map(({ condition }) => condition)
      .reduce((one, other) => (worse(one.state, other.state) === one.state ? one : other)),
    to: '/routes',
  })
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
  return { title: hops[1]?.label ?? '', hops, legs }
}
