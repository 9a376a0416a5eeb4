// Which words of a sentence a line must not break.
import assert from 'node:assert/strict'
import { splitNames } from '../../../ui/src/components/message/names.ts'

describe('The names in a sentence of the page', () => {
  it('are found wherever they stand', () => {
    assert.deepEqual(splitNames('gre-a-1 is up.'), ['', 'gre-a-1', ' is up.'])
    assert.deepEqual(splitNames('Set long-name-gre-6.'), ['Set ', 'long-name-gre-6.', ''])
    assert.deepEqual(splitNames('systemctl start tunnel-panel-helper.'), [
      'systemctl start ',
      'tunnel-panel-helper.',
      '',
    ])
    assert.deepEqual(splitNames('Интерфейса gre-tokyo нет'), ['Интерфейса ', 'gre-tokyo', ' нет'])
    assert.deepEqual(splitNames('«gre-a-1»، gre-b.2-x'), ['«', 'gre-a-1', '»، ', 'gre-b.2-x', ''])
  })

  it('are no paths, nothing that is wider than a phone, and no words without a hyphen', () => {
    for (const text of ['', 'eth0 is up', '/etc/a-b', 'tunnel-panel-link-gre-a-5.service', 'IP-форвардинг'])
      assert.deepEqual(splitNames(text), [text])
  })
})
