import type { Attack } from '../attack.ts'

/** Attacks that cost a password hash, a mail, a message or an image. */
export const ACCOUNT_ATTACKS: readonly Attack[] = [
  {
    name: 'sign-ups',
    what: 'new users over 64 connections',
    run: (attacker) => {
      const run = Date.now().toString(36)
      return attacker.flood(64, (n) =>
        attacker.send({ path: '/1.1/users', body: { username: `${run}-${n}`, password: `password ${n}` } }),
      )
    },
  },
  {
    name: 'wrong-passwords',
    what: 'logins of users who exist and of others who do not, with wrong passwords',
    run: (attacker) => {
      const { users } = attacker.target
      return attacker.flood(64, (n) => {
        // Honest users are excluded, because their lockout is tested separately.
        const username = n % 2 === 0 ? `nobody-${n}` : `${users[n % users.length]!.name} `
        return attacker.send({ path: '/1.1/login', body: { username, password: `guess ${n}` } })
      })
    },
  },
  {
    name: 'own-logins',
    what: 'logins of a hundred own users with their right passwords',
    prepare: (attacker) =>
      attacker.many(100, 8, (n) =>
        attacker.request({
          path: '/1.1/users',
          body: { username: `own-${process.pid}-${n}`, password: 'own password' },
        }),
      ),
    run: (attacker) =>
      attacker.flood(64, (n) =>
        attacker.send({
          path: '/1.1/login',
          body: { username: `own-${process.pid}-${n % 100}`, password: 'own password' },
        }),
      ),
  },
  {
    name: 'codes',
    what: 'captchas, text messages, mails that verify or reset, and wrong codes',
    run: (attacker) =>
      attacker.flood(32, (n) => {
        const mobilePhoneNumber = `1390000${String(n % 10_000).padStart(4, '0')}`
        const email = `user${n}@example.org`
        const asked = [
          () => attacker.get('/1.1/requestCaptcha'),
          () => attacker.send({ path: '/1.1/requestSmsCode', body: { mobilePhoneNumber } }),
          () => attacker.send({ path: '/1.1/requestPasswordReset', body: { email } }),
          () => attacker.send({ path: '/1.1/requestEmailVerify', body: { email } }),
          () => attacker.send({ path: `/1.1/verifySmsCode/${100_000 + n}`, body: { mobilePhoneNumber } }),
          () => attacker.send({ path: '/1.1/usersByMobilePhone', body: { mobilePhoneNumber, smsCode: '123456' } }),
        ]
        return asked[n % asked.length]!()
      }),
  },
]
