import Fastify from 'fastify'
import pg from 'pg'
import { newObjectId } from '../../src/values/names.ts'

// The bare limit: Fastify, the driver and PostgreSQL with one prepared statement per request, without checks of keys,
// permissions, names, types or conditions. Stored JSON is sent as text.

interface Params {
  readonly className: string
  readonly id: string
}
interface Search {
  readonly field: string
  readonly value: string
  readonly id: string
}
interface Increment {
  readonly field: string
  readonly amount: number
}
interface StoredRow {
  readonly id: string
  readonly data: string
}

const asText = { getTypeParser: () => (text: string) => text }
const pool = new pg.Pool({
  connectionString: process.env.BARE_DATABASE_URL,
  max: 24,
  types: asText,
})

/** Runs a named prepared statement, which each connection parses and plans once. */
async function run<Row extends pg.QueryResultRow>(
  name: string,
  className: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name: `${name} ${className}`, text, values })).rows
}

const http = Fastify()
// The same type as Homeport's responses, so that only the work differs.
const JSON_TYPE = 'application/json;charset=utf-8'

http.post<{ Params: Params }>('/:className', async ({ params, body }, reply) => {
  const id = newObjectId()
  const createdAt = new Date().toISOString()
  await run(
    'create',
    params.className,
    `INSERT INTO "${params.className}" (id, created_at, updated_at, data) VALUES ($1, $2, $2, $3)`,
    [id, createdAt, JSON.stringify(body)],
  )
  return reply.code(201).type(JSON_TYPE).send(`{"objectId":"${id}","createdAt":"${createdAt}"}`)
})

http.get<{ Params: Params }>('/:className/:id', async ({ params }, reply) => {
  const [row] = await run<StoredRow>('get', params.className, `SELECT data FROM "${params.className}" WHERE id = $1`, [
    params.id,
  ])
  if (!row) return reply.code(404).send()
  return reply.type(JSON_TYPE).send(row.data)
})

http.put<{ Params: Params; Body: Increment }>('/:className/:id', async ({ params, body }, reply) => {
  const updatedAt = new Date().toISOString()
  const rows = await run(
    'increment',
    params.className,
    `UPDATE "${params.className}"
     SET data = data || jsonb_build_object($2::text, (data->$2)::numeric + $3), updated_at = $4
     WHERE id = $1
     RETURNING id`,
    [params.id, body.field, body.amount, updatedAt],
  )
  if (rows.length === 0) return reply.code(404).send()
  return reply.type(JSON_TYPE).send(`{"objectId":"${params.id}","updatedAt":"${updatedAt}"}`)
})

http.get<{ Params: Params; Querystring: Search }>('/:className', async ({ params, query }, reply) => {
  const rows = await run<StoredRow>(
    `query ${query.field}`,
    params.className,
    `SELECT data FROM "${params.className}" WHERE data->>'${query.field}' = $1 ORDER BY id LIMIT 100`,
    [query.value],
  )
  return reply.type(JSON_TYPE).send(`{"results":[${rows.map((row) => row.data).join(',')}]}`)
})

http.post<{ Params: Params; Body: unknown[] }>('/:className/batch', async ({ params, body }, reply) => {
  const createdAt = new Date().toISOString()
  const ids = body.map(() => newObjectId())
  await run(
    'batch',
    params.className,
    `INSERT INTO "${params.className}" (id, created_at, updated_at, data)
     SELECT id, $2, $2, data FROM unnest($1::text[], $3::jsonb[]) AS object(id, data)`,
    [ids, createdAt, body.map((object) => JSON.stringify(object))],
  )
  const results = ids.map((id) => `{"success":{"objectId":"${id}","createdAt":"${createdAt}"}}`)
  return reply.type(JSON_TYPE).send(`[${results.join(',')}]`)
})

http.get<{ Params: Params; Querystring: Search }>('/:className/after', async ({ params, query }, reply) => {
  const rows = await run<StoredRow>(
    'scan',
    params.className,
    `SELECT id, data FROM "${params.className}" WHERE id > $1 ORDER BY id LIMIT 1000`,
    [query.id],
  )
  const results = rows.map((row) => `{"objectId":"${row.id}",${row.data.slice(1)}`)
  return reply.type(JSON_TYPE).send(`{"results":[${results.join(',')}]}`)
})

const url = await http.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`ready at ${url}\n`)
process.on('SIGTERM', () => process.exit(0))
