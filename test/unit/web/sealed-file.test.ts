// The encrypted file of a backup: what openssl opens, and what the panel refuses (decisions.md, B8).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile, sealFile, UnopenedError } from '@panel/web-daemon/features/backup-elsewhere/sealed-file.ts'

const PASSPHRASE = 'correct horse battery'
const DOCUMENT = JSON.stringify({ version: 1, note: 'کلید → 密钥', filler: 'x'.repeat(5000) })

const refusal = async (text: string, passphrase = PASSPHRASE): Promise<[string, string]> => {
  const failure = await openFile(text, passphrase).then(
    () => assert.fail('it was opened'),
    (thrown: unknown) => thrown,
  )
  assert.ok(failure instanceof UnopenedError, String(failure))
  return [failure.field, failure.sentence.message_id]
}

describe('The encrypted file of a backup', () => {
  let file = ''
  before(async () => (file = await sealFile(DOCUMENT, PASSPHRASE)))

  it('gives the document back', async () => {
    assert.equal(await openFile(file, PASSPHRASE), DOCUMENT)
  })

  it('is opened by the command that its first lines have, without the panel', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-file-'))
    try {
      writeFileSync(join(folder, 'FILE'), file)
      writeFileSync(join(folder, 'passphrase'), `${PASSPHRASE}\n`)
      const command = file.split('\n').find((line) => line.startsWith('sed ')) ?? assert.fail('no command')
      const unattended = command.replace('openssl enc', 'openssl enc -pass file:passphrase')
      execFileSync('sh', ['-ec', unattended], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
      assert.equal(readFileSync(join(folder, 'backup.json'), 'utf8'), DOCUMENT)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is another one each time, and holds nothing of the document in clear', async () => {
    const again = await sealFile(DOCUMENT, PASSPHRASE)
    assert.notEqual(again.split('\n\n')[1], file.split('\n\n')[1])
    assert.ok(Buffer.from(file.split('\n\n')[1] ?? '', 'base64').indexOf('version') === -1)
  })

  it('is opened after a mail program has changed the ends of its lines', async () => {
    assert.equal(await openFile(file.replaceAll('\n', '\r\n'), PASSPHRASE), DOCUMENT)
  })

  it('is refused with another passphrase', async () => {
    assert.deepEqual(await refusal(file, `${PASSPHRASE}!`), ['passphrase', 'backup.file_not_opened'])
  })

  it('is refused when its end is missing, wherever it was cut', async () => {
    const body = file.indexOf('\n\n') + 2
    for (const end of [file.length - 6, file.length - 66, body + 64, body])
      assert.deepEqual(await refusal(file.slice(0, end)), ['file', 'backup.file_cut'], String(end))
    for (const end of [body - 2, 40, 0])
      assert.deepEqual(await refusal(file.slice(0, end)), ['file', 'backup.file_form'], String(end))
  })

  it('is refused when any letter of it was changed', async () => {
    const body = file.indexOf('\n\n') + 2
    for (const at of [body + 14, body + 40, body + 70, file.length - 20]) {
      const changed = file.slice(0, at) + (file[at] === 'A' ? 'B' : 'A') + file.slice(at + 1)
      assert.deepEqual(await refusal(changed), ['passphrase', 'backup.file_not_opened'], String(at))
    }
  })

  it('is refused when it is something else', async () => {
    assert.deepEqual(await refusal('{"version":1}'), ['file', 'backup.file_form'])
    assert.deepEqual(await refusal(file.replace('format 1', 'format 2')), ['file', 'backup.file_form'])
  })
})
