// The settings of the category display: how the page shows values. They do not change the answers of the API.
import { bool, oneOf } from '../kinds.ts'

export const DISPLAY = {
  'display.language': oneOf(['en', 'fa', 'ru', 'zh-CN'], 'en', 'Language of the page.'),
  'display.theme': oneOf(['system', 'light', 'dark'], 'system', 'Colours of the page; "system" follows the browser.'),
  'display.throughput_unit': oneOf(['bytes', 'bits'], 'bytes', 'Unit of throughput on the page, per second.'),
  'display.volume_unit': oneOf(['bytes', 'bits'], 'bytes', 'Unit of volume on the page.'),
  'display.binary_units': bool(true, 'Whether the page counts in powers of 1024 (KiB, MiB) and not of 1000 (kB, MB).'),
  'display.digits': oneOf(['latin', 'persian'], 'latin', 'Digits of the page.'),
  'display.calendar': oneOf(['gregorian', 'jalali'], 'gregorian', 'Calendar of the page.'),
}
