/** A backup cannot be used: its manifest or a part is missing, changed or encrypted with another passphrase. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup'
}
