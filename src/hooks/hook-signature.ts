import { createHmac } from 'node:crypto'

/**
 * Proves to an engine of the time before the hook key that its service is calling (protocol/cloud-code, Signatures of
 * older SDKs).
 * @param name the registered name of the hook
 * @param now milliseconds
 */
export function hookSignature(name: string, masterKey: string, now: number): string {
  const signature = createHmac('sha1', masterKey).update(`${name}:${now}`).digest('hex')
  return `${now},${signature}`
}
