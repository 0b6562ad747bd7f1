import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './start-proxies.mjs'

export const name = 'install-as-user'
export const title = 'Install and start as an ordinary user, in a folder with spaces and Chinese characters'

/** Needs `folder`, `inside` and `tarball`. */
export async function run({ folder, inside, tarball, pass }) {
  inside('useradd --create-home ann')
  cpSync(tarball, join(folder, 'srv/homeport.tgz'))
  chmodSync(join(folder, 'srv/homeport.tgz'), 0o644)
  inside(
    'mkdir -p "$HOME/我的 应用" && npm install --global --prefix "$HOME/我的 应用" --no-audit --no-fund /srv/homeport.tgz',
    'ann',
  )
  pass('npm install --global without root')
  const port = await freePort()
  const output = inside(
    `cd "$HOME/我的 应用" && { ./bin/homeport start --port ${port} --host 127.0.0.1 >out 2>err & } && pid=$! &&
     for second in $(seq 60); do grep -q 'Homeport is ready' out && break; sleep 1; done &&
     curl -fsS http://127.0.0.1:${port}/health && ./bin/homeport app list && ./bin/homeport doctor && kill $pid && wait $pid && cat out`,
    'ann',
  )
  if (!output.includes('"status":"ok"') || !output.includes('First start')) throw new Error(output)
  pass('homeport start, health, app list, doctor and a clean stop')
}
