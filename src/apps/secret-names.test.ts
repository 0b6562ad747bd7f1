import { expect, it } from 'vitest'
import { membersOf } from '../settings-schema.ts'
import { settings } from './settings.ts'

const LOOKS_SECRET = /key|secret|pass|token|certificate|credential/i

const IN_CLIENTS = 'names the app to the platform, and is in every client'
const ACCOUNT = 'names the key or the account; what proves it stands beside it'
const ADDRESS = 'an address that is asked for tokens'
const CHOICE = 'a choice, true or false'

/** Members whose names sound like secrets but may be shown, with the reason. */
const SHOWN: { readonly [path: string]: string } = {
  'accounts.platforms.weibo.appKey': IN_CLIENTS,
  'accounts.reloginAfterPasswordChange': CHOICE,
  'accounts.requireOldPassword': CHOICE,
  'push.apns.certificates.*.certificate': 'the public half, which is shown to whoever is connected to',
  'push.apns.keys.*.keyId': ACCOUNT,
  'push.fcm.*.tokenUrl': ADDRESS,
  'push.hms.*.tokenUrl': ADDRESS,
  'push.honor.*.tokenUrl': ADDRESS,
  'push.oppo.*.appKey': IN_CLIENTS,
  'push.vivo.*.appKey': IN_CLIENTS,
  'security.masterKeyAddresses': 'from where the master key counts, not the key',
  'sms.service.alibaba.accessKeyId': ACCOUNT,
  'sms.service.tencent.secretId': ACCOUNT,
}

it('marks every setting with a secret-sounding name as a secret, or lists a reason to show it', () => {
  const names = membersOf(settings).filter(({ path }) => LOOKS_SECRET.test(path.split('.').at(-1)!))
  const unmarked = names.flatMap(({ path, isSecret }) => (isSecret ? [] : [path]))
  expect(unmarked.sort()).toEqual(Object.keys(SHOWN).sort())
})
