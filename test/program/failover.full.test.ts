import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../support/app.ts'
import { haproxy, startHaproxy } from '../support/haproxy.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { connect } from '../support/raw-connection.ts'
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/replicated-postgres.ts'

const APP = { appId: 'promoted', appKey: 'promoted-key', masterKey: 'promoted-master-key' }
const VARIABLES = {
  HOMEPORT_APP_ID: APP.appId,
  HOMEPORT_APP_KEY: APP.appKey,
  HOMEPORT_MASTER_KEY: APP.masterKey,
  HOMEPORT_LOG_LEVEL: 'error',
}
const HEADERS = { 'x-lc-id': APP.appId, 'x-lc-key': APP.appKey, 'content-type': 'application/json' }

/** The maximum time from the promotion until writes are acknowledged again, in milliseconds. */
const BACK_WITHIN = 5000

const addressOf = (...servers: PostgresServer[]) =>
  `postgresql://homeport@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/homeport?target_session_attrs=read-write`

interface Way {
  readonly name: string
  readonly usesHaproxy: boolean
  /** The failure of the primary. */
  readonly loss: 'crash' | 'freeze'
}

const ways: Way[] = [
  { name: 'through HAProxy, when the primary crashes', usesHaproxy: true, loss: 'crash' },
  { name: 'with two hosts in the address, when the primary crashes', usesHaproxy: false, loss: 'crash' },
  {
    name: 'with two hosts in the address, when the primary vanishes without a word',
    usesHaproxy: false,
    loss: 'freeze',
  },
]

describe.skipIf(postgresPrograms === null)('promoting a standby under load', { timeout: 120_000 }, () => {
  for (const { name, usesHaproxy, loss } of ways)
    it.skipIf(usesHaproxy && haproxy === null)(
      `${name}: no acknowledged write is lost, and service continues`,
      async () => {
        const primary = await startPostgres(onTestFinished)
        const standby = await primary.addStandby()
        const url = usesHaproxy ? await startHaproxy([primary, standby], onTestFinished) : addressOf(primary, standby)
        const nodes = [await startNode(url), await startNode(url)]
        const writers = write(nodes)
        const chat = await talk(nodes)
        await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(200)

        await primary[loss]()
        await standby.promote()
        const promoted = performance.now()
        // Each writer, on either node.
        await expect
          .poll(() => writers.lastOnEach(), { interval: 20 })
          .toSatisfy((times) => times.every((time: number) => time > promoted))
        await chat.heardAgain()
        expect(performance.now() - promoted).toBeLessThan(BACK_WITHIN)
        for (const { url: node } of nodes) expect((await call(node, 'GET', '/health', {}, undefined)).status).toBe(200)

        const { acknowledged } = writers
        const before = acknowledged.length
        await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 200)
        await writers.stop()
        expect(writers.surprises).toEqual([])
        const rows = await standby.query(`SELECT id FROM app_promoted."Written"`)
        const there = new Set(rows.map(({ id }) => id))
        expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
        await chat.expectAllStored(standby)
        for (const node of nodes) expect(node.process.exitCode).toBe(null)
      },
    )

  it('the old primary returns as a standby, and no write is lost or gets 500', async () => {
    const first = await startPostgres(onTestFinished)
    const second = await first.addStandby()
    const nodes = [await startNode(addressOf(first, second)), await startNode(addressOf(second, first))]
    const writers = write(nodes)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(100)
    // A clean stop: the standby has all data, and the old primary can follow it.
    await first.stop()
    await second.promote()
    await first.follow(second)
    const back = writers.acknowledged.length
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(back + 200)
    await writers.stop()
    expect(writers.surprises).toEqual([])
    const there = new Set((await second.query(`SELECT id FROM app_promoted."Written"`)).map(({ id }) => id))
    expect(writers.acknowledged.filter((id) => !there.has(id))).toEqual([])

    // A new server with the standby listed first, and one while the other host is down.
    const third = await startNode(addressOf(first, second))
    expect((await create(third, 0)).status).toBe(201)
    await first.crash()
    const fourth = await startNode(addressOf(first, second))
    expect((await create(fourth, 0)).status).toBe(201)
  })

  it('with only a standby reachable, every write gets 503 and /health gives the reason', async () => {
    const first = await startPostgres(onTestFinished)
    const second = await first.addStandby()
    const node = await startNode(addressOf(first, second))
    await first.stop()
    await expect
      .poll(async () => (await call(node.url, 'GET', '/health', {}, undefined)).body)
      .toMatchObject({ database: 'read-only', code: 511 })
    expect(await create(node, 0)).toMatchObject({ status: 503, body: { code: 511 } })
    await first.start()
    await expect.poll(async () => (await create(node, 0)).status).toBe(201)
  })
})

function startNode(databaseUrl: string): Promise<Program> {
  return makeHome(onTestFinished).start(['--database-url', databaseUrl], VARIABLES)
}

function create(node: Program, n: number) {
  return call(node.url, 'POST', '/1.1/classes/Written', HEADERS, { n })
}

/** Starts ten clients per node that create objects one after the other. */
function write(nodes: readonly Program[]) {
  const acknowledged: string[] = []
  const surprises: unknown[] = []
  const last = nodes.map(() => 0)
  let stopping = false
  const writer = async (index: number) => {
    for (let n = 0; !stopping; n++) {
      const { status, body } = await create(nodes[index]!, n)
      if (status === 201) {
        acknowledged.push(body.objectId)
        last[index] = performance.now()
      } else {
        if (status !== 503 || body.code !== 511) surprises.push({ status, body })
        await sleep(20)
      }
    }
  }
  const writers = nodes.flatMap((_, index) => Array.from({ length: 10 }, () => writer(index)))
  const stop = async () => {
    stopping = true
    await Promise.all(writers)
  }
  onTestFinished(stop)
  return { acknowledged, surprises, stop, lastOnEach: () => [...last] }
}

/** Connects a client that sends repeatedly from the first node, and one that receives on the second. */
async function talk(nodes: readonly Program[]) {
  const [here, there] = [
    await connect({ appId: APP.appId, url: nodes[0]!.url }),
    await connect({ appId: APP.appId, url: nodes[1]!.url }),
  ]
  await here.open('tom')
  await there.open('jerry')
  const started = await here.request({ cmd: 'conv', op: 'start', convMessage: { m: ['jerry'], unique: false } })
  const cid = started.convMessage!.cid!
  const sent: string[] = []
  let stopping = false
  const sending = (async () => {
    for (let n = 0; !stopping; n++) {
      const answer = await here.request({ cmd: 'direct', directMessage: { cid, msg: `${n}` } })
      if (answer.ackMessage?.uid) sent.push(answer.ackMessage.uid)
      await sleep(50)
    }
  })()
  onTestFinished(() => {
    stopping = true
  })
  const texts = () => there.received.flatMap(({ directMessage }) => (directMessage?.msg ? [directMessage.msg] : []))
  return {
    /** Resolves once a message sent from now on is received. */
    async heardAgain() {
      const from = sent.length
      await expect.poll(() => sent.length, { interval: 20 }).toBeGreaterThan(from)
      const heard = texts().length
      await expect.poll(() => texts().length, { interval: 20 }).toBeGreaterThan(heard)
    },
    async expectAllStored(server: PostgresServer) {
      stopping = true
      await sending
      const rows = await server.query(`SELECT id FROM app_promoted."$messages"`)
      const there = new Set(rows.map(({ id }) => id))
      expect(sent.length).toBeGreaterThan(0)
      expect(sent.filter((id) => !there.has(id))).toEqual([])
    },
  }
}
