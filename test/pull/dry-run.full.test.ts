import { expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull(true)

test('a dry run reports the result, changes nothing here and requests nothing the source would notice', {
  timeout: 120_000,
}, async () => {
  const { source, target } = pull
  await pull.fill('Note', [
    { objectId: 'one', title: 'x' },
    { objectId: 'two', title: 'y' },
  ])
  await source.makeUser('ann')
  const state = async () => ({
    classes: (await target.admin('GET', '/classes')).body,
    imports: (await target.admin('GET', '/imports')).body,
  })
  const before = await state()
  const first = await pull.run('--dry-run')
  expect(first.code).toBe(0)
  expect(first.stdout).toMatch(/^Note +2 +2 +about 0\.0 MB$/m)
  expect(first.stdout).toMatch(/_Role\.users: members of _User; one request for each of 0 objects/)
  expect(first.stdout).toContain('Nothing was changed.')
  expect(await state()).toEqual(before)
  expect(pull.proxy.requested.filter((path) => path.includes('exportData'))).toEqual([])
  // After a pull, only later changes would be read.
  expect((await pull.run('--no-passwords')).code).toBe(0)
  const again = await pull.run('--dry-run')
  expect(again.stdout).toMatch(/^Note +2 +\d +about 0\.0 MB +last pull: 2/m)
  await source.admin('PATCH', '/settings', { storage: { returnAclInQueries: false } })
  const hidden = await pull.run('--dry-run')
  expect([hidden.code, hidden.stdout]).toEqual([3, expect.stringContaining('returns no ACLs')])
})
