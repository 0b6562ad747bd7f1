import { describe, expect, it } from 'vitest'
import { mayDo, type Need } from './administrator.ts'

describe('the permissions of administrators', () => {
  const needs: readonly Need[] = ['any', 'see', 'change', 'own']
  const allowed = (role: 'owner' | 'administrator' | 'reader', apps: string[] | null, appId?: string) =>
    needs.filter((need) => mayDo({ role, apps }, need, appId))

  it.each([
    ['an owner, everything', 'owner', null, undefined, ['any', 'see', 'change', 'own']],
    ['an administrator, all in its apps', 'administrator', ['a'], 'a', ['any', 'see', 'change']],
    ['an administrator, nothing in another app', 'administrator', ['a'], 'b', ['any']],
    ['an administrator of all apps, all in each', 'administrator', null, 'b', ['any', 'see', 'change']],
    ['an administrator of all apps, nothing that is of no app', 'administrator', null, undefined, ['any']],
    ['an administrator of no apps, nothing', 'administrator', [], 'a', ['any']],
    ['a reader, look at its apps', 'reader', ['a'], 'a', ['any', 'see']],
    ['a reader, not look at others', 'reader', ['a'], 'b', ['any']],
  ] as const)('%s', (_, role, apps, appId, may) => {
    expect(allowed(role, apps && [...apps], appId)).toEqual(may)
  })
})
