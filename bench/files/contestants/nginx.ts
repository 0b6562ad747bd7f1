import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../../cleanup.ts'
import { freePort } from '../../free-port.ts'
import { temporaryDirectory } from '../../postgres.ts'
import { processorTimeOfAll } from '../../server-usage.ts'
import type { FileContestant } from './contestant.ts'

/** Timeout of the start, in milliseconds. */
const TIMEOUT_MS = 10_000

/** Returns the installed version; null when not installed. */
export function nginxVersion(): string | null {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' })
  return /nginx\/(\S+)/.exec(stderr ?? '')?.[1] ?? null
}

/**
 * Starts nginx configured for speed: one process per processor, and sendfile. It writes no log, because Homeport logs no
 * requests.
 * @param folder the served folder; uploads are stored in another one
 */
export async function startNginx(folder: string, cleanup: Cleanup): Promise<FileContestant> {
  const directory = await temporaryDirectory(cleanup)
  const port = await freePort()
  const configuration = join(directory, 'nginx.conf')
  await writeFile(configuration, configurationOf(directory, port, folder))
  const child = spawn('nginx', ['-p', directory, '-e', join(directory, 'error.log'), '-c', configuration], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  cleanup.add(() => end(child))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child)
  return {
    name: 'nginx',
    url,
    processorTime: () => processorTimeOfAll(child.pid!),
    async upload(connection, name, bytes) {
      const path = `/uploads/${name}`
      await connection.request({ method: 'PUT', path, body: bytes })
      return path
    },
  }
}

function configurationOf(directory: string, port: number, folder: string): string {
  // Files belong only to the user of this program, which can be root.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  return `
    ${user}
    daemon off;
    worker_processes auto;
    pid nginx.pid;
    error_log error.log;
    events { worker_connections 1024; }
    http {
      ${temporary.join('\n')}
      access_log off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000000;
      client_max_body_size 0;
      default_type application/octet-stream;
      server {
        listen 127.0.0.1:${port};
        location / { root "${folder}"; }
        location /uploads/ {
          root "${directory}";
          dav_methods PUT;
          create_full_put_path on;
        }
      }
    }`
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) break
    const answer = await fetch(url).catch(() => null)
    if (answer) return
  }
  throw new Error('nginx does not begin; what it says is above.')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
