import { expect, it } from 'vitest'
import { downloadName } from './download-name.ts'

it.each([
  ['Post.csv', 'Post.csv'],
  ['说明 "a".txt', '说明 "a".txt'],
  ['console.log', 'console.log'],
  ['.htaccess', '.htaccess'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['C:\\Windows\\a.exe', 'C:_Windows_a.exe'],
  ['a\u0000b\r\nc\u007f\u0085', 'a_b__c__'],
  ['photo\u202egpj.exe', 'photo_gpj.exe'],
  ['a\u2028b\u2029c', 'a_b_c'],
  ['CON', '_CON'],
  ['con.csv', '_con.csv'],
  ['Aux .txt', '_Aux .txt'],
  ['nul.tar.gz', '_nul.tar.gz'],
  ['COM1', '_COM1'],
  ['lpt³.png', '_lpt³.png'],
  ['CONOUT$', '_CONOUT$'],
  ['company.png', 'company.png'],
  ['..', '_'],
  [' . ', '_'],
  ['', '_'],
])('converts the file name %j to %j', (name, saved) => {
  expect(downloadName(name)).toBe(saved)
})
