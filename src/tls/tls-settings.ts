import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'

/**
 * Cipher suites of TLS 1.3, and those of TLS 1.2 with forward secrecy and authenticated encryption. Android 5, iOS 9 and all later
 * versions support at least one of them, with certificates of either key type (docs/tls.md, Old devices).
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Settings of all TLS contexts of the server. */
export const TLS_SETTINGS: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  // Phones without AES instructions choose ChaCha20.
  honorCipherOrder: false,
  // A client could otherwise repeat the expensive handshake on an open connection.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}
