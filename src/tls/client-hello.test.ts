import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { parseClientHello } from './client-hello.ts'

/** Returns the first bytes that Node's TLS client sends with these options. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ...options })
  client.on('error', () => {})
  const [socket] = await once(server, 'connection')
  const [bytes] = await once(socket, 'data')
  client.destroy()
  socket.destroy()
  server.close()
  return bytes as Buffer
}

describe('the first message of a TLS client', () => {
  it('names the host and the application protocols', async () => {
    const bytes = await helloOf({ servername: 'API.example.org', ALPNProtocols: ['acme-tls/1', 'http/1.1'] })
    expect(parseClientHello(bytes)).toEqual({
      serverName: 'api.example.org',
      protocols: ['acme-tls/1', 'http/1.1'],
    })
  })
  it('may lack both', async () => {
    const bytes = await helloOf({ maxVersion: 'TLSv1.2' })
    expect(parseClientHello(bytes)).toEqual({ serverName: null, protocols: [] })
  })
  it('is incomplete until its last byte, also in several records', async () => {
    const bytes = await helloOf({ servername: 'api.example.org', ALPNProtocols: ['acme-tls/1'] })
    for (let length = 0; length < bytes.length; length++)
      expect(parseClientHello(bytes.subarray(0, length)), `${length} bytes`).toBe('incomplete')
    const records: Buffer[] = []
    for (let start = 5; start < bytes.length; start += 100) {
      const content = bytes.subarray(start, start + 100)
      records.push(Buffer.from([22, 3, 1, 0, content.length]), content)
    }
    expect(parseClientHello(Buffer.concat(records))).toEqual(parseClientHello(bytes))
  })
  it('is not found in other input', async () => {
    expect(parseClientHello(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toBeNull()
    expect(parseClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]))).toBeNull()
    // A length of 16 MB is not waited for.
    const endless = Buffer.concat([Buffer.from([22, 3, 1, 0xff, 0xff, 1, 0xff, 0xff, 0xff]), Buffer.alloc(20_000)])
    expect(parseClientHello(endless)).toBeNull()
    const bytes = await helloOf({ servername: 'api.example.org', ALPNProtocols: ['acme-tls/1'] })
    for (let position = 5; position < bytes.length; position++) {
      const damaged = Buffer.from(bytes)
      damaged[position] = 0xff
      expect(() => parseClientHello(damaged)).not.toThrow()
    }
  })
})
