import type { Config } from '../config.ts'
import type { Database } from '../database/pool.ts'
import type { Log } from '../log.ts'
import { CertificateFiles } from '../tls/certificate-files.ts'
import { openManagedCertificates } from '../tls/tls.ts'

/** Reads configured certificate files, so that a start with an invalid pair ends before anything is created. */
export async function openCertificateFiles(config: Config, log: Log): Promise<CertificateFiles | null> {
  const { tlsCert: certFile, tlsKey: keyFile, domain: names } = config
  return certFile === null || keyFile === null ? null : CertificateFiles.open({ certFile, keyFile, names, log })
}

/** Opens the certificates that are ordered for `--domain`. An embedded database has no other nodes. */
export function openManaged(config: Config, database: Database, data: string, log: Log) {
  const { domain: names, databaseUrl, httpPort, acmeKeyId: keyId, acmeHmacKey: hmacKey } = config
  return openManagedCertificates({
    names,
    acme: {
      directory: config.acmeDirectory,
      email: config.acmeEmail,
      externalAccount: keyId !== null && hmacKey !== null ? { keyId, hmacKey } : null,
      keyType: config.acmeKeyType,
    },
    hasHttpPort: httpPort !== null,
    shared: databaseUrl ? database : null,
    data,
    log,
  })
}
