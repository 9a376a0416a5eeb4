// The shipped helper but for one thing: the links of the bench, of another kind on a kernel without GRE, are shown as
// the tunnels they stand in for.
import { readConfig } from '@panel/root-helper/config.ts'
import { realDeps, startHelper } from '@panel/root-helper/helper.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import type { Links, SeenLink } from '@panel/root-helper/kernel/facilities.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { stateOf } from '@panel/web-daemon/features/tunnels/record.ts'
import { nameOf, NUMBERS, tunnelOf } from './rows.ts'

const COUNT = Number(process.env['PANEL_BENCH_COUNT'])
const ENDS = {
  local_endpoint: process.env['PANEL_BENCH_LOCAL'] ?? '',
  remote_endpoint: process.env['PANEL_BENCH_REMOTE'] ?? '',
}
const NAMES = NUMBERS(COUNT).map(nameOf)
const CONFIGS = new Map(NUMBERS(COUNT).map((number) => [nameOf(number), stateOf(tunnelOf(number, ENDS)).link?.config]))

/**
 * Everything is read from the kernel as ever, and made canonical as ever; only the GRE attributes are not there to be
 * decoded.
 */
function shownAs<L extends SeenLink>(found: L): L {
  const config = CONFIGS.get(found.interface_name)
  const observed = { ...found.observed, kind: 'gre', ...ENDS }
  return config
    ? {
        ...found,
        observed,
        link: { is_up: found.observed.is_up, config: canonicalConfig({ ...config, mtu: found.observed.mtu }) },
      }
    : found
}

/** Returns the previous object of a link that has not changed, like the shipped helper. */
const shownOnce = madeOnce<SeenLink>()

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const parts = await realDeps(config)
  const { links } = parts.kernel
  const shown: Links = Object.create(links, {
    list: { value: async (names: readonly string[] | null) => (await links.list(names ?? NAMES)).map(shownAs) },
    listUncounted: {
      value: async (names: readonly string[] | null) =>
        (await links.listUncounted(names ?? NAMES)).map((found) =>
          shownOnce(found.interface_name, [found], () => shownAs(found)),
        ),
    },
  }) as Links
  await startHelper({ ...parts, kernel: { ...parts.kernel, links: shown } }, config, () => ({}))
  // Node leaves a profile behind only where it ends by itself.
  process.once('SIGTERM', () => process.exit(0))
  process.stderr.write('listening, with stand-ins\n')
}

void main()
