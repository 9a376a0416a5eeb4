// The settings of the category display: how the page shows values. They do not change the answers of the API.
import { message } from '@panel/shared/messages/message.ts'
import { bool, oneOf, text } from '../kinds.ts'

/** Printable, and at most 40 characters. */
const SERVER_NAME_PATTERN = String.raw`^(?:[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]{0,38}[^\s\p{C}])?)?$`

export const DISPLAY = {
  'display.language': oneOf(['en', 'fa', 'ru', 'zh-CN'], 'en', 'Language of the page.'),
  'display.theme': oneOf(['system', 'light', 'dark'], 'system', 'Colours of the page; "system" follows the browser.'),
  'display.throughput_unit': oneOf(
    ['bytes', 'bits'],
    'bytes',
    'Unit of throughput on the page, per second. Providers count in bits; files are counted in bytes.',
  ),
  'display.volume_unit': oneOf(
    ['bytes', 'bits'],
    'bytes',
    'Unit of volume on the page. Providers bill in bytes most of the time.',
  ),
  'display.binary_units': bool(
    true,
    "Whether the page counts in powers of 1024 (KiB, MiB) and not of 1000 (kB, MB). Turn it off to compare with a provider's bill.",
  ),
  'display.digits': oneOf(['latin', 'persian'], 'latin', 'Digits of the page.'),
  'display.calendar': oneOf(['gregorian', 'jalali'], 'gregorian', 'Calendar of the page.'),
  'display.server_name': text(
    '',
    SERVER_NAME_PATTERN,
    message('setting.server_name'),
    'Name of this server in the header, the title of the tab and on the sign-in page. Empty shows the name in the address.',
  ),
  'display.server_colour': oneOf(
    ['blue', 'green', 'amber', 'red', 'purple', 'grey'],
    'blue',
    'Colour of this server beside its name and in the icon of the tab, to tell several servers apart.',
  ),
  'display.first_hour': bool(
    true,
    'Whether the overview shows the first steps: they lead to a tunnel and a relay rule that are proven, and go once all are done.',
  ),
}
