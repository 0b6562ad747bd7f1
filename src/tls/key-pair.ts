import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { TLS_SETTINGS } from './tls-settings.ts'

/** A certificate with its chain and private key, checked and ready to be served. */
export interface KeyPair {
  /** PEM, the server's certificate first. */
  readonly cert: string
  /** PEM. Must not appear in logs or errors. */
  readonly key: string
  /** The server's certificate. */
  readonly x509: X509Certificate
  readonly context: SecureContext
  readonly validFrom: Date
  readonly validUntil: Date
}

/**
 * Parses a certificate chain and a private key.
 * @param cert PEM, the server's certificate first
 * @param key PEM, without a passphrase
 * @throws Error with one line that says what is wrong with which part, without its content
 */
export function readKeyPair(cert: string, key: string): KeyPair {
  const x509 = parseCertificate(cert)
  if (!x509.checkPrivateKey(parseKey(key)))
    throw new Error(
      'the private key does not belong to the certificate. The chain must begin with the certificate of the server.',
    )
  let context: SecureContext
  try {
    context = createSecureContext({ ...TLS_SETTINGS, cert, key })
  } catch (error) {
    throw new Error(`the certificate cannot be used: ${reasonOf(error)}`)
  }
  return { cert, key, x509, context, validFrom: new Date(x509.validFrom), validUntil: new Date(x509.validTo) }
}

/** Returns whether a certificate is valid for a host name. */
export function covers({ x509 }: KeyPair, name: string): boolean {
  return x509.checkHost(name) !== undefined
}

function parseCertificate(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert)
  } catch {
    throw new Error('the certificate is not a PEM certificate (-----BEGIN CERTIFICATE-----).')
  }
}

function parseKey(key: string): KeyObject {
  try {
    return createPrivateKey(key)
  } catch {
    if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key))
      throw new Error('the private key is encrypted. Store it without a passphrase.')
    throw new Error('the private key is not a PEM private key (-----BEGIN PRIVATE KEY-----).')
  }
}

/** Returns the reason that OpenSSL names; its message may be followed by internal codes. */
function reasonOf(error: unknown): string {
  const { reason, message } = error as Error & { readonly reason?: string }
  return reason ?? message
}
