import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MadeCertificate, makeCertificate } from '../../test/support/made-certificate.ts'
import { covers, readKeyPair } from './key-pair.ts'

let one: MadeCertificate
let other: MadeCertificate
beforeAll(async () => {
  one = await makeCertificate(['api.example.org', '*.files.example.org'])
  other = await makeCertificate(['api.example.org'], { keyType: 'rsa' })
})

describe('a certificate and its key', () => {
  it('is read with its dates and names', () => {
    const pair = readKeyPair(one.cert, one.key)
    expect(pair.validUntil.getTime() - pair.validFrom.getTime()).toBe(86_400_000)
    expect(covers(pair, 'api.example.org')).toBe(true)
    expect(covers(pair, 'one.files.example.org')).toBe(true)
    expect(covers(pair, 'example.org')).toBe(false)
    expect(readKeyPair(other.cert, other.key).x509.publicKey.asymmetricKeyType).toBe('rsa')
  })
  it('may have a chain after the certificate, but not before it', () => {
    expect(readKeyPair(`${one.cert}\n${other.cert}`, one.key).x509.subject).toBe('CN=api.example.org')
    expect(() => readKeyPair(`${other.cert}\n${one.cert}`, one.key)).toThrow(/does not belong to the certificate/)
  })
  it('is refused with a reason that does not contain the key', () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const cases: [string, string, RegExp][] = [
      [one.cert, other.key, /^the private key does not belong to the certificate/],
      [one.cert, privateKey, /^the private key is encrypted/],
      [one.cert, one.cert, /^the private key is not a PEM private key/],
      [one.key, one.key, /^the certificate is not a PEM certificate/],
      ['', '', /^the certificate is not a PEM certificate/],
      [one.cert.slice(0, 200), one.key, /^the certificate is not a PEM certificate/],
    ]
    for (const [cert, key, reason] of cases) {
      expect(() => readKeyPair(cert, key)).toThrow(reason)
      expect(() => readKeyPair(cert, key)).not.toThrow(/BEGIN PRIVATE KEY-----\n/)
    }
  })
})
