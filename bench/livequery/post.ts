import { Agent, request } from 'node:http'
import { TRIVIAL } from '../contestants/homeport.ts'
import type { Server } from '../messaging/client.ts'

const agent = new Agent({ keepAlive: true })

/**
 * Sends a request as a client of the app.
 * @throws Error when it is rejected
 */
export function post({ url }: Server, path: string, body: object): Promise<void> {
  const text = JSON.stringify(body)
  const headers = { ...TRIVIAL.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode! < 300) resolve()
        else reject(new Error(`POST ${path} is answered with ${response.statusCode}.`))
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(text)
  })
}
