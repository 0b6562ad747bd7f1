import sharp from 'sharp'

const POSTS = [
  ['春天的第一杯茶', ['茶', '生活'], 218, true, [30.24, 120.15]],
  ['A weekend on the coast', ['travel', 'sea'], 154, true, [24.48, 118.09]],
  ['怎样种一盆薄荷', ['花园'], 97, true, [31.23, 121.47]],
  ['Notes on a small kitchen', ['kitchen'], 61, false, [22.54, 114.06]],
  ['雨夜书店', ['书', '城市'], 342, true, [32.06, 118.8]],
  ['Learning to fold dumplings', ['kitchen', 'family'], 129, true, [34.34, 108.94]],
  ['老城地图', ['城市', '散步'], 88, true, [39.9, 116.4]],
  ['The lighthouse keeper', ['sea', 'stories'], 203, true, [36.07, 120.38]],
  ['一本关于风的小书', ['书'], 45, false, [25.04, 102.71]],
  ['Trains before sunrise', ['travel'], 176, true, [30.57, 104.07]],
]
const NAMES = ['mei', 'arun', 'sofia', 'tao', 'hana', 'jonas', 'yifan', 'leila']
const TALK = [
  ['mei', '大家好，周六还去海边吗？'],
  ['arun', 'Yes! I bring the tea.'],
  ['tao', '我带相机，早上七点在车站见。'],
  ['sofia', 'Save me a seat by the window, please'],
  ['mei', '好的，票我来买。'],
]
const COLOURS = ['#0b5c96', '#2f855a', '#b7791f', '#9b2c2c', '#553c9a', '#285e61']

/**
 * Creates the app of a small diary community through the public APIs.
 * @returns its id and key, and a conversation
 */
export async function fillApp(url, adminToken) {
  const admin = caller(url, { authorization: `Bearer ${adminToken}` })
  const { apps } = await admin('GET', '/admin/apps')
  for (const { appId } of apps) await admin('DELETE', `/admin/apps/${appId}`)
  const made = await admin('POST', '/admin/apps', { name: '小岛日记 Island Diary' })
  const { appId, masterKey } = made
  const call = caller(url, { 'x-lc-id': appId, 'x-lc-key': `${masterKey},master` })
  await admin('POST', '/admin/apps', { name: 'Tide Pools' })

  const users = []
  for (const name of NAMES) {
    users.push(
      await call('POST', '/1.1/users', {
        username: name,
        password: `password of ${name}`,
        email: `${name}@example.com`,
      }),
    )
  }
  const pointer = (className, { objectId }) => ({ __type: 'Pointer', className, objectId })
  const editors = { __op: 'AddRelation', objects: users.slice(0, 2).map((user) => pointer('_User', user)) }
  await call('POST', '/1.1/roles', { name: 'editors', ACL: { '*': { read: true } }, users: editors })
  const files = []
  for (const [n, colour] of COLOURS.entries())
    files.push(await upload(call, `cover-${n + 1}.png`, await picture(colour, n)))
  for (const [n, [title, tags, likes, published, [latitude, longitude]]] of POSTS.entries()) {
    const cover = files[n % files.length]
    const post = await call('POST', '/1.1/classes/Post', {
      title,
      tags,
      likes,
      published,
      author: pointer('_User', users[n % users.length]),
      cover: { __type: 'File', id: cover.objectId, name: cover.name, url: cover.url },
      place: { __type: 'GeoPoint', latitude, longitude },
      written: { __type: 'Date', iso: new Date(Date.UTC(2026, 9, 3 + n * 5, 8, 30)).toISOString() },
    })
    for (let comment = 0; comment < (n % 4) + 1; comment += 1)
      await call('POST', '/1.1/classes/Comment', {
        post: pointer('Post', post),
        text: '写得真好！',
        author: pointer('_User', users[comment]),
      })
  }
  for (const [n, name] of NAMES.entries())
    await call('POST', '/1.1/installations', {
      deviceType: n % 2 ? 'ios' : 'android',
      installationId: `installation-${name}`,
      channels: ['news'],
    })
  const conversation = await call('POST', '/1.2/rtm/conversations', { name: '周末去海边', m: NAMES.slice(0, 5) })
  for (const [from_client, text] of TALK)
    await call('POST', `/1.2/rtm/conversations/${conversation.objectId}/messages`, {
      from_client,
      message: JSON.stringify({ _lctype: -1, _lctext: text }),
    })
  await call('POST', '/1.2/rtm/chatrooms', { name: '深夜电台' })
  await call('POST', '/1.1/push', { channels: ['news'], data: { alert: '新的一期日记上线了' } })
  return { appId, conversationId: conversation.objectId }
}

function caller(url, headers) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

/** Uploads as an SDK does: a token, the bytes, and the callback. */
async function upload(call, name, bytes) {
  const file = await call('POST', '/1.1/fileTokens', {
    name,
    key: `pictures/${name}`,
    metaData: { size: bytes.length },
  })
  const form = new FormData()
  form.append('token', file.token)
  form.append('key', file.key)
  form.append('name', name)
  form.append('file', new Blob([bytes], { type: 'image/png' }), name)
  const response = await fetch(file.upload_url, { method: 'POST', body: form })
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  await call('POST', '/1.1/fileCallback', { token: file.token, result: true })
  return { ...file, name }
}

/** Returns a landscape in one color. */
function picture(colour, n) {
  const hills = `M0 ${90 - n * 4} Q 60 ${50 + n * 5} 120 ${85 - n} T 240 ${70 + n * 2} V 160 H 0 Z`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="160"><rect width="240" height="160" fill="${colour}" opacity=".35"/>
    <circle cx="${50 + n * 26}" cy="40" r="18" fill="#fff"/><path d="${hills}" fill="${colour}"/></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
