export const name = 'requests'
export const title = 'Requests of clients'

/** Needs `url` and `app`. Sets `objectId`, an object of the class Smoke. */
export async function run(context) {
  const { url, app, pass } = context
  const health = await call(url, 'GET', '/health')
  if (health.status !== 'ok') throw new Error(JSON.stringify(health))
  const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
  const created = await call(url, 'POST', '/1.1/classes/Smoke', headers, { title: 'Hello', count: 1 })
  await call(url, 'PUT', `/1.1/classes/Smoke/${created.objectId}`, headers, { count: { __op: 'Increment', amount: 2 } })
  const where = encodeURIComponent(JSON.stringify({ title: 'Hello' }))
  const { results } = await call(url, 'GET', `/1.1/classes/Smoke?where=${where}`, headers)
  if (results.length !== 1 || results[0].count !== 3) throw new Error(JSON.stringify(results))
  await call(url, 'POST', '/1.1/users', headers, { username: `ann-${created.objectId}`, password: 'a long password' })
  const page = await fetch(`${url}/console`)
  if (page.status !== 200 || !(await page.text()).includes('<html'))
    throw new Error(`the console returns ${page.status}`)
  context.objectId = created.objectId
  pass('an object, a query, a user, the console')
}

/** Sends JSON and returns the body of the response. @throws Error when its status is not 2xx */
export async function call(url, method, path, headers = {}, body = undefined) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
