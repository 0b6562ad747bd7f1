import { describe, expect, test } from 'vitest'
import { exportFile } from '../import/imports.ts'
import { makeVerifyTarget } from './verifications.ts'

const target = await makeVerifyTarget()
const { app } = target

describe('test logins of users', { timeout: 120_000 }, () => {
  test('use the public API, and failures are reported without credentials', async () => {
    const ann = await app.makeUser('ann')
    await app.makeUser('bob')
    const rows = await app.sql('SELECT id, data FROM "_User" ORDER BY id')
    const users = rows.rows.map(({ id, data }) => ({ objectId: id, ...data }))
    // Only these members are compared: the records have no times.
    const source = await target.file('_User.0.jsonl', exportFile('_User', users))
    const good = await target.file(
      'good.txt',
      `# name and password\nann password of ann\n\n{"username":"bob","password":"password of bob"}\n{"sessionToken":"${ann.session}"}\n`,
    )
    const passed = await target.verify(source, '--login', good)
    expect([passed.code, passed.conclusion]).toEqual([
      0,
      'Safe to switch: all 2 records of the source are in the app and match; 3 of 3 logins succeed.',
    ])
    const bad = await target.file(
      'bad.txt',
      'ann the-wrong-password\n{"sessionToken":"the-wrong-token"}\nnobody\n{"username":"bob"\nbob password of bob\n',
    )
    const { code, stdout, stderr, conclusion, differences } = await target.verify(source, '--login', bad)
    expect([code, conclusion]).toEqual([3, 'Not safe to switch: 4 logins fail.'])
    expect(new Set(differences.map(({ what, who }) => `${what}: ${who}`))).toEqual(
      new Set(['ann', 'line 2 (session token)', 'line 3', 'line 4'].map((who) => `login fails: ${who}`)),
    )
    expect(stdout).toMatch(/ann: 400 \(code 210\)/)
    expect(stdout + stderr + JSON.stringify(differences)).not.toMatch(/the-wrong|password of/)
  })

  test('an unreadable file of logins is a failure', async () => {
    const source = await target.file('None.0.jsonl', exportFile('None', []))
    const { code, stderr } = await target.verify(source, '--login', `${target.folder}/nowhere`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('nowhere cannot be read')])
  })
})
