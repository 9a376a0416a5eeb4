// Programs that crash, hang or end early: none of that is an answer of the kernel.
import assert from 'node:assert/strict'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { cutShort, hasCrashed, readAgain, runProgram } from '@panel/root-helper/kernel/program/program.ts'

const shell = (text: string, endsWithin_ms?: number): Promise<string> =>
  runProgram('/bin/sh', ['-c', text], '', (stderr) => new KernelError('ENOENT', stderr.trim()), endsWithin_ms)

async function failureOf(work: Promise<unknown>): Promise<KernelError> {
  const failure: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof KernelError)
  return failure
}

describe('A program that the helper starts', () => {
  it('answers with its output, or with the refusal that it spells', async () => {
    assert.equal(await shell('echo yes'), 'yes\n')
    const refused = await failureOf(shell('echo "No such file" >&2; exit 1'))
    assert.deepEqual([refused.code, refused.message], ['ENOENT', 'No such file'])
    assert.equal(hasCrashed(refused), false)
  })

  for (const [what, text, pattern] of [
    ['a signal', 'kill -ABRT $$', /^sh crashed \(SIGABRT\)$/],
    ['the code of a signal in a shell', 'exit 134', /^sh crashed \(134\)$/],
    ['a library that is missing', 'echo "libx.so: No such file or directory" >&2; exit 127', /crashed \(127: libx\.so/],
  ] as const)
    it(`that ends by ${what} has crashed, whatever it printed`, async () => {
      const failure = await failureOf(shell(text))
      assert.ok(hasCrashed(failure))
      assert.match(failure.message, pattern)
    })

  it('that never ends is killed, and has crashed', async () => {
    const failure = await failureOf(shell('exec sleep 1000', 50))
    assert.ok(hasCrashed(failure))
    assert.match(failure.message, /SIGKILL/)
  })

  it('that is not there has crashed, and is no sign of an absent table', async () => {
    const failure = await failureOf(runProgram('/no/such/program', [], '', () => assert.fail('It was never started')))
    assert.ok(hasCrashed(failure))
  })

  it('has no bytes of its errors in the message that no terminal should print', async () => {
    const failure = await failureOf(shell(`printf '\\033[2Jgone\\n' >&2; exit 139`))
    assert.equal(failure.message, 'sh crashed (139: [2Jgone)')
  })
})

describe('A reading by a program', () => {
  const reading = (failures: readonly Error[]) => {
    const left = [...failures]
    let started = 0
    const read = async (): Promise<number> => {
      started += 1
      const failure = left.shift()
      if (failure) throw failure
      return started
    }
    return read
  }

  it('is tried three times if the program crashes or lists half', async () => {
    assert.equal(await readAgain(reading([cutShort('/usr/sbin/nft'), cutShort('/usr/sbin/nft')])), 3)
    const thrice = [1, 2, 3].map(() => cutShort('/usr/sbin/nft'))
    assert.ok(hasCrashed(await failureOf(readAgain(reading(thrice)))))
  })

  it('that is refused is tried once', async () => {
    const failure = await failureOf(readAgain(reading([new KernelError('EPERM', 'not permitted')])))
    assert.equal(failure.code, 'EPERM')
  })
})
