import { describe, expect, it } from 'vitest'
import { mayDo, type Need } from './administrator.ts'

describe('the permissions of administrators', () => {
  const needs: readonly Need[] = ['any', 'see', 'change', 'own']
  const allowed = (role: 'owner' | 'administrator' | 'reader', apps: string[] | null, appId?: string) =>
    needs.filter((need) => mayDo({ role, apps }, need, appId))

  it.each([
    ['an owner: all rights', 'owner', null, undefined, ['any', 'see', 'change', 'own']],
    ['an administrator: all rights in its apps', 'administrator', ['a'], 'a', ['any', 'see', 'change']],
    ['an administrator: no rights in another app', 'administrator', ['a'], 'b', ['any']],
    ['an administrator of all apps: all rights in each app', 'administrator', null, 'b', ['any', 'see', 'change']],
    ['an administrator of all apps: no rights outside of apps', 'administrator', null, undefined, ['any']],
    ['an administrator of no apps: no rights', 'administrator', [], 'a', ['any']],
    ['a reader: read access to its apps', 'reader', ['a'], 'a', ['any', 'see']],
    ['a reader: no access to other apps', 'reader', ['a'], 'b', ['any']],
  ] as const)('%s', (_, role, apps, appId, may) => {
    expect(allowed(role, apps && [...apps], appId)).toEqual(may)
  })
})
