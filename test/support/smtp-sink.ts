import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

interface ReceivedMail {
  readonly from: string
  readonly to: string
  /** Headers and body as sent, with dots unstuffed. */
  readonly content: string
}

/** A mail server on a port of this machine that records the mails it receives. */
export interface SmtpSink {
  readonly url: string
  readonly mails: ReceivedMail[]
  /** Its next responses to recipients, such as `451 try later`, before it accepts them again. */
  readonly refusals: string[]
  stop(): Promise<void>
}

/** @param port 0 for any; or that of a mail server that is restarted, see `freePort` */
export async function startSmtpSink(port = 0): Promise<SmtpSink> {
  const mails: ReceivedMail[] = []
  const refusals: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    void converse(socket, mails, refusals).catch(() => {})
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refusals,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Implements the part of RFC 5321 that a mail needs. */
async function converse(socket: Socket, mails: ReceivedMail[], refusals: string[]): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let [from, to] = ['', '']
  let content: string[] | null = null
  say('220 sink')
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (content && line !== '.') {
      content.push(line.startsWith('.') ? line.slice(1) : line)
      continue
    }
    switch (content ? '.' : line.slice(0, 4).toUpperCase()) {
      case '.':
        mails.push({ from, to, content: content!.join('\n') })
        content = null
        say('250 taken')
        break
      case 'MAIL':
        from = addressIn(line)
        say('250 ok')
        break
      case 'RCPT':
        to = addressIn(line)
        say(refusals.shift() ?? '250 ok')
        break
      case 'DATA':
        content = []
        say('354 go on')
        break
      case 'QUIT':
        say('221 bye')
        socket.end()
        break
      default:
        say('250 ok')
    }
  }
}

function addressIn(line: string): string {
  return line.slice(line.indexOf('<') + 1, line.indexOf('>'))
}
