import { createHmac } from 'node:crypto'

/**
 * Signs a call for an engine from before the hook key (protocol/cloud-code, Signatures of older SDKs).
 * @param name the registered name of the hook
 * @param now milliseconds
 */
export function hookSignature(name: string, masterKey: string, now: number): string {
  const signature = createHmac('sha1', masterKey).update(`${name}:${now}`).digest('hex')
  return `${now},${signature}`
}
