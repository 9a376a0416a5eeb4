// Encrypted backups of the installed package: where its unit lets the web daemon write, and where an administrator has
// let it, as the guide says.
import assert from 'node:assert/strict'
import type { RunBackupAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import { becomes } from './eventually.ts'
import { Installed, SLOW, WEB } from './package/installed.ts'
import { ext4Image } from './panel/disk.ts'
import { expect, OPERATOR } from './panel/panel.ts'

const PASSPHRASE = 'correct horse battery'
const OWN = '/var/lib/tunnel-panel/backups'
const ELSEWHERE = '/var/backups/tunnel-panel'

describe('A backup of the installed package', function () {
  const panel = new Installed()

  before(async () => {
    await panel.startInstalled()
    await panel.lab.run(`sed -i '/^PANEL_LISTEN_ADDRESS=/d' /etc/tunnel-panel/panel.conf`)
    await panel.lab.run(`echo PANEL_LISTEN_ADDRESS=0.0.0.0 >> /etc/tunnel-panel/panel.conf`)
    await restart()
    await panel.lab.run('tunnel-panel open-setup', SLOW)
    expect(await panel.operator.post('/auth/setup', OPERATOR), 201)
    expect(await panel.operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE }), 200)
  })
  after(() => panel.stop())

  const restart = async (): Promise<void> => {
    await panel.lab.run(`systemctl daemon-reload; systemctl restart ${WEB}`, SLOW)
    await becomes(
      async () => (await panel.lab.try('systemctl', ['is-active', WEB])).stdout,
      (state) => state === 'active\n',
    )
    await panel.reach('http')
  }
  const dropIn = (lines: string): Promise<string> =>
    panel.lab.run(
      `mkdir -p /etc/systemd/system/${WEB}.d; printf '%b' '${lines}' > /etc/systemd/system/${WEB}.d/override.conf`,
    )
  const run = async (): Promise<RunBackupAnswer> =>
    expect(await panel.operator.post<RunBackupAnswer>('/backup/elsewhere/run'), 200)
  const modes = (directory: string): Promise<string> =>
    panel.lab.run(`stat -c '%a %U %F' ${directory} ${directory}/*.backup`)

  it('is in the state directory with the unit as it is shipped, for its user alone', async () => {
    assert.deepEqual((await run()).ok, true)
    assert.equal(await modes(OWN), '700 tunnel-panel directory\n600 tunnel-panel regular file\n')
  })

  it('is opened on the machine by the command that its first lines have', async () => {
    await panel.lab.run(`printf '%s' '${PASSPHRASE}' > /root/passphrase`)
    const command = `openssl enc -pass file:/root/passphrase`
    const opened = await panel.lab.run(
      `f=$(ls ${OWN}/*.backup) && c=$(grep '^sed ' "$f" | sed "s#FILE#$f#; s#openssl enc#${command}#; s# > .*##") && sh -ec "$c"`,
    )
    assert.equal((JSON.parse(opened) as { version: number }).version, 1)
  })

  it('goes nowhere else, until a drop-in of the unit lets it', async () => {
    await panel.lab.run(`install -d -o tunnel-panel -g tunnel-panel -m 0700 ${ELSEWHERE}`)
    await panel.lab.run(`echo PANEL_BACKUP_DIR=${ELSEWHERE} >> /etc/tunnel-panel/panel.conf`)
    await restart()
    await panel.signIn()
    const refused = await run()
    assert.deepEqual([refused.ok, refused.detail_message.params['error']], [false, 'EROFS'])
    await dropIn(
      `[Unit]\\nRequiresMountsFor=${ELSEWHERE}\\n[Service]\\nReadWritePaths=${ELSEWHERE}\\nNoExecPaths=${ELSEWHERE}\\n`,
    )
    await restart()
    await panel.signIn()
    const { ok, detail } = await run()
    assert.ok(ok, detail)
    assert.equal(await modes(ELSEWHERE), '700 tunnel-panel directory\n600 tunnel-panel regular file\n')
  })

  describe('on a disk that does not answer', () => {
    /** The processes for file operations, with their states: D is one that no signal ends. */
    const apart = async (): Promise<string> =>
      (await panel.lab.try("ps -C panel-files -o stat= | cut -c1 | tr -d '\\n'")).stdout
    const failsWith = async (): Promise<unknown> => (await run()).detail_message.params['error']

    before(async () => {
      await panel.lab.write('/root/disk.img.gz', await ext4Image('16M'))
      await panel.lab.run(`gunzip /root/disk.img.gz && mount -o loop /root/disk.img ${ELSEWHERE}`)
      await panel.lab.run(`chown tunnel-panel: ${ELSEWHERE}`)
      await restart()
      await panel.signIn()
      assert.equal((await run()).ok, true)
      await panel.lab.run(`fsfreeze -f ${ELSEWHERE}`)
    })

    it('fails, and leaves one process of the unit behind, beside which no other is begun', async () => {
      assert.equal(await failsWith(), 'ETIMEDOUT')
      assert.equal(await apart(), 'D')
      assert.equal(await failsWith(), 'HANGING')
      assert.equal(await apart(), 'D')
    })

    it('holds up neither the end of the web daemon nor its next start', async () => {
      await restart()
      await panel.signIn()
      assert.equal(await apart(), 'D')
      assert.doesNotMatch(await panel.lab.run(`journalctl -u ${WEB} -o cat`), /timed out|still around/)
    })

    it('is made once the disk answers', async () => {
      await panel.lab.run(`fsfreeze -u ${ELSEWHERE}`)
      await becomes(apart, (states) => states === '')
      const { ok, detail } = await run()
      assert.ok(ok, detail)
    })
  })
})
