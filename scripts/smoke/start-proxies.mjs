// Starts nginx and Caddy with the files of deploy/. Only ports, paths and the host name are replaced.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const START_TIMEOUT_MS = 60_000

/**
 * Starts nginx in front of a server.
 * @param {string} program path of nginx
 * @param {string} directory an existing directory for its files
 * @param {string} upstream the server, such as 127.0.0.1:3000
 */
export async function startNginx(program, directory, upstream) {
  const [port, plainPort] = [await freePort(), await freePort()]
  const { certificate, key } = makeCertificate(directory)
  const shipped = readFileSync(new URL('../../deploy/nginx/homeport.conf', import.meta.url), 'utf8')
  const site = replaceAll(shipped, [
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['listen [::]:443 ssl;', ''],
    ['server_name api.example.org;', 'server_name localhost;'],
    ['/etc/letsencrypt/live/api.example.org/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/api.example.org/privkey.pem', key],
    ['server 127.0.0.1:3000;', `server ${upstream};`],
  ])
  writeFileSync(join(directory, 'homeport.conf'), site)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events {}
http {
  access_log off;
  ${paths.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  include ${directory}/homeport.conf;
}
`,
  )
  const args = ['-p', directory, '-e', join(directory, 'error.log'), '-c', join(directory, 'nginx.conf')]
  return start(program, args, {}, { name: 'nginx', port, plainPort, authority: () => certificate })
}

/** Starts Caddy in front of a server, with the parameters of `startNginx`. Its own authority signs the certificate. */
export function startCaddy(program, directory, upstream) {
  return startCaddyWith(program, directory, 'caddy/Caddyfile', [
    ['\napi.example.org {', '\nlocalhost {\n\tbind 127.0.0.1'],
    ['127.0.0.1:3000', upstream],
  ])
}

/** Starts Caddy in front of two servers, with the file of the Compose project `cluster`. */
export function startCaddyOfCluster(program, directory, [first, second]) {
  return startCaddyWith(program, directory, 'compose/cluster/Caddyfile', [
    ['{$DOMAIN} {', 'localhost {\n\tbind 127.0.0.1'],
    ['homeport-1:3000', first],
    ['homeport-2:3000', second],
  ])
}

async function startCaddyWith(program, directory, file, replacements) {
  const [port, plainPort] = [await freePort(), await freePort()]
  const shipped = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
  const options = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}\n}\n`
  writeFileSync(join(directory, 'Caddyfile'), options + replaceAll(shipped, replacements))
  const environment = {
    HOME: directory,
    XDG_DATA_HOME: join(directory, 'data'),
    XDG_CONFIG_HOME: join(directory, 'config'),
  }
  const authority = join(directory, 'data/caddy/pki/authorities/local/root.crt')
  const args = ['run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile']
  return start(program, args, environment, { name: 'caddy', port, plainPort, authority: () => authority })
}

async function start(program, args, environment, { name, port, plainPort, authority }) {
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4000)
  })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const stop = async () => {
    if (!isRunning()) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const url = `https://localhost:${port}`
  for (const until = Date.now() + START_TIMEOUT_MS; !(await accepts(url)); await sleep(100)) {
    if (isRunning() && Date.now() < until) continue
    await stop()
    throw new Error(`${name} did not start:\n${output}`)
  }
  return { name, url, plainUrl: `http://localhost:${plainPort}`, authority: authority(), stop }
}

/** Returns whether a server responds over TLS. Its certificate is checked later, by the client. */
function accepts(url) {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(true)
    })
    request.on('error', () => resolve(false))
  })
}

/** Replaces each text everywhere. A text that is missing means that the shipped file has changed. */
function replaceAll(text, pairs) {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The shipped file does not contain ${JSON.stringify(from)}.`)
    return changed.replaceAll(from, to)
  }, text)
}

/** Creates a certificate for localhost that signs itself. */
function makeCertificate(directory) {
  mkdirSync(directory, { recursive: true })
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
  return { certificate, key }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
