import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

const [gone, other] = [await makeApp(), await makeApp()]

it('a live query client that leaves after its app was deleted affects no other client', async () => {
  const connection = await connect(gone)
  const login = { cmd: 'login', appId: gone.appId, installationId: 'subscriber', service: 1 } as const
  expect(await connection.request(login)).toMatchObject({ cmd: 'loggedin' })
  const body = { id: 'subscriber', query: { className: 'Post', where: {} } }
  expect((await gone.request('POST', '/1.1/LiveQuery/subscribe', { body })).status).toBe(200)
  expect((await gone.admin('DELETE', '')).status).toBe(200)
  connection.drop()
  // By now the server has processed the end of the connection, which fails without tables.
  for (let time = 0; time < 20; time++) {
    expect((await other.request('POST', '/1.1/classes/Post', { body: { time } })).status).toBe(201)
  }
})
