import { webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

export interface MadeCertificate {
  /** PEM; it is its own root certificate. */
  readonly cert: string
  readonly key: string
}

const KEYS = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const

/** Makes a self-signed certificate for host names. By default it is valid from now on for a day. */
export async function makeCertificate(
  names: readonly string[],
  {
    keyType = 'ecdsa',
    from = new Date(),
    until = new Date(from.getTime() + 86_400_000),
  }: { keyType?: 'ecdsa' | 'rsa'; from?: Date; until?: Date } = {},
): Promise<MadeCertificate> {
  const algorithm = KEYS[keyType]
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: `CN=${names[0]}`,
    notBefore: from,
    notAfter: until,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      await AuthorityKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') }
}
