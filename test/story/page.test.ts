// The whole page before the real kernel: an operator with a browser sets up two servers, pairs them, relays over the
// tunnel, loses the far end, learns why, and adopts what another has made.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { DEFAULT_DISPLAY, formatter } from '../../ui/src/core/format.ts'
import type { Visit } from '../ui/support/browser.ts'
import { field, seen } from '../ui/support/host.ts'
import { chooseColumns } from '../ui/support/lists.ts'
import { startLab, type Lab, type Running } from '../vm/lab/index.ts'
import { causesBetween, ECHO_PORT, PUBLIC } from './page/causes.ts'
import { countedOf, linkOf } from './page/kernel.ts'
import { pages } from './page/pages.ts'
import { becomes } from '../vm/eventually.ts'
import { badge, brokenOf, button, cell, goTo, row } from './page/steps.ts'
import { editInTwoTabs, loseHelper } from './page/trouble.ts'
import { putPanel } from '../vm/panel/bundles.ts'
import { OPERATOR, Panel } from '../vm/panel/panel.ts'

const { volume } = formatter(DEFAULT_DISPLAY)
const NOTHING_PER_SECOND = /^0\sB\/s$/
const PORT = 8080

describe('An operator before the pages of two servers', function () {
  const { open } = pages()
  let lab: Lab
  let a: Panel
  let b: Panel
  let onA: Page
  let onB: Page

  const own = (page: Page): Locator => page.getByLabel("This server's address", { exact: true })

  /** Connects a client that knows server A alone. */
  const plugInClient = async (): Promise<void> => {
    await lab.run('ip', ['-batch', '-'], {
      stdin: 'netns add client\nlink add eth1 netns a type veth peer name eth0 netns client\n',
    })
    await lab.run('ip', ['-netns', 'a', '-batch', '-'], {
      stdin: `address add ${PUBLIC}/24 dev eth1\nlink set eth1 up\n`,
    })
    await lab.run('ip', ['-netns', 'client', '-batch', '-'], {
      stdin: 'link set lo up\naddress add 198.51.100.2/24 dev eth0\nlink set eth0 up\n',
    })
  }
  const connect = (): Running =>
    lab.spawn('ip', ['netns', 'exec', 'client', 'socat', '-t', '60', '-', `TCP4:${PUBLIC}:${PORT},connect-timeout=60`])

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;[a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
    await plugInClient()
    // So that B says each time that nobody takes its packets, and not once a second, which the monitor's probes use up.
    await b.server.run('sysctl', ['-qw', 'net.ipv4.icmp_ratelimit=0'])
    ;[{ page: onA }, { page: onB }] = (await Promise.all([open(a), open(b)])) as [Visit, Visit]
  })
  after(() => lab?.stop())

  it('creates the account of each', async () => {
    for (const page of [onA, onB]) {
      await seen(page, 'Create the operator account')
      await field(page, 'Username').fill(OPERATOR.username)
      await field(page, 'Password').fill(OPERATOR.password)
      await button(page, 'Create account').click()
    }
    for (const page of [onA, onB]) await page.getByText('Connect the other server').waitFor()
  })

  it('has A judge its tunnels by fewer probes, in the settings', async () => {
    await goTo(onA, 'Settings')
    await onA.getByLabel('Time between two probes (seconds)', { exact: true }).fill('0.5')
    await onA.getByLabel('Sample window', { exact: true }).fill('10')
    await button(onA, 'Save').click()
    await onA.getByText('2 settings are saved').first().waitFor()
  })

  it('creates a tunnel on A after its plan was shown, which changed nothing, and copies the code', async () => {
    await goTo(onA, 'Overview')
    await onA.getByRole('link', { name: 'Create a tunnel' }).click()
    await own(onA).fill(a.server.address)
    await field(onA, "The other server's address").fill(b.server.address)
    await button(onA, 'Show the plan').click()
    await onA.getByText(/^Create the gre link gre-a-1 from 192\.0\.2\.1 to 192\.0\.2\.2 with MTU 1472\.$/).waitFor()
    assert.equal(await linkOf(a.server, 'gre-a-1'), null)
    await button(onA, 'Create the tunnel').click()
    await button(onA, 'Copy the code').click()
    await button(onA, 'Copied').waitFor()
    assert.deepEqual(
      await onA.locator('bdi.mono:not([data-shell-line] *)').evaluateAll(brokenOf),
      [],
      'an address that is to be compared stays in one line',
    )
    assert.ok(await linkOf(a.server, 'gre-a-1'))
  })

  it('pastes the code on B, which makes the other end of it', async () => {
    await onB.getByRole('link', { name: 'Paste a pairing code' }).click()
    await field(onB, 'Pairing code').focus()
    await onB.keyboard.press('Control+V')
    await onB.getByText('What will be done for gre-b-1').waitFor()
    await onB.getByText('172.17.1.2/30').waitFor()
    await button(onB, 'Back').click()
    assert.deepEqual(
      [await own(onB).inputValue(), await field(onB, "The other server's address").inputValue()],
      [b.server.address, a.server.address],
    )
    await button(onB, 'Show the plan').click()
    await button(onB, 'Create the tunnel').click()
    await seen(onB, 'gre-b-1')
    const [one, other] = [
      (await linkOf(a.server, 'gre-a-1'))?.linkinfo.info_data,
      (await linkOf(b.server, 'gre-b-1'))?.linkinfo.info_data,
    ]
    assert.deepEqual(
      [other?.local, other?.remote, other?.ikey, other?.okey],
      [one?.remote, one?.local, one?.okey, one?.ikey],
    )
    assert.match(one?.ikey ?? '', /^\d+\.\d+\.\d+\.\d+$/)
  })

  it('sees both ends Up, beside the UNKNOWN that the kernel says of every GRE link', async () => {
    for (const [page, panel, name] of [
      [onA, a, 'gre-a-1'],
      [onB, b, 'gre-b-1'],
    ] as const) {
      await goTo(page, 'Tunnels')
      await badge(row(page, name), 'Up').waitFor()
      await row(page, name).getByRole('link', { name }).click()
      await row(page, '^State Enabled Up \\(GRE reports no carrier\\)').waitFor()
      assert.equal((await linkOf(panel.server, name))?.operstate, 'UNKNOWN')
    }
  })

  it('adds a relay on A to an echo behind B, tried before it exists and in the kernel once it does', async () => {
    // In pieces that a pipe always takes (test/vm/panel/echo.ts).
    b.server.spawn('socat', ['-b', '4096', '-t', '60', `TCP4-LISTEN:${ECHO_PORT},bind=172.17.1.2,fork`, 'PIPE'])
    await becomes(
      () => b.server.run('ss', ['-Hltn']),
      (listening) => listening.includes(`172.17.1.2:${ECHO_PORT}`),
      'the echo listens',
    )
    await goTo(onA, 'Relay rules')
    await onA.getByRole('link', { name: 'Create a rule' }).first().click()
    await onA.getByRole('spinbutton', { name: 'Port', exact: true }).fill(`${PORT}`)
    await field(onA, 'Address').fill('172.17.1.2')
    await onA.getByRole('spinbutton', { name: 'Destination port' }).fill(`${ECHO_PORT}`)
    await button(onA, 'Test reachability').click()
    await onA.getByText('Reached', { exact: true }).waitFor()
    await field(onA, 'Name').fill('Echo')
    await onA.getByLabel('Tunnel', { exact: true }).selectOption({ label: 'gre-a-1' })
    await button(onA, 'Review the plan').click()
    await onA.getByText(/relay TCP of 0\.0\.0\.0:8080 to 172\.17\.1\.2:9000/).waitFor()
    assert.notEqual((await a.server.try('nft', ['list', 'table', 'inet', 'panel'])).code, 0)
    await button(onA, 'Create the rule').click()
    await seen(onA, 'Echo')
    assert.match(await a.server.run('nft', ['list', 'map', 'inet', 'panel', 'relay_to4']), /: 172\.17\.1\.2 \. 9000/)
    await goTo(onA, 'Relay rules')
    await badge(row(onA, 'Echo'), 'Not proven yet').waitFor()
    await chooseColumns(onA, ['Kernel, since boot', 'Open connections'])
  })

  it('sees bytes as they pass, without asking for them, until the page has just what the kernel has counted', async () => {
    const client = connect()
    const kernelColumn = (): Promise<string[]> => cell(onA, 'Echo', 'Kernel, since boot')
    const seenFigures = new Set(await kernelColumn())
    for (let sent = 0; seenFigures.size < 6; sent += 1) {
      await client.write('x'.repeat(20_000))
      await becomes(
        kernelColumn,
        (figures) => figures.some((figure) => !seenFigures.has(figure)),
        'the figures of the page move',
      )
      for (const figure of await kernelColumn()) seenFigures.add(figure)
    }
    await client.write('y'.repeat(500_000))
    await becomes(
      () => cell(onA, 'Echo', 'Now'),
      (rates) => rates.every((rate) => !NOTHING_PER_SECOND.test(rate)),
      'there is a rate in both directions',
    )
    client.endStdin()
    await client.exited
    assert.match(client.text('stdout'), /^x+y{500000}$/)
    const counted = async () => ({
      page: await kernelColumn(),
      kernel: Object.values(await countedOf(a.server, 1)).map(volume),
    })
    await becomes(counted, ({ page, kernel }) => page.join() === kernel.join(), 'page and kernel agree')
    await becomes(
      () => cell(onA, 'Echo', 'Now'),
      (rates) => rates.every((rate) => NOTHING_PER_SECOND.test(rate)),
      'nothing passes any more',
    )
  })

  it('names on the overview, within five seconds, a tunnel that is gone, the relay that died with it and how many connections, and mends all by one button', async () => {
    const [cut, alsoCut] = [connect(), connect()]
    for (const one of [cut, alsoCut]) await one.write('before')
    await goTo(onA, 'Relay rules')
    await row(onA, 'Echo')
      .locator('.cell[data-title="Open connections"]')
      .getByText(/^[2-9]$/)
      .waitFor()
    await goTo(onA, 'Overview')
    await onA.getByText('Everything works').waitFor()
    await a.server.run('ip', ['link', 'delete', 'gre-a-1'])
    const incident = onA
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('listitem')
      .filter({ hasText: 'gre-a-1' })
    await incident.filter({ hasText: /Takes down:\s*Echo\s*·\s*[2-9] connections/ }).waitFor()
    await incident.getByRole('link', { name: 'Echo' }).waitFor()
    await incident.getByRole('button', { name: 'Reapply', exact: true }).click()
    await incident.waitFor({ state: 'detached' })
    assert.ok(await linkOf(a.server, 'gre-a-1'))
    for (const one of [cut, alsoCut]) one.kill('KILL')
    const client = connect()
    await client.write('again')
    client.endStdin()
    await client.exited
    assert.equal(client.text('stdout'), 'again')
  })

  it('has the relay listen on one address', async () => {
    await goTo(onA, 'Relay rules')
    await row(onA, 'Echo').getByRole('link', { name: 'Echo' }).click()
    await onA.getByRole('link', { name: 'Edit', exact: true }).click()
    await field(onA, 'Address of this server').fill(PUBLIC)
    await button(onA, 'Review the plan').click()
    await button(onA, 'Save the changes').click()
    await seen(onA, 'Echo')
  })

  for (const { title, happens, words, mends } of causesBetween({ near: () => a.server, far: () => b.server, connect }))
    it(`finds by one click on the overview why the relay is down: ${title}`, async () => {
      await goTo(onA, 'Overview')
      const name = onA.getByRole('region', { name: 'Needs attention' }).getByRole('button', { name: 'Echo' })
      try {
        await happens()
        await name.click()
        const incident = onA.getByRole('dialog', { name: 'Echo' })
        await incident.getByText(words).first().waitFor()
        await incident.getByRole('button', { name: 'Open its page' }).click()
        await seen(onA, 'Echo')
        await onA.getByText(words).first().waitFor()
      } finally {
        // Nothing that comes after it is about this.
        await mends()
      }
      await goTo(onA, 'Overview')
      await name.waitFor({ state: 'detached' })
    })

  it('edits the relay in two tabs at once, and loses nothing of either', async () => {
    await goTo(onA, 'Relay rules')
    await onA.getByRole('link', { name: 'Echo' }).first().click()
    await seen(onA, 'Echo')
    await editInTwoTabs(onA, { mine: { notes: 'mine' }, theirs: { name: 'Echo of B', notes: 'theirs' } })
    await onA.getByText('mine', { exact: true }).waitFor()
  })

  it('claims no success while the helper is killed, and goes on once it is there again', () =>
    loseHelper(onA, a, 'gre-a-1'))

  it("sees A's end Down, with why, when the other end is gone", async () => {
    await goTo(onA, 'Tunnels')
    await b.server.run('ip', ['link', 'delete', 'gre-b-1'])
    await badge(row(onA, 'gre-a-1'), 'Down').waitFor()
    await row(onA, 'gre-a-1')
      .getByText(/100\s% of the last \d+ probes to 172\.17\.1\.2 are lost/)
      .waitFor()
    await row(onA, 'gre-a-1').getByRole('link', { name: 'gre-a-1' }).click()
    await row(onA, '^State Enabled Up \\(GRE reports no carrier\\)').waitFor()
    assert.equal((await linkOf(a.server, 'gre-a-1'))?.operstate, 'UNKNOWN', 'the kernel knows nothing of it')
  })

  it('reads in the analysis what is wrong, on what that rests and what to do', async () => {
    await onA.getByRole('link', { name: 'Diagnostics' }).click()
    // The page of the tunnel has an analysis, too.
    await onA.getByRole('heading', { name: 'Path MTU' }).waitFor()
    await button(onA, 'Analyze').click()
    await onA.getByText('Keys or addresses do not match', { exact: true }).waitFor()
    await onA
      .getByText(/192\.0\.2\.2 says: port unreachable: no tunnel there takes its GRE packets/)
      .first()
      .waitFor()
    const fixes = onA.getByRole('heading', { name: 'What to do, in this order' }).locator('+ ol > li')
    assert.match(
      (await fixes.allInnerTexts()).join('\n'),
      /^Compare the keys[^]*a tunnel from 192\.0\.2\.2 to 192\.0\.2\.1/,
    )
    assert.equal(await onA.getByRole('group').filter({ hasText: 'Evidence' }).locator('dd').count(), 7)
  })

  it('puts the other end back on B, where it is shown as missing, and A is Up again', async () => {
    await goTo(onB, 'Drift')
    await row(onB, 'gre-b-1').getByText('It is stored, but missing on the server.').waitFor()
    await button(onB, 'Reapply: gre-b-1').click()
    await seenInSync(onB, 'gre-b-1')
    assert.ok(await linkOf(b.server, 'gre-b-1'))
    await badge(onA.getByRole('main'), 'Up').first().waitFor()
  })

  it('adopts a tunnel that was made by hand, unchanged', async () => {
    await goTo(onA, 'Drift')
    await a.server.run('ip', ['-batch', '-'], {
      stdin:
        'link add gre-byhand type gre local 192.0.2.1 remote 192.0.2.99 key 99 ttl 64\naddress add 10.99.0.1/30 dev gre-byhand\nlink set gre-byhand up\n',
    })
    await row(onA, 'gre-byhand').getByText('the panel does not manage it').waitFor()
    const before = await a.picture()
    await button(onA, 'Adopt: gre-byhand').click()
    const dialog = onA.getByRole('dialog', { name: /Adopt .*gre-byhand/ })
    await dialog.getByRole('button', { name: 'Adopt' }).click()
    await dialog.getByText('Nothing of the panel brings gre-byhand back after a reboot').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await seenInSync(onA, 'gre-byhand')
    assert.equal(await a.picture(), before)
    await goTo(onA, 'Tunnels')
    await row(onA, 'gre-byhand').getByText('192.0.2.99').waitFor()
    await row(onA, 'gre-byhand').getByText('10.99.0.1/30').first().waitFor()
  })
})

/** Reads the state of a tunnel in sync, which the page only counts until it is opened. */
async function seenInSync(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Show', exact: true }).first().click()
  await row(page, name).getByText('The server matches what is stored.').waitFor()
}
