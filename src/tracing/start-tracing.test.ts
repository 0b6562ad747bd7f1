import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { makeRequestId } from './request-id.ts'
import { startTracing, wantsTraces } from './start-tracing.ts'
import { currentTracer } from './tracer.ts'

it.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'x' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ OTEL_TRACES_EXPORTER: 'console' }, true],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
])('decides from %j whether traces are on: %j', (environment, expected) => {
  expect(wantsTraces(environment)).toBe(expected)
})

/** Starts tracing with variables that the libraries also read, until the test ends. */
async function traced(environment: Readonly<Record<string, string>>) {
  const logged: string[] = []
  const log = pino({}, { write: (line) => void logged.push(line) })
  for (const [name, value] of Object.entries(environment)) process.env[name] = value
  onTestFinished(() => {
    for (const name of Object.keys(environment)) delete process.env[name]
  })
  return { stop: await startTracing(environment, '1.2.3', log), logged }
}

it('sends the spans of a stopping server as protobuf by default', async () => {
  const received: { readonly type: string | undefined; readonly body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ type: request.headers['content-type'], body: Buffer.concat(chunks).toString('latin1') })
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { stop } = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  const id = makeRequestId({})
  const failing = currentTracer()!.span(
    { name: 'outer', kind: 'server', attributes: {}, request: { id, headers: {} } },
    async () => {
      expect(currentTracer()!.headers().traceparent).toBe(`00-${id}-01`)
      await currentTracer()!.span({ name: 'inner', kind: 'client', attributes: {} }, async (span) => span.fail())
      throw new Error('the password is 12345')
    },
  )
  await expect(failing).rejects.toThrow('the password')
  await stop()
  expect(currentTracer()).toBeNull()
  expect(received.map(({ type }) => type)).toEqual(['application/x-protobuf'])
  const { body } = received[0]!
  for (const text of ['outer', 'inner', 'service.name', 'homeport', '1.2.3']) expect(body).toContain(text)
  expect(body).toContain(Buffer.from(id.split('-')[0]!, 'hex').toString('latin1'))
  expect(body).not.toContain('password')
})

it('works without a receiver, and reports it once', async () => {
  const { stop, logged } = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_EXPORT_TIMEOUT: '500',
  })
  const work = () => currentTracer()!.span({ name: 'x', kind: 'client', attributes: {} }, async () => 7)
  expect(await work()).toBe(7)
  await stop()
  expect(logged.filter((line) => line.includes('exporting traces failed'))).toHaveLength(1)
})

it.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER must be otlp, console or none, not zipkin/],
  [
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json, not grpc/,
  ],
])('rejects %j', async (environment, message) => {
  await expect(traced(environment as Record<string, string>)).rejects.toThrow(message)
  expect(currentTracer()).toBeNull()
})
